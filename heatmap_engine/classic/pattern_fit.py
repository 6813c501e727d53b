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
from heatmap_engine.kernel.classic.patterns import FAMILIES, PATTERN_COUNT, count_patterns
from heatmap_engine.winning_chances import HALF, SPREAD

Doubles = npt.NDArray[np.float64]

# How large a value is expected to be where games say nothing, by the family of the pattern.
_SIZES = {
    "squares": 4.0,
    "numbers": 40.0,
    "the move": 10.0,
    "takes": 10.0,
    "attacks": 10.0,
    "passed": 10.0,
    "blocked": 10.0,
    "unstoppable": 20.0,
    "together": 4.0,
    "from their king": 3.0,
    "from own king": 3.0,
    "late squares": 4.0,
    "loose": 4.0,
    "reach": 1.0,
    "pressure": 2.0,
}
# How much of a game a position is worth: neighbours share its result.
_INDEPENDENT = 0.3
_MOST_STEPS = 12
_SETTLED = 0.1
# No step goes further: where few games say much, the second derivative promises too much.
_LONGEST_STEP = 30.0
_SHORTEST_SHARE = 1 / 16
_NEARLY_SURE = 1e-4
# The second derivative needs no more positions than these, and most of the time is spent on it.
_CURVING_POSITIONS = 40_000
_POSITIONS_AT_ONCE = 4096


