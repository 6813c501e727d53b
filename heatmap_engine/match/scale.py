"""A level on a scale of known opponents, from a match against each of them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.match.strength import Z_95, Pentanomial, score_of

_ELO_PER_UNIT = 400 / math.log(10)
_LOWEST, _HIGHEST = -10_000.0, 20_000.0
_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class FittedLevel:
    """Where a player stands, with its 95 % interval; None stands for what the games do not define."""

    elo: float | None
    elo_low: float | None = None
    elo_high: float | None = None


def level_of(matches: Sequence[tuple[float, Pentanomial]]) -> FittedLevel:
    """The likeliest level, given the level of each opponent and the pairs played against it.

    It is the level at which the expected points are those that were scored. The spread is counted over pairs,
    match by match; a match whose pairs all scored the same has the spread of games without draws.
    Where all was won or all was lost there is no likeliest level, and the interval has one end: the level at
    which one pair after the other goes that way in one case of forty.
    """
    played = [(level, pairs, pairs.score) for level, pairs in matches if pairs.score is not None]
    games = sum(pairs.pairs for _, pairs, _ in played)
    points = sum(pairs.pairs * score for _, pairs, score in played)
    if not games:
        raise InvalidSettings("expected a pair of games against one opponent at least, got none")
    if not 0 < points < games:
        return _one_sided([(level, pairs.pairs) for level, pairs, _ in played], won=points > 0)

    def surplus(elo: float) -> float:
        return sum(pairs.pairs * score_of(elo - level) for level, pairs, _ in played) - points

    elo = _root_of(surplus)
    slope = variance = 0.0
    for level, pairs, _ in played:
        expected = score_of(elo - level)
        of_a_game = expected * (1 - expected)
        slope += pairs.pairs * of_a_game / _ELO_PER_UNIT
        variance += pairs.pairs**2 * (pairs.standard_error or math.sqrt(of_a_game / 2 / pairs.pairs)) ** 2
    margin = Z_95 * math.sqrt(variance) / slope
    return FittedLevel(elo, elo - margin, elo + margin)


def _one_sided(played: Sequence[tuple[float, int]], *, won: bool) -> FittedLevel:
    """What is known after winning, or losing, every one of so many pairs against each of these levels.

    A pair is taken to be won whole as often as a game has points, which is too often: the end is a safe one.
    """

    def surplus(elo: float) -> float:
        chances = ((score_of(elo - level if won else level - elo), pairs) for level, pairs in played)
        doubt = sum(pairs * math.log(chance) for chance, pairs in chances) - math.log((1 - _SHARE) / 2)
        return doubt if won else -doubt

    end = _root_of(surplus)
    return FittedLevel(None, end if won else None, None if won else end)


def _root_of(rising: Callable[[float], float]) -> float:
    """Where a rising function of a level is zero."""
    low, high = _LOWEST, _HIGHEST
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return low
