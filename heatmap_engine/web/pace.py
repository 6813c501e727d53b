"""How many messages a page may send: a few at once, and so many a second."""

import time
from collections.abc import Callable


class Pace:
    """A bucket of permissions that fills up steadily; who takes more than there are must wait."""

    def __init__(self, per_second: float, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._most, self._clock = per_second, float(at_once), clock
        self._left, self._at = float(at_once), clock()

    def wait_s(self) -> float:
        """Take one, and say how long to wait before it may be used."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._per_second) - 1.0
        self._at = now
        return max(0.0, -self._left / self._per_second)
