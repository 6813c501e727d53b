"""From results to strength: Elo with its interval, and the likelihood of superiority.

The unit is the *pair*: one opening played twice with the colours swapped. An opening that favours White gives
one win to each side, so the two games of a pair are not independent, and an error that is counted over games
would be too large or too small. Over pairs, whose mean score is 0, 1/4, 1/2, 3/4 or 1, it is right.
docs/guide/6-match.md has the formulas.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Self

from heatmap_engine.errors import InvalidSettings

# What a pair can score for the first side, as the mean of its two games.
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)

_NORMAL = NormalDist()
# So many standard errors to each side hold 95 % of a normal distribution.
Z_95 = _NORMAL.inv_cdf(0.975)


def elo_of(score: float) -> float | None:
    """The difference in Elo at which this score is expected; None where no finite difference is."""
    if not 0.0 < score < 1.0:
        return None
    return 400.0 * math.log10(score / (1.0 - score)) + 0.0


def score_of(elo: float) -> float:
    """The score expected at a difference in Elo."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


@dataclass(frozen=True, slots=True)
class Pentanomial:
    """How many pairs came to each of the five scores, worst for the first side first."""

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.counts) != len(PAIR_SCORES) or any(count < 0 for count in self.counts):
            raise InvalidSettings(f"expected five counts of at least 0, got {self.counts!r}")

    def plus(self, points: float) -> Self:
        """These and one more pair, in which the first side has got so many of two points."""
        counts = list(self.counts)
        counts[round(2 * points)] += 1
        worst, bad, even, good, best = counts
        return type(self)((worst, bad, even, good, best))

    @property
    def pairs(self) -> int:
        return sum(self.counts)

    @property
    def score(self) -> float | None:
        """The first side's mean score a game, or None before the first pair."""
        if not self.pairs:
            return None
        return sum(count * score for count, score in self._items()) / self.pairs

    @property
    def standard_error(self) -> float | None:
        """The standard error of `score`, from the variance between pairs; None before the second pair."""
        mean = self.score
        if mean is None or self.pairs < 2:
            return None
        squares = sum(count * (score - mean) ** 2 for count, score in self._items())
        return math.sqrt(squares / (self.pairs - 1) / self.pairs)

    def _items(self) -> Iterable[tuple[int, float]]:
        return zip(self.counts, PAIR_SCORES, strict=True)


@dataclass(frozen=True, slots=True)
class Strength:
    """By how much the first side is stronger. None stands for what the games do not define.

    Pairs that all scored the same have no variance, so that no interval and no likelihood follows from them;
    a side that won or lost everything is stronger or weaker by no finite number.
    """

    elo: float | None
    elo_low: float | None
    """Where the 95 % interval begins; None if it has no lower end."""
    elo_high: float | None
    los: float | None
    """The likelihood of superiority: how likely the first side is the stronger one."""


def strength_of(pairs: Pentanomial) -> Strength:
    """What the pairs say about the first side."""
    score, error = pairs.score, pairs.standard_error
    elo = None if score is None else elo_of(score)
    if score is None or not error:
        return Strength(elo, None, None, None)
    low, high = elo_of(score - Z_95 * error), elo_of(score + Z_95 * error)
    return Strength(elo, low, high, _NORMAL.cdf((score - 0.5) / error))
