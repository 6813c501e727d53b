"""Long questions at a terminal: Ctrl-C means "say what you have found"."""

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

import click

Answer = TypeVar("Answer")

# After so long on a terminal it is said that the engine thinks, and how to stop it.
_PATIENCE_S = 1.0


def warn(message: str) -> None:
    """What an engine reports, on stderr."""
    click.echo(f"heatmap-engine: {message}", err=True)


def now_or_on_ctrl_c(ask: Callable[[], Answer], stop: Callable[[], None]) -> Answer:
    """The answer; Ctrl-C calls `stop`, which makes it come with what was found so far.

    It is asked in a thread of its own: a signal's handler must not stop a search in the thread that searches.
    """
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask)
        while True:
            try:
                _say_if_it_takes_long(answer)
                return answer.result()
            except KeyboardInterrupt:
                stop()


def _say_if_it_takes_long(answer: Future[Any]) -> None:
    if sys.stderr.isatty() and not wait([answer], _PATIENCE_S).done:
        click.echo("thinking; Ctrl-C answers at once", err=True)
