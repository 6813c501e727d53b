"""The pools of self-play, for work that knows all it needs from its tasks and asks no table."""

from collections.abc import Callable

from heatmap_engine.learning.pools import pool_without_table
from heatmap_engine.tuning.session import TunePool
from heatmap_engine.tuning.tasks import Work


def tuning_pool(
    workers: int | None = None,
    cluster: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> TunePool:
    """So many workers, on the cluster at that address if one is given; `pool_for` says the rest."""
    return pool_without_table(Work(), workers, cluster, report)
