"""The pool that somebody asks for: on this machine or on a cluster."""

from collections.abc import Callable
from typing import TypeVar

from heatmap_engine.memory.tables import Settings
from heatmap_engine.workers.local import MakeWork, local_pool
from heatmap_engine.workers.pool import Pool
from qtable import QTable

Task = TypeVar("Task")
Result = TypeVar("Result")


def pool_for(
    make_work: MakeWork[Task, Result],
    table: QTable,
    settings: Settings,
    workers: int | None = None,
    cluster: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> Pool[Task, Result]:
    """So many workers, on the cluster at that address if one is given.

    No number means this process alone, or a worker on each processor of the cluster. `report` hears of
    nodes that cannot be used.
    """
    if cluster is None:
        return local_pool(make_work, table, settings, workers or 1)
    from heatmap_engine.cluster.pool import ClusterPool  # Ray is optional, and slow to import

    return ClusterPool(cluster, make_work, table, settings, workers, report)
