"""The one thread that uses the engine: it searches when asked, and learns when nobody asks."""

import queue
import threading
import time
from collections.abc import Callable

from heatmap_engine.engine import Engine
from heatmap_engine.search import Stopped
from heatmap_engine.uci.learner import Learner

# After `quit`, learning is given up, and then waiting for a table that takes nothing, so that the process has
# ended within two seconds.
_UNTIL_QUIT_S = 1.5
_UNTIL_LOST_S = 1.8

Job = Callable[["Worker"], None]


class Worker:
    """Runs jobs one after the other, and between them learns what waits.

    `engine` and `learner` belong to the worker's thread: only jobs may use them.
    """

    engine: Engine
    learner: Learner

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._deadline: float | None = None
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Do this next; learning is interrupted for it and goes on afterwards."""
        self._jobs.put(job)

    def close(self) -> None:
        """Finish what is running, learn what can be learned in a moment, and close the engine."""
        self._deadline = time.monotonic() + _UNTIL_QUIT_S
        self._jobs.put(None)
        self._thread.join(_UNTIL_LOST_S)

    def _run(self) -> None:
        while (job := self._next_job()) is not None:
            job(self)
        self._learn(self._is_past_deadline)
        self.close_engine()

    def close_engine(self) -> None:
        """Close the engine and its table, if there is one yet; for the worker's own thread."""
        if self._has_engine:
            table = self.engine.table
            self.engine.close()
            if table is not None:
                table.close()

    def _next_job(self) -> Job | None:
        if self._jobs.empty():
            self._learn(lambda: not self._jobs.empty())
        return self._jobs.get()

    @property
    def _has_engine(self) -> bool:
        return hasattr(self, "engine")

    def _is_past_deadline(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _learn(self, must_stop: Callable[[], bool]) -> None:
        def keep_going(_moves_visited: int) -> None:
            if must_stop():
                raise Stopped

        try:
            while self._has_engine and self.learner.has_work:
                keep_going(0)
                self.learner.go_on(keep_going)
        except Stopped:
            return
