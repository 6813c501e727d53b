"""The two threads that use the engine: one searches, the other writes what was found and learns.

The table may be slow: another process writes to it, or the disk is busy. A search only reads, for which it
never waits, so that no clock runs while something is written.
"""

import queue
import threading
import time
import traceback
from collections.abc import Callable

from games.chess.record import GameRecord
from heatmap_engine.engines.engine import Engine
from heatmap_engine.learning.learner import Learner
from heatmap_engine.stop import Stopped

# After `quit`, learning is given up, and then waiting for a table that takes nothing, so that the process has
# ended within two seconds.
_UNTIL_QUIT_S = 1.4
_UNTIL_LOST_S = 1.8

_PATIENCE_S = 0.25

Job = Callable[[], None]


class _Thread:
    """Does its jobs one after the other."""

    def __init__(self, name: str) -> None:
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while (job := self.next_job()) is not None:
            try:
                job()
            except Exception:  # whoever asks next must be answered all the same
                traceback.print_exc()

    def next_job(self) -> Job | None:
        return self.jobs.get()

    def wait_for(self, job: Job) -> None:
        """Do this and come back when it is done."""
        is_done = threading.Event()

        def work() -> None:
            try:
                job()
            finally:
                is_done.set()

        self.jobs.put(work)
        is_done.wait()

    def end(self, timeout_s: float | None = None) -> None:
        self.jobs.put(None)
        self._thread.join(timeout_s)


class _Scribe(_Thread):
    """Writes, and learns while nobody searches and nothing is to be written.

    It begins to learn when nothing was asked for `patience_s`.
    """

    def __init__(self) -> None:
        self.learner: Learner | None = None
        self.is_searching = threading.Event()
        self.patience_s = 0.0
        super().__init__("scribe")

    def next_job(self) -> Job | None:
        if self.learner is not None and self.learner.has_work and not self.is_searching.is_set():
            try:
                return self.jobs.get(timeout=self.patience_s)
            except queue.Empty:
                self.learn(lambda: self.is_searching.is_set() or not self.jobs.empty())
        return super().next_job()

    def learn(self, must_stop: Callable[[], bool]) -> None:
        def keep_going(_moves_visited: int) -> None:
            if must_stop():
                raise Stopped

        try:
            while self.learner is not None and self.learner.has_work:
                keep_going(0)
                self.learner.go_on(keep_going)
        except Stopped:
            return


class Worker:
    """The engine with its two threads; the one that reads commands never waits for either of them."""

    def __init__(self) -> None:
        self.engine: Engine | None = None
        self._searcher = _Thread("searcher")
        self._scribe = _Scribe()

    def search(self, job: Callable[[Engine], None], *, in_a_hurry: bool) -> None:
        """Do this next in the searching thread; learning pauses meanwhile.

        In a hurry it does not go on before a longer pause: with a few milliseconds for a move, a processor
        that is shared with learning loses games on time, the opponent's as well as ours.
        """
        self._scribe.patience_s = _PATIENCE_S if in_a_hurry else 0.0

        def work() -> None:
            assert self.engine is not None  # `reopen` comes before every search
            self._scribe.is_searching.set()
            try:
                job(self.engine)
            finally:
                self._scribe.is_searching.clear()
                self._scribe.jobs.put(lambda: None)  # learning goes on

        self._searcher.jobs.put(work)

    def between_searches(self, job: Job) -> None:
        """Do this in the searching thread, after what it was asked for before."""
        self._searcher.jobs.put(job)

    def write(self, job: Job) -> None:
        """Do this in the writing thread."""
        self._scribe.jobs.put(job)

    def reopen(self, new_engine: Callable[[], Engine], new_learner: Callable[[Engine], Learner]) -> None:
        """Replace the engine after what was asked for before this, and before what is asked for later."""

        def work() -> None:
            self._scribe.wait_for(self._close_engine)
            self.engine = engine = new_engine()

            def hand_over() -> None:
                self._scribe.learner = new_learner(engine)

            self._scribe.wait_for(hand_over)

        self._searcher.jobs.put(work)

    def learn(self, record: GameRecord) -> None:
        """Have a game learned; when this returns it is safe in a file, if the table is one."""
        learner = self._scribe.learner
        if learner is not None:
            learner.keep(record)

        def work() -> None:
            if self._scribe.learner is not learner and self._scribe.learner is not None:
                self._scribe.learner.keep(record)  # the table was changed meanwhile
            if self._scribe.learner is not None:
                self._scribe.learner.add(record)

        self._scribe.jobs.put(work)

    def wait(self) -> None:
        """Wait for the searching thread to have done all that it was asked for."""
        self._searcher.wait_for(lambda: None)

    def close(self) -> None:
        """Finish what is running, learn what can be learned in a moment, and close the engine."""
        give_up = time.monotonic() + _UNTIL_QUIT_S
        lost = time.monotonic() + _UNTIL_LOST_S
        self._searcher.end()

        def finish() -> None:
            self._scribe.learn(lambda: time.monotonic() > give_up)
            self._close_engine()

        self._scribe.jobs.put(finish)
        self._scribe.end(max(lost - time.monotonic(), 0.0))

    def _close_engine(self) -> None:
        self._scribe.learner = None
        if self.engine is not None:
            table = self.engine.table
            self.engine.close()
            if table is not None:
                table.close()
            self.engine = None
