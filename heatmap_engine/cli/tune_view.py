"""How a tuning run is shown: a bar while it goes on, a line for each checkpoint, at the end the curve."""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from itertools import pairwise
from typing import Any

import click

from heatmap_engine.cli.columns import aligned
from heatmap_engine.cli.long_task import bar_over_figures
from heatmap_engine.cli.match_view import interval_text
from heatmap_engine.cli.run_words import number
from heatmap_engine.match.strength import Strength
from heatmap_engine.tuning.config import SPSA
from heatmap_engine.tuning.folder import TuneFolder
from heatmap_engine.tuning.measurement import MatchResult, TuneMeasurement
from heatmap_engine.tuning.running import TuneRun
from heatmap_engine.tuning.session import Progress

_HEADINGS = ("round", "games", "CPU s", "loss", "fitted", "Elo to start", "95 %", "to last", "95 %")
_CURVE_COLUMNS = 50

Hearers = tuple[Callable[[Progress], None], Callable[[TuneMeasurement], None]]


class _Pace:
    """How far a run is, in games to learn from and of matches, and how long the others will take."""

    def __init__(self, run: TuneRun, clock: Callable[[], float]) -> None:
        self._run = run
        self._clock = clock
        self._begin = clock()
        self._first: int | None = None
        self._played = 0

    def hear(self, progress: Progress) -> None:
        played = self._run.games_before(progress)
        if played is None:
            return
        if self._first is None:  # told of after a game; those before it were played by another session
            self._first = max(0, played - 1)
        self._played = played

    @property
    def _all(self) -> int:
        rounds = map(self._run.games_in, range(1, self._run.config.rounds + 1))
        return sum(sum(games) for games in rounds if games)

    @property
    def fraction(self) -> float:
        return self._played / (self._all or 1)

    @property
    def left(self) -> str:
        """As a part of a line; nothing as long as nobody can say."""
        if self._first is None or self._played <= self._first:
            return ""
        seconds = (self._clock() - self._begin) / (self._played - self._first) * (self._all - self._played)
        return f", about {timedelta(seconds=round(seconds))} left" if seconds > 0 else ""


@contextmanager
def followed(
    run: TuneRun,
    as_json: bool,
    log: Callable[[str], None],
    should_stop: Callable[[], bool],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Hearers]:
    """Gives what shall hear of each finished task, and of each checkpoint that was measured."""
    now = Progress(len(run.measurements) + 1, "games")
    pace = _Pace(run, clock)
    begin, tasks = clock(), 0

    def when_done(progress: Progress) -> None:
        nonlocal now, tasks
        now, tasks = progress, tasks + 1
        pace.hear(progress)

    def when_measured(measurement: TuneMeasurement) -> None:
        line = f"{_line(measurement)}{pace.left}"
        log(line)
        if as_json:
            click.echo(measurement.to_json())
        elif not sys.stdout.isatty():
            click.echo(line)
        sys.stdout.flush()

    def figures() -> Iterator[str]:
        count = f"{now.done:,}" if now.of is None else f"{now.done:,} of {now.of:,}"
        speed = tasks * 60 / max(clock() - begin, 1e-9)
        yield f"round {now.round} of {run.config.rounds}: {now.doing}, {count} ({speed:,.0f}/min){pace.left}"
        yield from map(_line, run.measurements[-1:])

    with bar_over_figures(lambda: pace.fraction, figures, should_stop):
        yield when_done, when_measured


def _line(measurement: TuneMeasurement) -> str:
    """A checkpoint in one line."""
    loss = "" if measurement.loss is None else f", loss {measurement.loss_before} to {measurement.loss}"
    return (
        f"round {measurement.round}: {measurement.games:,} games, {measurement.cpu_seconds:,.0f} CPU s{loss}"
        f"{_strength(measurement.against_start, 'start')}{_strength(measurement.against_last, 'last')}"
    )


def _strength(result: MatchResult | None, opponent: str) -> str:
    """What a match came to, as a part of a line; nothing where none was played."""
    if result is None:
        return ""
    elo, interval = _elo_and_interval(result)
    if result.strength.elo is None:
        return f", {elo} games against {opponent}"
    return f", Elo to {opponent} {elo} {interval}".rstrip()


