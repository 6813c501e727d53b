"""What runs on a node: workers, each a process of its own with one task at a time."""

import platform
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from typing import Any, Generic, NamedTuple, TypeVar

from heatmap_engine.board.keys import KEY_FORMAT
from heatmap_engine.cluster.node_table import (
    NodeTable,
    build,
    folder_of,
    has_copy,
    remove,
    used_folder,
)
from heatmap_engine.cluster.quiet_ray import ray
from heatmap_engine.memory.tables import Settings
from heatmap_engine.workers.local import MakeWork
from heatmap_engine.workers.processes import answer

Task = TypeVar("Task")
Result = TypeVar("Result")


class TaskAnswer(NamedTuple, Generic[Result]):
    """What a task has come to, or what it raised, and how far the node's copy of the table is."""

    result: Result | None
    error: Exception | None
    last_changes: int


class Introduction(NamedTuple):
    """What a new worker says of itself and of its node."""

    versions: dict[str, str]
    has_copy: bool
    """Whether the node has a copy of the table; another run may have removed it while no worker used it."""


def versions() -> dict[str, str]:
    """What must be the same everywhere for a table's values and a game's moves to mean the same."""
    return {
        "heatmap-engine": version("heatmap-engine"),
        "key format": str(KEY_FORMAT),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "Ray": ray.__version__,
    }


class Worker(Generic[Task, Result]):
    """Does tasks on its node's copy of the table."""

    def __init__(self, folder: str, settings: Settings, make_work: MakeWork[Task, Result]) -> None:
        self._settings = settings
        self._make_work = make_work
        self._uses = ExitStack()  # until the process ends
        self._folder = self._uses.enter_context(used_folder(folder))
        self._table: NodeTable | None = None
        self._work: Callable[[Task], Result] | None = None

    def introduction(self) -> Introduction:
        return Introduction(versions(), has_copy(self._folder))

    def build(self, pieces: Sequence[Any], last_changes: int) -> None:
        """Make the node's copy from a snapshot, of which only one piece at a time is in memory."""
        build(self._folder, map(ray.get, pieces), last_changes, self._settings)

    def do(self, task: Task, changes: Sequence[tuple[int, Any]]) -> TaskAnswer[Result]:
        """Do a task with these changes in the table, of which others may have recorded some."""
        if self._table is None or self._work is None:
            self._table = NodeTable(self._folder, self._settings)
            self._work = self._make_work(self._table.table)
        last_changes = self._table.catch_up(changes, ray.get)
        return TaskAnswer(*answer(task, self._work), last_changes)


def tidy_up(folder: str) -> None:
    """Remove a node's copy of the table after its workers have ended."""
    remove(folder_of(folder))


def is_there() -> bool:
    """What a node that has not gone answers."""
    return True
