"""Who works on a batch's tasks, behind one face: this process, others beside it, or machines of a cluster."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self, TypeVar

from heatmap_engine.errors import WorkersLost
from qtable import Entry

# A task that ends two workers is given up. So many of them in a row end the run: the machine is at fault.
MOST_ATTEMPTS = 2
_MOST_LOST_IN_A_ROW = 3

Task = TypeVar("Task")
Result = TypeVar("Result", covariant=True)


@dataclass(frozen=True, slots=True)
class Lost:
    """Instead of a result: every worker that the task was given to has ended; how the last one did."""

    how: str


class LostInARow:
    """Counts the tasks that were lost one after the other; too many end the run."""

    def __init__(self) -> None:
        self._number = 0

    def end(self) -> None:
        """Count from nothing again, because a task was done."""
        self._number = 0

    def add(self, lost: Lost) -> Lost:
        self._number += 1
        if self._number == _MOST_LOST_IN_A_ROW:
            raise WorkersLost(
                f"expected workers to finish their games, but all that {_MOST_LOST_IN_A_ROW} games in a row "
                f"were given to have ended, the last with {lost.how}"
            )
        return lost


class Pool(Protocol[Task, Result]):
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
