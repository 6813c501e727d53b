"""A thread that searches for one page: one job after the other, and what is only a look gives way."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from heatmap_engine.stop import Stop

Result = TypeVar("Result")


@dataclass(slots=True)
class _Job:
    work: Callable[[Stop], Any]
    gives_way: bool
    stop: Stop = field(default_factory=Stop)
    future: "Future[Any]" = field(default_factory=Future)


class Searcher:
    """Does jobs in a thread of its own, which is begun with the first one; each has its own stop."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._open: list[_Job] = []
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def ask(self, work: Callable[[Stop], Result], *, gives_way: bool = False) -> "Future[Result]":
        """Do this next; whatever gives way ends now, be it running or waiting."""
        job = _Job(work, gives_way)
        with self._lock:
            if self._is_closed:
                job.future.cancel()
                return job.future
            self._end(lambda other: other.gives_way)
            self._open.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        self._jobs.put(job)
        return job.future

    def stop(self, *, only_what_gives_way: bool = False) -> None:
        """End what is running and what waits: each job answers with what it has."""
        with self._lock:
            self._end(lambda job: job.gives_way or not only_what_gives_way)

    def _end(self, is_meant: Callable[[_Job], bool]) -> None:
        for job in self._open:
            if is_meant(job):
                job.stop.set()

    def close(self, last: Callable[[], None] = lambda: None) -> None:
        """End everything, then do this in the thread; nothing is done after that. It does not wait."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._end(lambda job: True)
            thread = self._thread
        if thread is None:
            last()
            return
        self._jobs.put(_Job(lambda stop: last(), gives_way=False))
        self._jobs.put(None)

    def join(self, timeout_s: float) -> None:
        """Wait for the thread to end, after `close`."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                if job.future.set_running_or_notify_cancel():
                    job.future.set_result(job.work(job.stop))
            except Exception as error:  # whoever asks next must be answered all the same
                job.future.set_exception(error)
            finally:
                with self._lock:
                    if job in self._open:
                        self._open.remove(job)
