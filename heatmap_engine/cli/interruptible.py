"""Long questions at a terminal: Ctrl-C means "say what you have found"."""

import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from types import FrameType
from typing import TypeVar

import click

from heatmap_engine.start import STOPPED

Answer = TypeVar("Answer")

# After so long on a terminal it is said that the engine thinks, and how to stop it.
_PATIENCE_S = 1.0
# How soon a Ctrl-C is heard.
_POLL_S = 0.02
# Whoever presses it again after so long has not been heard: a search ends within some milliseconds.
_DEAF_S = 1.0


def warn(message: str) -> None:
    """What an engine reports, on stderr."""
    click.echo(f"heatmap-engine: {message}", err=True)


def now_or_on_ctrl_c(
    ask: Callable[[], Answer], stop: Callable[[], None], *, shows_progress: bool = False
) -> Answer:
    """The answer; Ctrl-C calls `stop`, which makes it come with what was found so far.

    A terminal is told after a moment that it may be pressed, unless what is asked shows its own progress.

    It is asked in a thread of its own: a signal's handler must not stop a search in the thread that searches.
    The handler is there before the thread is, and only takes a note: a KeyboardInterrupt between the two
    would leave the block, and wait for the whole answer.
    """
    presses: list[float] = []

    def press(_number: int, _frame: FrameType | None) -> None:
        presses.append(time.monotonic())
        if presses[-1] - presses[0] > _DEAF_S:
            # What does not hear waits in the system, as for the other end of a pipe: nothing else ends that.
            os.write(2, b"\nstopped\n")
            os._exit(STOPPED)

    previous = signal.signal(signal.SIGINT, press)
    try:
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(ask)
            begin = time.monotonic()
            is_told = shows_progress or not sys.stderr.isatty()
            while not wait([answer], _POLL_S).done:
                if presses:  # again and again: an engine that has not begun to search forgets it
                    stop()
                if not is_told and time.monotonic() - begin > _PATIENCE_S:
                    is_told = True
                    click.echo("thinking; Ctrl-C answers at once", err=True)
            return answer.result()
    finally:
        signal.signal(signal.SIGINT, previous)
