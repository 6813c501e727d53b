"""The cross-entropy method: candidates around a mean, which moves to the mean of the best of them."""

import numpy as np

from heatmap_engine.tuning.config import TuneConfig
from heatmap_engine.tuning.results_fit import Doubles


class CrossEntropy:
    """Keeps the mean alone: of a hundred directions a few candidates do not tell which matter more."""

    def __init__(self, config: TuneConfig) -> None:
        self._config = config

    def candidates(self, kept: Doubles, noise: float, rng: np.random.Generator) -> Doubles:
        mean = kept[0]
        candidates: Doubles = mean + noise * rng.standard_normal((self._config.candidates, len(mean)))
        return candidates

    def kept(self, candidates: Doubles, points: Doubles) -> Doubles:
        best = np.argsort(-points, kind="stable")[: self._config.survivors]
        mean: Doubles = candidates[best].mean(axis=0, keepdims=True)
        return mean
