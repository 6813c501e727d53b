"""The sequential probability ratio test: play until one of two hypotheses is much likelier than the other.

Both are about logistic Elo: H0 says that the first side is `elo0` stronger, H1 that it is `elo1` stronger.
Each leaves open how often pairs come to which score, so each takes the likeliest distribution with its mean:
the *generalised* test on pentanomial counts. docs/guide/6-match.md derives it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.match.strength import PAIR_SCORES, Pentanomial, score_of

# What stands for a score that no pair has come to: without it an early run of equal pairs would exclude a
# hypothesis for ever. So little changes nothing once every score has been seen.
_UNSEEN = 1e-3

# Halvings of an interval of length less than 5 for any mean that a match can have: far below rounding.
_HALVINGS = 100

_MOST_ELO = 1000.0


@dataclass(frozen=True, slots=True)
class Sprt:
    """The test's two hypotheses and how often it may be wrong about each."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How often H1 is accepted although H0 is true."""
    beta: float = 0.05
    """How often H0 is accepted although H1 is true."""

    def __post_init__(self) -> None:
        if not -_MOST_ELO <= self.elo0 < self.elo1 <= _MOST_ELO:
            raise InvalidSettings(
                f"expected SPRT bounds ELO0 < ELO1 from {-_MOST_ELO:g} to {_MOST_ELO:g}, "
                f"got {self.elo0:g} and {self.elo1:g}"
            )
        for name in ("alpha", "beta"):
            if not 0.0 < getattr(self, name) < 0.5:
                raise InvalidSettings(f"expected {name} between 0 and 0.5, got {getattr(self, name):g}")

    @property
    def lower(self) -> float:
        """H0 is accepted when the log-likelihood ratio is so low."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted when the log-likelihood ratio is so high."""
        return math.log((1.0 - self.beta) / self.alpha)

    def llr(self, pairs: Pentanomial) -> float:
        """How much likelier H1 makes these pairs than H0, as a natural logarithm; 0 before the first pair."""
        if not pairs.pairs:
            return 0.0
        weights = [count or _UNSEEN for count in pairs.counts]
        likelihoods = (_log_likelihood(weights, score_of(elo)) for elo in (self.elo0, self.elo1))
        under_h0, under_h1 = likelihoods
        return under_h1 - under_h0

    def accepts(self, pairs: Pentanomial) -> str | None:
        """ "H0" or "H1" as soon as it is accepted, None while the test goes on."""
        llr = self.llr(pairs)
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None


def _log_likelihood(weights: Sequence[float], mean: float) -> float:
    """The log-likelihood of these counts under the likeliest distribution with this mean.

    Up to a term without `mean`. By Lagrange's method that distribution is p_i = f_i / (1 + t (a_i - mean)),
    with the frequencies f_i, the scores a_i, and the one t that gives it this mean.
    """
    deviations = [score - mean for score in PAIR_SCORES]
    multiplier = _multiplier(weights, deviations)
    return -sum(
        weight * math.log1p(multiplier * deviation)
        for weight, deviation in zip(weights, deviations, strict=True)
    )


def _multiplier(weights: Sequence[float], deviations: Sequence[float]) -> float:
    """The t at which sum f_i d_i / (1 + t d_i) is zero; the sum falls all the way between the two poles."""
    low, high = -1.0 / deviations[-1], -1.0 / deviations[0]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        excess = sum(
            weight * deviation / (1.0 + middle * deviation)
            for weight, deviation in zip(weights, deviations, strict=True)
        )
        low, high = (middle, high) if excess > 0 else (low, middle)
    return (low + high) / 2
