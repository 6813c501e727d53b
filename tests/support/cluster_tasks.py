"""What workers of a cluster do in tests; a module of its own, because their processes must find it."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from worker_tasks import DiesOn, double, refuse_three

from heatmap_engine.memory.views import EntrySource, ValueSource


def doubling(_: ValueSource) -> Callable[[int], int]:
    return double


def refusing_three(_: ValueSource) -> Callable[[int], int]:
    return refuse_three


class Dying:
    """Makes workers that are killed at some numbers; see DiesOn."""

    def __init__(self, folder: Path, deadly: set[int], *, always: bool) -> None:
        self.work = DiesOn(folder, deadly, always=always)

    def __call__(self, _: ValueSource) -> DiesOn:
        return self.work


class Reading:
    """Says what the table knows of a key, and in which process that was."""

    def __init__(self, table: ValueSource) -> None:
        self.table = table

    def __call__(self, key: str) -> tuple[float | None, int]:
        return self.table.values([key]).get(key), os.getpid()


class ReadingNotes:
    """Says what a note of the table is."""

    def __init__(self, table: EntrySource) -> None:
        self.table = table

    def __call__(self, name: str) -> str | None:
        return self.table.note(name)


class Waiting:
    """Leaves word in a folder that a task was begun, in which process, and waits until it may end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, _: ValueSource) -> Callable[[int], int]:
        return self.wait

    def wait(self, number: int) -> int:
        begun = self.folder / f"{number}-{os.getpid()}"
        begun.touch()
        while not (self.folder / "go").exists() and begun.exists():
            time.sleep(0.01)
        return os.getpid()
