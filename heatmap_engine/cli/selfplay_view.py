"""How a run of self-play is shown as it goes on: a bar on a terminal, lines on a pipe, JSON for machines."""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import click

from heatmap_engine.cli.long_task import bar_over_figures
from heatmap_engine.cli.run_strength import Measuring
from heatmap_engine.cli.run_words import lines_of_summary
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.learning.runs.measurement import RunMeasurement
from heatmap_engine.learning.runs.running import Run
from heatmap_engine.learning.runs.summary import RunSummary

WhenRecorded = Callable[[RunMeasurement], None]

# The learning signal that is shown is the mean of so many last games.
_RECENT_GAMES = 50
_SECONDS_AN_HOUR = 3600.0


class _Session:
    """What this process has seen of a run."""

    def __init__(self, run: Run, measuring: Measuring) -> None:
        self._run = run
        self._measuring = measuring
        self._begin = time.monotonic()
        self._recent: deque[RunMeasurement] = deque(maxlen=_RECENT_GAMES)
        self.games = 0

    def add(self, game: RunMeasurement) -> None:
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

    def lines(self) -> Iterator[str]:
        """How far the run is and how fast, then what it has come to."""
        games, of_games = self._run.summary.games, self._run.config.games
        how_far = f"{games:,} games" if of_games is None else f"{games:,} of {of_games:,} games"
        left = "" if self.seconds_left is None else f", {timedelta(seconds=round(self.seconds_left))} left"
        yield f"{how_far}, {self.games_per_hour:,.0f} games/h{left}"
        # A copy, because the bar is drawn by another thread than games are added by.
        recent = RunSummary.of(tuple(self._recent))
        yield from lines_of_summary(self._run.summary, recent, mode_named(self._run.config.mode).unit)
        strength = self._measuring.line()
        if strength is not None:
            yield strength


@contextmanager
def followed(
    run: Run,
    measuring: Measuring,
    every: int,
    as_json: bool,
    log: Callable[[str], None],
    should_stop: Callable[[], bool],
) -> Iterator[WhenRecorded]:
    """Gives what shall hear of each game that was recorded."""
    session = _Session(run, measuring)
    is_piped = not sys.stdout.isatty()

    def when_recorded(game: RunMeasurement) -> None:
        session.add(game)
        if as_json:
            click.echo(game.to_json())
        if session.games % every == 0 or run.is_finished:
            line = ", ".join(session.lines())
            log(line)
            if is_piped and not as_json:
                click.echo(line)

    with bar_over_figures(lambda: run.fraction, session.lines, should_stop):
        yield when_recorded
