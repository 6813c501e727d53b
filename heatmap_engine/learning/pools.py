"""The pool that somebody asks for: on this machine or on a cluster."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from heatmap_engine.deep.settings import DeepSettings
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.memory.tables import Settings, table_settings
from heatmap_engine.workers.local import MakeWork, SameProcess, local_pool
from heatmap_engine.workers.pool import Pool
from heatmap_engine.workers.processes import Workers
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


def pool_without_table(
    work: Callable[[Task], Result],
    workers: int | None = None,
    cluster: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> Pool[Task, Result]:
    """The same for work that knows all it needs from its tasks; like `make_work` it is known by name."""
    if cluster is None:
        return SameProcess(work) if workers in (None, 1) else Workers(work, workers)
    settings = DeepSettings(learned_weights())  # which nobody plays with
    nothing = QTable.in_memory(settings=table_settings(settings))  # the nodes get copies of it
    return pool_for(partial(_without_table, work), nothing, settings, workers, cluster, report)


def _without_table(work: Callable[[Task], Result], _table: object) -> Callable[[Task], Result]:
    return work
