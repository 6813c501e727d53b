"""A level on a scale of known opponents, from a match against each of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.match.strength import Z_95, Pentanomial, score_of

_ELO_PER_UNIT = 400 / math.log(10)


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
    """
    played = [(level, pairs, pairs.score) for level, pairs in matches if pairs.score is not None]
    games = sum(pairs.pairs for _, pairs, _ in played)
    points = sum(pairs.pairs * score for _, pairs, score in played)
    if not games:
        raise InvalidSettings("expected a pair of games against one opponent at least, got none")
    if not 0 < points < games:
        return FittedLevel(None)

    def surplus(elo: float) -> float:
        return sum(pairs.pairs * score_of(elo - level) for level, pairs, _ in played) - points

    low, high = -10_000.0, 20_000.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if surplus(middle) > 0 else (middle, high)
    slope = variance = 0.0
    for level, pairs, _ in played:
        expected = score_of(low - level)
        of_a_game = expected * (1 - expected)
        slope += pairs.pairs * of_a_game / _ELO_PER_UNIT
        variance += pairs.pairs**2 * (pairs.standard_error or math.sqrt(of_a_game / 2 / pairs.pairs)) ** 2
    margin = Z_95 * math.sqrt(variance) / slope
    return FittedLevel(low, low - margin, low + margin)
