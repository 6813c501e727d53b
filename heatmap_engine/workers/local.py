"""Pools of this machine: this process alone, or worker processes that read the table's file."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Generic, Self, TypeVar

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.memory.tables import Settings, open_table
from heatmap_engine.memory.views import EntrySource
from heatmap_engine.workers.pool import Pool
from heatmap_engine.workers.processes import Workers, let_go
from qtable import Entry, QTable

Task = TypeVar("Task")
Result = TypeVar("Result")

# Makes the work on tasks from whatever knows values. It is copied to other processes, so that it must be
# known by name: a class or a function of a module, or a partial of one.
MakeWork = Callable[[EntrySource], Callable[[Task], Result]]


def local_pool(
    make_work: MakeWork[Task, Result], table: QTable, settings: Settings, workers: int
) -> Pool[Task, Result]:
    """This process for one worker, so that each task finds all earlier ones in the table; processes for more.

    Each process opens the table's file, which must hold values of these settings.
    """
    if workers == 1:
        return SameProcess(make_work(table))
    if table.path is None:
        raise InvalidSettings("a table in memory cannot be shared with worker processes")
    return Workers(OnFile(make_work, table.path, settings), workers)


class SameProcess(Generic[Task, Result]):
    """This process as a pool of one."""

    def __init__(self, work: Callable[[Task], Result]) -> None:
        self._work = work

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        let_go(self._work)

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        return ((task, self._work(task)) for task in tasks)

    def recorded(self, changes: Mapping[str, Entry]) -> None:
        pass  # the work reads the table itself


class OnFile(Generic[Task, Result]):
    """Work on a table's file: made in one process and done in another, which opens it for its first task."""

    def __init__(self, make_work: MakeWork[Task, Result], path: Path, settings: Settings) -> None:
        self._make_work = make_work
        self._path = path
        self._settings = settings
        self._work: Callable[[Task], Result] | None = None

    def __call__(self, task: Task) -> Result:
        if self._work is None:
            self._work = self._make_work(open_table(self._path, self._settings, readonly=True))
        return self._work(task)

    def close(self) -> None:
        let_go(self._work)