@dataclass(frozen=True)
class Samples:
    """Positions with what was to be expected there: the points of White, from 0 to 1.

    What a position has of patterns stands in one list after the other: a tenth of the numbers of a table with
    a column for each pattern.
    """

    patterns: npt.NDArray[np.uint16]
    times: npt.NDArray[np.int16]
    ends: npt.NDArray[np.int64]
    """Where in the list the patterns of each position end."""
    scores: Doubles
    expected: Doubles
    draws: npt.NDArray[np.uint32]
    """A number of each position, by which some are chosen: the same ones in whatever order they come."""

    @classmethod
    def of(
        cls,
        positions: list[PackedPosition],
        expected: Sequence[float],
        heat_depth: int,
        weights: WeightTable,
        draws: Sequence[int] | None = None,
    ) -> "Samples":
        """The samples of these positions; without `draws` their places are their numbers."""
        counts = np.zeros((len(positions), PATTERN_COUNT), dtype=np.int16)
        count_patterns(positions, counts)
        scores = np.zeros(len(positions))
        score_all(positions, heat_depth, weights, scores)
        rows, patterns = np.nonzero(counts)
        ends = np.searchsorted(rows, np.arange(len(positions)), side="right")
        return cls(
            patterns.astype(np.uint16),
            counts[rows, patterns],
            ends.astype(np.int64),
            scores,
            np.array(expected, dtype=np.float64),
            np.array(range(len(positions)) if draws is None else draws, dtype=np.uint32),
        )

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """Of each number in the list, which position it belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.ends, prepend=0))

    def every(self, step: int) -> "Samples":
        """About one position in so many."""
        if step == 1:
            return self
        kept = np.flatnonzero(self.draws % step == 0)
        lengths = np.diff(self.ends, prepend=0)
        listed = np.isin(self.rows, kept)
        return Samples(
            self.patterns[listed],
            self.times[listed],
            np.cumsum(lengths[kept]),
            self.scores[kept],
            self.expected[kept],
            self.draws[kept] // step,
        )

    def values(self, values: Doubles) -> Doubles:
        """What the positions are worth with these values of the patterns."""
        worth = values[self.patterns] * self.times
        return self.scores + np.bincount(self.rows, weights=worth, minlength=len(self))

    def spread(self, of_positions: Doubles) -> Doubles:
        """For each pattern the sum of what is given of positions, as often as they have it."""
        each = of_positions[self.rows] * self.times
        return np.bincount(self.patterns, weights=each, minlength=PATTERN_COUNT).astype(np.float64)

    def dense(self, first: int, last: int, columns: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """What these positions have of the patterns, each in its column."""
        begin, end = (0 if not place else int(self.ends[place - 1]) for place in (first, last))
        found = np.zeros((last - first, int(columns.max()) + 1), dtype=np.float32)
        lengths = np.diff(self.ends[first:last], prepend=begin)
        rows = np.repeat(np.arange(last - first), lengths)
        found[rows, columns[self.patterns[begin:end]]] = self.times[begin:end]
        return found


def fit(samples: Sequence[Samples], shares: Sequence[float], start: Doubles) -> Doubles:
    """The values of all patterns; `shares` say how much each lot of samples counts.

    Of a pattern that never occurs nothing is learned: it is worth nothing.
    """
    occurs = np.zeros(PATTERN_COUNT, dtype=np.bool_)
    for lot in samples:
        occurs[lot.patterns] = True
    precision = _precision()
    values = np.where(occurs, start, 0.0)
    curvature = _curvature(samples, shares, occurs, precision, values)
    loss, slope = _loss_and_slope(samples, shares, precision, values)
    share = 1.0
    for _ in range(_MOST_STEPS):
        step = np.zeros(PATTERN_COUNT)
        step[occurs] = np.linalg.solve(curvature, slope[occurs])
        longest = float(np.max(np.abs(step), initial=0.0))
        if longest < _SETTLED:
            break
        tried = values - share * min(1.0, _LONGEST_STEP / longest) * step
        new_loss, new_slope = _loss_and_slope(samples, shares, precision, tried)
        if new_loss > loss:
            share /= 2
            if share < _SHORTEST_SHARE:
                break
        else:
            values, loss, slope = tried, new_loss, new_slope
            if longest > _LONGEST_STEP / 2:
                curvature = _curvature(samples, shares, occurs, precision, values)
    return values


def _loss_and_slope(
    samples: Sequence[Samples], shares: Sequence[float], precision: Doubles, values: Doubles
) -> tuple[float, Doubles]:
    loss, slope = float(precision @ values**2) / 2, precision * values
    for lot, share in zip(samples, shares, strict=True):
        chance, change = _expected_points(lot.values(values))
        surprise = lot.expected * np.log(chance) + (1 - lot.expected) * np.log(1 - chance)
        loss -= share * _INDEPENDENT * float(surprise.sum())
        certainty = share * _INDEPENDENT / (chance * (1 - chance))
        slope = slope + lot.spread(certainty * change * (chance - lot.expected))
    return loss, slope


def _curvature(
    samples: Sequence[Samples],
    shares: Sequence[float],
    occurs: npt.NDArray[np.bool_],
    precision: Doubles,
    values: Doubles,
) -> Doubles:
    """The second derivative, from some of the positions."""
    columns = np.cumsum(occurs) - 1
    found = np.zeros((int(occurs.sum()),) * 2)
    step = -(-sum(map(len, samples)) // _CURVING_POSITIONS)
    for lot, share in zip(samples, shares, strict=True):
        part = lot.every(step)
        chance, change = _expected_points(part.values(values))
        size = change * np.sqrt(share * step * _INDEPENDENT / (chance * (1 - chance)))
        for first in range(0, len(part), _POSITIONS_AT_ONCE):
            last = min(first + _POSITIONS_AT_ONCE, len(part))
            rows = part.dense(first, last, columns) * size[first:last, None].astype(np.float32)
            found[: rows.shape[1], : rows.shape[1]] += rows.T @ rows
    return found + np.diag(precision[occurs])


def _expected_points(values: Doubles) -> tuple[Doubles, Doubles]:
    """What winning_chances.py expects, of many values, never quite 0 or 1; and how fast that changes."""
    win, not_lost = _logistic((values - HALF) / SPREAD), 1 - _logistic((-values - HALF) / SPREAD)
    change = (win * (1 - win) + not_lost * (1 - not_lost)) / (2 * SPREAD)
    return np.clip((win + not_lost) / 2, _NEARLY_SURE, 1 - _NEARLY_SURE), change


def _logistic(number: Doubles) -> Doubles:
    found: Doubles = 1 / (1 + np.exp(-np.clip(number, -30, 30)))
    return found


def _precision() -> Doubles:
    sizes = np.zeros(PATTERN_COUNT)
    for family, first in FAMILIES.items():  # the next one writes over what is not its own
        sizes[first:] = _SIZES[family]
    return sizes**-2.0
