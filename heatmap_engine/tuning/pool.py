"""The pools of self-play, for work that knows all it needs from its tasks and asks no table."""

from collections.abc import Callable

from heatmap_engine.deep.settings import DeepSettings
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.learning.pools import pool_for
from heatmap_engine.memory.tables import table_settings
from heatmap_engine.tuning.session import TunePool
from heatmap_engine.tuning.tasks import Work
from heatmap_engine.workers.local import SameProcess
from heatmap_engine.workers.processes import Workers
from qtable import QTable


def tuning_pool(
    workers: int | None = None,
    cluster: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> TunePool:
    """So many workers, on the cluster at that address if one is given; `pool_for` says the rest."""
    if cluster is None:
        return SameProcess(Work()) if workers in (None, 1) else Workers(Work(), workers)
    settings = DeepSettings(learned_weights())  # which nobody plays with
    nothing = QTable.in_memory(settings=table_settings(settings))  # the nodes get copies of it
    return pool_for(_work, nothing, settings, workers, cluster, report)


def _work(_table: object) -> Work:
    return Work()
