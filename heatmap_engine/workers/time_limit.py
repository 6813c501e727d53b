"""Waiting for others no longer than so many seconds, where what waits has no limit of its own."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def patient_for(seconds: float, give_up: Callable[[], None]) -> Iterator[None]:
    """Call `give_up`, in a thread of its own, if the block has not ended by then; it must end the block."""
    timer = threading.Timer(seconds, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
