"""A long task on the command line: a progress bar on a terminal, and Ctrl-C at clean points only."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

import click

from games.chess.errors import GamesError
from heatmap_engine.errors import HeatmapError
from heatmap_engine.start import STOPPED
from qtable.errors import TableError

Progress = Callable[[int, int], None]
# The answer to the first Ctrl-C: games that look deep take minutes, in which nothing else would change.
_STOPPING = "stopping when the running games are over; Ctrl-C again stops at once"

Draw = Callable[[int, int | None], None]


@contextmanager
def long_task(description: str, unit: str, when_stopped: str) -> Iterator[Progress]:
    """Gives the callback that a long task reports to: how much is done, of how much.

    Ctrl-C takes effect when the task next reports, never inside a commit, so that `when_stopped`, which is
    then shown, is true. A task that reports no more is finished and ends as if nothing had been pressed.
    """
    is_asked_to_stop = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_asked_to_stop
        is_asked_to_stop = True

    previous = signal.signal(signal.SIGINT, ask)
    try:
        with progress_bar(description, unit) as draw:

            def report(done: int, total: int) -> None:
                if is_asked_to_stop:
                    raise KeyboardInterrupt
                draw(done, total)

            yield report
    except KeyboardInterrupt:
        click.echo(f"stopped: {when_stopped}", err=True)
        sys.exit(STOPPED)
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def stoppable(how_to_go_on: str = "") -> Iterator[Callable[[], bool]]:
    """Gives the question whether Ctrl-C was pressed; pressed again, it ends the command at once.

    After a stop Ctrl-C means nothing any more: the command is about to end, and one press too many would
    take away what it has to say and its exit code.
    """
    is_asked_to_stop = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_asked_to_stop
        if is_asked_to_stop:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            raise KeyboardInterrupt
        is_asked_to_stop = True

    previous = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: is_asked_to_stop
    except KeyboardInterrupt:
        click.echo("stopped at once: what was recorded before is kept", err=True)
        if how_to_go_on:
            click.echo(how_to_go_on, err=True)
        sys.exit(STOPPED)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN if is_asked_to_stop else previous)


@contextmanager
def advised(how_to_go_on: str) -> Iterator[None]:
    """An error that ends the block, as of a full disk, also says that no game is lost and how to go on."""
    try:
        yield
    except (HeatmapError, OSError, GamesError, TableError) as error:
        raise HeatmapError(f"{error}; all finished games are kept: {how_to_go_on}") from error


def all_cores() -> int:
    """Those that this process may use; where the system does not tell, those that there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def bar_over_figures(
    fraction: Callable[[], float], figures: Callable[[], Iterable[str]], should_stop: Callable[[], bool]
) -> Iterator[None]:
    """Draws a bar with lines under it, and that Ctrl-C was heard; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    # Imported here: a command whose output is piped need not wait for it.
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    def drawn() -> Group:
        bar = Table.grid(expand=True)  # a bar does not end its line by itself
        bar.add_row(ProgressBar(total=1.0, completed=fraction()))
        lines = [*figures(), *([_STOPPING] if should_stop() else [])]
        # The last line must not be as wide as the terminal: the "^C" that a terminal shows would begin
        # another one, and the drawing that it pushed up would be left behind.
        return Group(bar, Text("\n".join(lines)))

    with Live(get_renderable=drawn, console=Console(stderr=True), refresh_per_second=2, transient=True):
        yield


@contextmanager
def progress_bar(description: str, unit: str) -> Iterator[Draw]:
    """Draws how much is done, of how much if that is known; nothing at all where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    # Imported here: a command whose output is piped need not wait for it.
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(description, total=None, count="", rate="")

        def draw(done: int, total: int | None) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:,.{0 if speed >= 10 else 1}f} {unit}/s" if speed else ""
            count = f"{done:,} {unit}" if total is None else f"{done:,} of {total:,} {unit}"
            bar.update(task, completed=done, total=total, count=count, rate=rate)

        yield draw
