"""How a match is shown: figures under a bar on a terminal, lines on a pipe, JSON for machines."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from heatmap_engine.cli.long_task import bar_over_figures
from heatmap_engine.match.plan import MatchPlan
from heatmap_engine.match.standing import MatchStanding
from heatmap_engine.match.strength import Strength

WhenDone = Callable[[MatchStanding], None]


@contextmanager
def followed(
    plan: MatchPlan, every: int | None, as_json: bool, should_stop: Callable[[], bool]
) -> Iterator[WhenDone]:
    """Gives what shall hear of the standing after each game; writes a line after `every` so many games."""
    begin = time.monotonic()
    games = 0
    fraction = 0.0
    # Made when a game is over and not when they are drawn: that is another thread's, and a standing grows.
    shown = [f"{plan.first.name} against {plan.second.name}: playing the first game"]

    def when_done(standing: MatchStanding) -> None:
        nonlocal games, fraction, shown
        games += 1
        speed = games * 60.0 / max(time.monotonic() - begin, 1e-9)
        fraction = standing.games / plan.games
        shown = [
            f"{standing.games:,} of {plan.games:,} games, {_speed(speed)}",
            *described(plan, standing),
        ]
        if every is not None and games % every == 0 and (as_json or not sys.stdout.isatty()):
            figures = {**standing.as_json(), "games_per_minute": round(speed, 2)}
            click.echo(json.dumps(figures) if as_json else f"{line(plan, standing)}, {_speed(speed)}")
            sys.stdout.flush()

    with bar_over_figures(lambda: fraction, lambda: shown, should_stop):
        yield when_done


def _speed(games_per_minute: float) -> str:
    return f"{games_per_minute:,.1f} games/min"


def line(plan: MatchPlan, standing: MatchStanding) -> str:
    """The standing in one line."""
    test = "" if plan.sprt is None else f", LLR {standing.llr:+.2f}"
    return (
        f"{standing.games:,} games: +{standing.wins:,} ={standing.draws:,} -{standing.losses:,}, "
        f"{elo_text(standing.strength)}{test}"
    )


def described(plan: MatchPlan, standing: MatchStanding) -> Iterator[str]:
    """The standing in some lines."""
    points = standing.wins + standing.draws / 2
    share = f" ({points / standing.games:.1%})" if standing.games else ""
    yield (
        f"{plan.first.name} against {plan.second.name}: {points:g} of {standing.games:,}{share}, "
        f"won {standing.wins:,}, drawn {standing.draws:,}, lost {standing.losses:,}"
    )
    strength, pairs = standing.strength, standing.pentanomial
    yield elo_text(strength)
    yield f"likelihood of superiority {'not defined' if strength.los is None else f'{strength.los:.1%}'}"
    counts = " ".join(f"{count:,}" for count in pairs.counts)
    yield f"pairs that scored 0, 1/2, 1, 1 1/2, 2: {counts}"
    if plan.sprt is not None and standing.llr is not None:
        yield (
            f"SPRT of Elo {plan.sprt.elo0:g} against {plan.sprt.elo1:g}: LLR {standing.llr:+.2f} "
            f"({plan.sprt.lower:+.2f} to {plan.sprt.upper:+.2f}){_verdict(plan, standing)}"
        )
    yield (
        f"{standing.distinct:,} of {standing.games:,} games are distinct, "
        f"{standing.repetitions:,} ended by repetition"
    )


def _verdict(plan: MatchPlan, standing: MatchStanding) -> str:
    verdict, sprt = standing.verdict, plan.sprt
    if verdict is None or sprt is None:
        return ""
    elo = sprt.elo1 if verdict.accepts == "H1" else sprt.elo0
    return f": {verdict.accepts} (Elo {elo:g}) was accepted after {verdict.pairs:,} pairs"


def elo_text(strength: Strength) -> str:
    """ "Elo +23.7, 95 % interval -13.5 to +61.5"; what the games do not define is said to be so."""
    elo = "not defined" if strength.elo is None else f"{strength.elo:+.1f}"
    return f"Elo {elo}, 95 % interval {interval_text(strength)}"


def interval_text(strength: Strength) -> str:
    """The interval as "-13.5 to +61.5", or as "+104, no upper bound"."""
    low, high = strength.elo_low, strength.elo_high
    if low is None and high is None:
        return "not defined"
    if high is None:
        return f"{low:+.0f}, no upper bound"
    if low is None:
        return f"no lower bound, {high:+.0f}"
    return f"{low:+.1f} to {high:+.1f}"
