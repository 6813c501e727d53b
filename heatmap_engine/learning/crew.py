"""Who works on a batch's tasks, behind one face: this process, others beside it, or machines of a cluster."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self, TypeVar

from qtable import Entry

Task = TypeVar("Task")
Result = TypeVar("Result", covariant=True)


@dataclass(frozen=True, slots=True)
class Lost:
    """Instead of a result: the task ended every process that tried it; the last one with this exit code."""

    exit_code: int | None


class Crew(Protocol[Task, Result]):
    """Does tasks; a context manager that lets its workers go."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result | Lost]]:
        """Each task with its result, in the order in which they are finished.

        `tasks` is asked for the next one when a worker is free. What the work raises is raised here.
        """
        ...

    def recorded(self, changes: Mapping[str, Entry]) -> None:
        """Hear what a game has changed, once it is in the table; whoever reads the table's file need not."""
        ...
