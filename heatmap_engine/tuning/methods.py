"""The methods by their names."""

from games.evolution import Breeding, CrossEntropy, Genetic
from heatmap_engine.tuning.config import SPSA, TuneConfig
from heatmap_engine.tuning.fitting import Fitting
from heatmap_engine.tuning.folder import TuneFolder
from heatmap_engine.tuning.matching import Matching
from heatmap_engine.tuning.method import Method
from heatmap_engine.tuning.perturbing import Perturbing


def method_of(folder: TuneFolder) -> Method:
    """The run's method, which reads in its folder what it has learned so far."""
    config = folder.config
    if config.is_fit:
        return Fitting(folder)
    if config.method == SPSA:
        return Perturbing(folder)
    return Matching(folder, breeding_of(config))


def breeding_of(config: TuneConfig) -> Breeding:
    """How `cem` or `ga` makes a round's candidates."""
    if config.method == "cem":
        return CrossEntropy(config.candidates, config.survivors)
    return Genetic(config.candidates, config.survivors)