def _elo_and_interval(result: MatchResult | None) -> tuple[str, str]:
    """For two cells. Who won or lost everything is stronger by no finite Elo: then it is said so."""
    if result is None:
        return "-", ""
    strength = result.strength
    if strength.elo is None:
        return f"{'won' if result.pentanomial.score else 'lost'} all {result.games:,}", ""
    # Pairs that all scored the same have no interval.
    return f"{strength.elo:+.0f}", "" if strength.los is None else f"({interval_text(strength)})"


def described(folder: TuneFolder, measurements: Sequence[TuneMeasurement]) -> Iterator[str]:
    """What a run has come to: a row for each checkpoint, and the curve."""
    config = folder.config
    nodes = f"{config.nodes:,} nodes a move"
    yield f"{folder.path}: {config.method} from {config.start}, {nodes}, seed {config.seed}"
    if not measurements:
        yield "  no checkpoint yet"
        return
    yield ""
    yield from aligned([_HEADINGS, *map(_row, measurements)])
    yield from _about_loss(measurements)
    yield from _curve([(m.games, m.against_start.strength) for m in measurements if m.against_start])
    if config.method == SPSA:
        yield from _about_constants(folder, measurements[-1].round)
    yield ""
    yield f"the last weights are in {folder.weights_path(measurements[-1].round)}"


def _about_loss(measurements: Sequence[TuneMeasurement]) -> Iterator[str]:
    """Why the loss may rise although the engine becomes stronger; nothing where it only falls."""
    losses = [measurement.loss for measurement in measurements if measurement.loss is not None]
    if any(later > earlier for earlier, later in pairwise(losses)):
        yield ""
        yield "Compare the loss within a row: how much the results of held-back games surprise, before"
        yield "and after the fit. Each row has other games, and those of better players are closer and harder"
        yield "to foretell. So the loss may rise from row to row while Elo rises."


def _about_constants(folder: TuneFolder, last: int) -> Iterator[str]:
    """What became of the constants of the search; those that are what they were are left out."""
    start, now = (folder.weights(number).search.values for number in (0, last))
    moved = [(name, f"{start[name]}", f"{value}") for name, value in now.items() if value != start[name]]
    yield ""
    if moved:
        yield from aligned([("constant", "start", "now"), *moved])
    yield f"{len(moved)} of {len(now)} constants of the search have changed"


def _row(measurement: TuneMeasurement) -> tuple[str, ...]:
    return (
        f"{measurement.round}",
        f"{measurement.games:,}",
        f"{measurement.cpu_seconds:,.0f}",
        number(measurement.loss_before, ".4f"),
        number(measurement.loss, ".4f"),
        *_elo_and_interval(measurement.against_start),
        *_elo_and_interval(measurement.against_last),
    )


def _curve(points: Sequence[tuple[int, Strength]]) -> Iterator[str]:
    """Elo to the start over the games, each with its interval; one that has no end goes on to the edge."""
    known = [(games, strength) for games, strength in points if strength.elo is not None]
    if not known:
        return
    ends = [end for _, s in known for end in (s.elo_low, s.elo, s.elo_high) if end is not None]
    least, most = min(0.0, *ends), max(0.0, *ends)
    scale = (_CURVE_COLUMNS - 1) / ((most - least) or 1.0)

    def column(elo: float | None, otherwise: float) -> int:
        return round(((otherwise if elo is None else elo) - least) * scale)

    yield ""
    yield f"Elo to the start over games, {least:+.0f} to {most:+.0f}; | is the start, - the 95 % interval"
    for games, strength in known:
        row = [" "] * _CURVE_COLUMNS
        left, right = column(strength.elo_low, least), column(strength.elo_high, most)
        row[left : right + 1] = "-" * (right + 1 - left)
        row[column(0.0, 0.0)] = "|"
        row[column(strength.elo, 0.0)] = "o"
        yield f"{games:>10,} {''.join(row)}".rstrip()


def write_report(folder: TuneFolder, *, as_json: bool) -> None:
    """Write what a run has come to so far, also while it is going on."""
    measurements = [*folder.measurements()]
    if as_json:
        click.echo(json.dumps(_as_json(folder, measurements)))
    else:
        click.echo("\n".join(described(folder, measurements)))


def _as_json(folder: TuneFolder, measurements: Sequence[TuneMeasurement]) -> dict[str, Any]:
    """The run as one object."""
    return {
        "run": str(folder.path),
        "config": asdict(folder.config),
        "checkpoints": [
            {**measurement.as_json(), "weights": str(folder.weights_path(measurement.round))}
            for measurement in measurements
        ],
    }
