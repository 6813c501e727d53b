"""The genetic algorithm: the best candidates go on, and their children are crossed and mutated."""

import numpy as np

from heatmap_engine.tuning.config import TuneConfig
from heatmap_engine.tuning.results_fit import Doubles

# A child's share of directions that mutate.
_MUTATED = 0.2


class Genetic:
    """Keeps the best, the best of all first; they play on beside their children."""

    def __init__(self, config: TuneConfig) -> None:
        self._config = config

    def candidates(self, kept: Doubles, noise: float, rng: np.random.Generator) -> Doubles:
        """The kept ones, then children of two of them; in the first round mutants of the start."""
        children = [self._child(kept, noise, rng) for _ in range(self._config.candidates - len(kept))]
        return np.array([*kept, *children])

    def _child(self, kept: Doubles, noise: float, rng: np.random.Generator) -> Doubles:
        directions = kept.shape[1]
        one, other = rng.integers(len(kept), size=2)
        child = np.where(rng.random(directions) < 0.5, kept[one], kept[other])
        is_mutated = rng.random(directions) < (_MUTATED if len(kept) > 1 else 1.0)
        mutant: Doubles = child + noise * is_mutated * rng.standard_normal(directions)
        return mutant

    def kept(self, candidates: Doubles, points: Doubles) -> Doubles:
        return candidates[np.argsort(-points, kind="stable")[: self._config.survivors]]
