"""How a run of self-play is shown as it goes on: a bar on a terminal, lines on a pipe, JSON for machines."""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import click

from heatmap_engine.cli.run_words import lines_of_summary
from heatmap_engine.learning.runs.measurement import Measurement
from heatmap_engine.learning.runs.running import Run
from heatmap_engine.learning.runs.summary import Summary

WhenRecorded = Callable[[Measurement], None]

# The learning signal that is shown is the mean of so many last games.
_RECENT_GAMES = 50
_SECONDS_AN_HOUR = 3600.0


class _Session:
    """What this process has seen of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._begin = time.monotonic()
        self._recent: deque[Measurement] = deque(maxlen=_RECENT_GAMES)
        self.games = 0

    def add(self, game: Measurement) -> None:
        self.games += 1
        self._recent.append(game)

    @property
    def games_per_hour(self) -> float:
        return self.games * _SECONDS_AN_HOUR / max(time.monotonic() - self._begin, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        config = self._run.config
        if config.hours is not None:
            return max(0.0, config.hours * _SECONDS_AN_HOUR - self._run.seconds)
        if not self.games or config.games is None:
            return None
        return (config.games - self._run.summary.games) * _SECONDS_AN_HOUR / self.games_per_hour

    def recent(self) -> Summary:
        return Summary.of(self._recent)

    @property
    def how_far(self) -> str:
        games = self._run.summary.games
        if self._run.config.games is not None:
            return f"{games:,} of {self._run.config.games:,} games"
        return f"{games:,} games"

    @property
    def speed(self) -> str:
        left = self.seconds_left
        rest = "" if left is None else f", {timedelta(seconds=round(left))} left"
        return f"{self.games_per_hour:,.0f} games/h{rest}"


@contextmanager
def followed(run: Run, every: int, as_json: bool) -> Iterator[WhenRecorded]:
    """Gives what shall hear of each game that was recorded."""
    session = _Session(run)
    listeners: list[WhenRecorded] = [session.add]
    if as_json:
        listeners.append(lambda game: click.echo(game.to_json()))
    elif not sys.stdout.isatty():
        listeners.append(_piped(run, session, every))
    with _bar(run, session) as draw:
        listeners.append(draw)

        def when_recorded(game: Measurement) -> None:
            for listener in listeners:
                listener(game)

        yield when_recorded


def _piped(run: Run, session: _Session, every: int) -> WhenRecorded:
    def write(_game: Measurement) -> None:
        if session.games % every == 0 or run.is_finished:
            details = ", ".join(lines_of_summary(run.summary, session.recent()))
            click.echo(f"{session.how_far}, {session.speed}, {details}")
            sys.stdout.flush()

    return write


@contextmanager
def _bar(run: Run, session: _Session) -> Iterator[WhenRecorded]:
    """A bar and the numbers under it; nothing at all where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda game: None
        return
    # Imported here: a command whose output is piped need not wait for it.
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    def drawn() -> Group:
        lines = [f"{session.how_far}, {session.speed}", *lines_of_summary(run.summary, session.recent())]
        return Group(ProgressBar(total=1.0, completed=run.fraction), Text("\n".join(lines)))

    with Live(get_renderable=drawn, console=Console(stderr=True), refresh_per_second=2, transient=True):
        yield lambda game: None
