"""How one thread ends what another one does."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stop:
    """Ends one search, from any thread, even if it is set before the search begins.

    A stop that is set stays set, so each search needs its own.
    """

    def __init__(self) -> None:
        # Reentrant, because a signal's handler may set it in a thread that has just taken the lock.
        self._lock = threading.RLock()
        self._is_set = False
        self._ends: list[Callable[[], None]] = []

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        with self._lock:
            self._is_set = True
            for end in self._ends:
                end()

    @contextmanager
    def calls(self, end: Callable[[], None]) -> Iterator[None]:
        """While this is open, `set` calls `end`; at once if it was set before, and never after it is closed.

        The lock is what makes sure of "never": without it a thread on its way to `end` would get there when
        the next search has begun.
        """
        with self._lock:
            self._ends.append(end)
            if self._is_set:
                end()
        try:
            yield
        finally:
            with self._lock:
                self._ends.remove(end)


class Stopped(Exception):
    """Raised by the caller's `keep_going` to give up a search."""
