"""What worker processes do in tests; a module of its own, because a process that is spawned must find it."""

import os
import signal
import time
from pathlib import Path


def double(number: int) -> int:
    return 2 * number


def refuse_three(number: int) -> int:
    if number == 3:
        raise ValueError("expected anything but 3")
    return number


class DiesOn:
    """Doubles numbers, but is killed at those in `deadly`: each time, or only once."""

    def __init__(self, folder: Path, deadly: set[int], *, always: bool) -> None:
        self.folder = folder
        self.deadly = deadly
        self.always = always

    def __call__(self, number: int) -> int:
        died = self.folder / str(number)
        if number in self.deadly and (self.always or not died.exists()):
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return 2 * number


class Sleeps:
    """Leaves word that it has begun, and is not done for an hour."""

    def __init__(self, begun: Path) -> None:
        self.begun = begun

    def __call__(self, _: int) -> None:
        self.begun.touch()
        time.sleep(3600)
