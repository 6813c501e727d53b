"""The values of patterns that make the results of games most likely, found by Newton's method.

A position is worth its score plus its patterns, and is expected to bring the points that winning_chances.py
says.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.classic.heat import WeightTable, score_all
from heatmap_engine.kernel.classic.patterns import PATTERN_COUNT, count_patterns
from heatmap_engine.winning_chances import HALF, SPREAD

Doubles = npt.NDArray[np.float64]

# How large a value is expected to be where games say nothing: of a piece on a square, of having more pieces.
_PIECE_ON_SQUARE, _MORE_OF_A_KIND = 4.0, 40.0
_FIRST_NUMBER = 6 * 64
# How much of a game a position is worth: neighbours share its result.
_INDEPENDENT = 0.3
_MOST_STEPS = 5
_SETTLED = 0.2
# No step goes further: where few games say much, the second derivative promises too much.
_LONGEST_STEP = 30.0
_NEARLY_SURE = 1e-4


@dataclass(frozen=True)
class Samples:
    """Positions with what was to be expected there: the points of White, from 0 to 1."""

    counts: npt.NDArray[np.int8]
    scores: Doubles
    expected: Doubles

    @classmethod
    def of(
        cls, positions: list[PackedPosition], expected: Sequence[float], heat_depth: int, weights: WeightTable
    ) -> "Samples":
        counts = np.zeros((len(positions), PATTERN_COUNT), dtype=np.int8)
        count_patterns(positions, counts)
        scores = np.zeros(len(positions))
        score_all(positions, heat_depth, weights, scores)
        return cls(counts, scores, np.array(expected, dtype=np.float64))


def fit(samples: Sequence[Samples], shares: Sequence[float], start: Doubles) -> Doubles:
    """The values of all patterns; `shares` say how much each lot of samples counts.

    Of a pattern that never occurs nothing is learned: it is worth nothing.
    """
    occurs = np.zeros(PATTERN_COUNT, dtype=np.bool_)
    for lot in samples:
        occurs |= np.any(lot.counts, axis=0)
    precision = _precision()[occurs]
    values: Doubles = start[occurs].copy()
    for _ in range(_MOST_STEPS):
        step: Doubles = _newton_step(samples, shares, occurs, precision, values)
        longest = float(np.max(np.abs(step), initial=0.0))
        values -= step * min(1.0, _LONGEST_STEP / max(longest, _SETTLED))
        if longest < _SETTLED:
            break
    found = np.zeros(PATTERN_COUNT)
    found[occurs] = values
    return found


def _newton_step(
    samples: Sequence[Samples],
    shares: Sequence[float],
    occurs: npt.NDArray[np.bool_],
    precision: Doubles,
    values: Doubles,
) -> Doubles:
    curvature = np.diag(precision)
    slope = precision * values
    for lot, share in zip(samples, shares, strict=True):
        rows = lot.counts[:, occurs].astype(np.float64)
        chance, change = _expected_points(lot.scores + rows @ values)
        certainty = share * _INDEPENDENT / (chance * (1 - chance))
        slope += rows.T @ (certainty * change * (chance - lot.expected))
        rows *= (change * np.sqrt(certainty))[:, None]
        curvature += rows.T @ rows
    return np.linalg.solve(curvature, slope).astype(np.float64)


def _expected_points(values: Doubles) -> tuple[Doubles, Doubles]:
    """What winning_chances.py expects, of many values, never quite 0 or 1; and how fast that changes."""
    win, not_lost = _logistic((values - HALF) / SPREAD), 1 - _logistic((-values - HALF) / SPREAD)
    change = (win * (1 - win) + not_lost * (1 - not_lost)) / (2 * SPREAD)
    return np.clip((win + not_lost) / 2, _NEARLY_SURE, 1 - _NEARLY_SURE), change


def _logistic(number: Doubles) -> Doubles:
    found: Doubles = 1 / (1 + np.exp(-np.clip(number, -30, 30)))
    return found


def _precision() -> Doubles:
    sizes = np.full(PATTERN_COUNT, _MORE_OF_A_KIND)
    sizes[:_FIRST_NUMBER] = _PIECE_ON_SQUARE
    return sizes**-2.0
