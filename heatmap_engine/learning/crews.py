"""The crew that somebody asks for: on this machine or on a cluster."""

from collections.abc import Callable
from typing import TypeVar

from heatmap_engine.learning.crew import Crew
from heatmap_engine.learning.local import MakeWork, local_crew
from heatmap_engine.memory import Settings
from qtable import QTable

Task = TypeVar("Task")
Result = TypeVar("Result")


def crew_for(
    make_work: MakeWork[Task, Result],
    table: QTable,
    settings: Settings,
    workers: int | None = None,
    cluster: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> Crew[Task, Result]:
    """So many workers, on the cluster at that address if one is given.

    No number means this process alone, or a worker on each processor of the cluster. `report` hears of
    nodes that cannot be used.
    """
    if cluster is None:
        return local_crew(make_work, table, settings, workers or 1)
    from heatmap_engine.learning.cluster.crew import ClusterCrew  # Ray is optional, and slow to import

    return ClusterCrew(cluster, make_work, table, settings, workers, report)
