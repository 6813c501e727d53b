"""Small runs of tuning: games of some milliseconds, and the weights that come of them."""

from pathlib import Path
from typing import Any

from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.tuning.config import TuneConfig
from heatmap_engine.tuning.folder import TuneFolder
from heatmap_engine.tuning.pool import tuning_pool
from heatmap_engine.tuning.running import TuneRun
from heatmap_engine.tuning.session import TuneSession
from heatmap_engine.tuning.starts import starting_weights

QUICK = {
    "nodes": 100,
    "rounds": 1,
    "games": 30,
    "candidates": 8,
    "pairs": 3,
    "iterations": 2,
    "match_games": 0,
    "lone": 0,
    "seed": 5,
}


def created(path: Path, method: str, **changes: Any) -> TuneFolder:
    """The folder of a run from zeros that has not begun."""
    settings = {"start": "zeros", **QUICK, **changes}
    config = TuneConfig(method=method, **settings)
    return TuneFolder.create(path, config, starting_weights(config.start))


def go_on(folder: TuneFolder, workers: int = 1, **hearers: Any) -> TuneRun:
    """The run, played on in this process or with others beside it."""
    with folder.locked():
        run = TuneRun(folder)
        run.go_on(TuneSession(tuning_pool(workers), **hearers))
    return run


def played(path: Path, method: str, **changes: Any) -> TuneFolder:
    """The folder of a run that is over."""
    folder = created(path, method, **changes)
    assert go_on(folder).is_finished
    return folder


def values(weights: DeepWeights) -> tuple[object, ...]:
    """What plays: without the provenance, where seconds are."""
    return dict(weights.values), weights.worth, weights.search, weights.net and weights.net.as_json()
