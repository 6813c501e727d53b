"""The methods by their names."""

from heatmap_engine.tuning.cem import CrossEntropy
from heatmap_engine.tuning.fitting import Fitting
from heatmap_engine.tuning.folder import TuneFolder
from heatmap_engine.tuning.ga import Genetic
from heatmap_engine.tuning.matching import Matching
from heatmap_engine.tuning.method import Method


def method_of(folder: TuneFolder) -> Method:
    """The run's method, which reads in its folder what it has learned so far."""
    config = folder.config
    if config.is_fit:
        return Fitting(folder)
    return Matching(folder, CrossEntropy(config) if config.method == "cem" else Genetic(config))
