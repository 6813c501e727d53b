"""Two ways to breed better rows of numbers: the cross-entropy method and a genetic algorithm.

A row is a candidate, such as a player's weights. Who breeds keeps some rows, makes a generation of
candidates from them, hears how many points each has made, and keeps what the next generation comes from. All
chances come from the random source that is handed in, so that a generation is the same whenever it is made.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]

METHODS = ("cem", "ga")

# A child's share of numbers that mutate.
_MUTATED = 0.2


class Breeding(Protocol):
    """How candidates come from what was kept of the last generation, and what is kept of this one.

    The first row kept is the result of the generation.
    """

    def candidates(self, kept: Doubles, noise: float, rng: np.random.Generator) -> Doubles:
        """A generation, a row for each candidate; `noise` is how far they may lie from what was kept."""
        ...

    def kept(self, candidates: Doubles, points: Doubles) -> Doubles:
        """What the generation leaves to the next one, from the points of each candidate."""
        ...


@dataclass(frozen=True, slots=True)
class CrossEntropy:
    """Candidates around a mean, which moves to the mean of the best of them.

    Without learned deviations it keeps the mean alone: where there are a hundred numbers, a few candidates do
    not tell which matter more. With them `noise` is added to what is learned (noisy cross-entropy), because
    deviations that only shrink settle on the first good place.
    """

    number: int
    survivors: int
    learns_deviations: bool = False

    def start(self, row: Doubles, deviation: float) -> Doubles:
        """What the first generation comes from."""
        return np.array([row, np.full(len(row), deviation)]) if self.learns_deviations else np.array([row])

    def candidates(self, kept: Doubles, noise: float, rng: np.random.Generator) -> Doubles:
        mean = kept[0]
        deviation = np.hypot(kept[1], noise) if self.learns_deviations else noise
        candidates: Doubles = mean + deviation * rng.standard_normal((self.number, len(mean)))
        return candidates

    def kept(self, candidates: Doubles, points: Doubles) -> Doubles:
        best = candidates[_order(points)[: self.survivors]]
        if self.learns_deviations:
            return np.array([best.mean(axis=0), best.std(axis=0)])
        mean: Doubles = best.mean(axis=0, keepdims=True)
        return mean


@dataclass(frozen=True, slots=True)
class Genetic:
    """Keeps the best, which play on beside their children: crossed number by number, and mutated."""

    number: int
    survivors: int

    def start(self, row: Doubles, _deviation: float) -> Doubles:
        """What the first generation comes from: mutants of this row."""
        return np.array([row])

    def candidates(self, kept: Doubles, noise: float, rng: np.random.Generator) -> Doubles:
        """The kept ones, then children of two of them; in the first generation mutants of the start."""
        children = [self._child(kept, noise, rng) for _ in range(self.number - len(kept))]
        return np.array([*kept, *children])

    def _child(self, kept: Doubles, noise: float, rng: np.random.Generator) -> Doubles:
        numbers = kept.shape[1]
        one, other = rng.integers(len(kept), size=2)
        child = np.where(rng.random(numbers) < 0.5, kept[one], kept[other])
        is_mutated = rng.random(numbers) < (_MUTATED if len(kept) > 1 else 1.0)
        mutant: Doubles = child + noise * is_mutated * rng.standard_normal(numbers)
        return mutant

    def kept(self, candidates: Doubles, points: Doubles) -> Doubles:
        return candidates[_order(points)[: self.survivors]]


def noise_at(generation: int, noise: float, decay: float) -> float:
    """The noise of a generation, counted from 1: `decay` is what each leaves of it to the next."""
    return noise * decay ** (generation - 1)


def _order(points: Doubles) -> npt.NDArray[np.intp]:
    """The candidates from the best to the worst; of two with equal points the earlier one first."""
    return np.argsort(-points, kind="stable")
