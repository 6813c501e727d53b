"""Work in several processes that may be killed: each task is done once, or reported as lost.

One pipe per worker and no queue for all: a process that is killed while it holds a shared queue's lock
stops everybody. A worker has one task at a time: little is lost with it, it waits for whoever takes the
results, and "after the current game" is soon.
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar, runtime_checkable

from heatmap_engine.workers.end_with_parent import end_with_parent
from heatmap_engine.workers.pool import MOST_ATTEMPTS, Lost, LostInARow
from qtable import Entry

Task = TypeVar("Task")
Result = TypeVar("Result")

# That processes end before they have begun is no task's fault, but it must not go on for ever either.
_MOST_STARTS = 5

# Not fork: a copy of the other workers' pipes would keep those open after their workers' end.
_CONTEXT = multiprocessing.get_context("spawn")


class Workers(Generic[Task, Result]):
    """So many processes that do `work`, of which each has a copy; a context manager that ends them."""

    def __init__(self, work: Callable[[Task], Result], number: int) -> None:
        self._workers = [_Worker[Task, Result](work) for _ in range(number)]
        self._again: deque[_Assignment[Task]] = deque()
        self._lost_in_a_row = LostInARow()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.end()

    @property
    def process_ids(self) -> list[int | None]:
        """The processes as they are now; one that is killed is replaced."""
        return [worker.process.pid for worker in self._workers]

    def results(self, tasks: Iterable[Task]) -> Generator[tuple[Task, Result | Lost], None, None]:
        """Each task with its result, in the order in which they are finished.

        `tasks` is asked for the next one when a worker is free. What `work` raises is raised here.
        """
        fresh = (_Assignment(task) for task in tasks)
        for worker in self._workers:
            worker.begin(next(fresh, None))
        while busy := {worker.pipe: worker for worker in self._workers if worker.assignment is not None}:
            for pipe in wait(busy):
                worker = busy[pipe]  # type: ignore[index] # typeshed says that wait() may return anything it takes
                if worker.has_just_begun():
                    continue
                assignment, result = self._outcome(worker)
                # Before the result is taken, because to write it takes a while.
                worker.begin(self._again.popleft() if self._again else next(fresh, None))
                if result is not None:
                    yield assignment.task, result

    def recorded(self, changes: Mapping[str, Entry]) -> None:
        pass  # the processes read the table's file

    def _outcome(self, worker: "_Worker[Task, Result]") -> tuple["_Assignment[Task]", Result | Lost | None]:
        """What a worker's task has come to; None if it must be tried again."""
        assignment = worker.assignment
        assert assignment is not None
        try:
            result = worker.receive()
        except (EOFError, OSError):  # the process is gone, perhaps in the middle of its answer
            exit_code = worker.start_again()
            assignment.starts += 1
            assignment.attempts += assignment.has_begun
            assignment.has_begun = False
            if assignment.attempts < MOST_ATTEMPTS and assignment.starts < _MOST_STARTS:
                self._again.append(assignment)
                return assignment, None
            return assignment, self._lost_in_a_row.add(Lost(f"exit code {exit_code}"))
        self._lost_in_a_row.end()
        return assignment, result


@dataclass(slots=True)
class _Assignment(Generic[Task]):
    task: Task
    starts: int = 0
    """How many processes it was given to that have ended since."""
    attempts: int = 0
    """How many of these had begun with it."""
    has_begun: bool = False


class _Worker(Generic[Task, Result]):
    """A process, our end of its pipe, and what it is doing."""

    def __init__(self, work: Callable[[Task], Result]) -> None:
        self._work = work
        self._start()

    def _start(self) -> None:
        self.assignment: _Assignment[Task] | None = None
        self.pipe, its_end = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(
            target=_work_through, args=(its_end, self._work, os.getpid()), daemon=True
        )
        with _shielded_from_interrupts():
            self.process.start()
        its_end.close()  # so that the pipe ends when the process does

    def begin(self, assignment: _Assignment[Task] | None) -> None:
        self.assignment = assignment
        if assignment is not None:
            with suppress(ConnectionError):  # a process that is gone is noticed when its answer is read
                self.pipe.send(assignment.task)

    def has_just_begun(self) -> bool:
        """Whether what the process says is that it has taken its task, and not yet what that has come to."""
        if self.assignment is None or self.assignment.has_begun:
            return False
        with suppress(EOFError, OSError):  # it is gone, as receive() will find
            self.pipe.recv()
            self.assignment.has_begun = True
        return self.assignment.has_begun

    def receive(self) -> Result:
        result, error = self.pipe.recv()
        self.assignment = None
        if error is not None:
            raise error
        answer: Result = result
        return answer

    def start_again(self) -> int | None:
        """Replace a process that has ended; says how it ended."""
        self.end()
        exit_code = self.process.exitcode
        self._start()
        return exit_code

    def end(self) -> None:
        """End the process: an idle one by itself, one that works at once."""
        self.pipe.close()
        if self.assignment is not None:
            self.process.kill()
        self.process.join()


@contextmanager
def _shielded_from_interrupts() -> Iterator[None]:
    """Ctrl-C goes to every process of a terminal; one that is started inside never sees it."""
    resource_tracker.ensure_running()  # it would be started inside, and take the shield away for that
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@runtime_checkable
class Closing(Protocol):
    """Work that has something to let go of when its process ends, such as processes of its own."""

    def close(self) -> None: ...


def _work_through(pipe: "Connection[Any, Any]", work: Any, parent: int) -> None:
    """A worker's life: a task, a word that it has begun, what it came to, until the pipe is closed."""
    end_with_parent(parent)
    try:
        while True:
            task = pipe.recv()
            pipe.send(None)
            pipe.send(answer(task, work))
    except (EOFError, ConnectionError):  # it is a reset if an answer was left unread
        let_go(work)


def let_go(work: Any) -> None:
    """Close work that has something to let go of."""
    if isinstance(work, Closing):
        work.close()


def answer(task: Any, work: Callable[[Any], Any]) -> tuple[Any, Exception | None]:
    """What a task comes to, or what it raised, as it travels to another process."""
    try:
        return work(task), None
    except Exception as error:  # raised again by `results`, in the process that wants to know
        return None, error
