"""How a long task tells its caller how far it is: a callback that hears of rows done and rows in all."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Progress = Callable[[int, int], None]

_Item = TypeVar("_Item")

_REPORT_EVERY = 1000


def counted(items: Iterable[_Item], total: int, progress: Progress | None) -> Iterator[_Item]:
    """The same items; `progress` hears of them as they pass."""
    done = 0
    for done, item in enumerate(items, 1):
        yield item
        if progress is not None and done % _REPORT_EVERY == 0:
            progress(done, max(total, done))
    if progress is not None:
        progress(done, max(total, done))


@contextmanager
def watched(
    connection: sqlite3.Connection, steps_per_row: float, rows: int, progress: Progress | None
) -> Iterator[None]:
    """Report on one long statement, of which only the number of SQLite's own steps is known.

    Without a callback it is still worth having: only a statement that calls back can be stopped by Ctrl-C.
    """
    steps = 0
    interval = 100_000

    def step() -> int:
        nonlocal steps
        steps += interval
        if progress is not None:
            progress(min(rows, int(steps / steps_per_row)), rows)
        return 0

    connection.set_progress_handler(step, interval)
    try:
        yield
        if progress is not None:
            progress(rows, rows)
    finally:
        connection.set_progress_handler(None, 0)
