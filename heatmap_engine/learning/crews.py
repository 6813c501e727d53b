"""The crew that somebody asks for: on this machine or on a cluster."""

from collections.abc import Callable
from typing import Generic, TypeVar

from heatmap_engine.learning.crew import Crew
from heatmap_engine.learning.local import Alone, MakeWork, local_crew
from heatmap_engine.learning.workers import Workers
from heatmap_engine.memory import table_settings
from heatmap_engine.search import SearchSettings
from qtable import QTable

Task = TypeVar("Task")
Result = TypeVar("Result")


def crew_for(
    make_work: MakeWork[Task, Result],
    table: QTable,
    settings: SearchSettings,
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


def crew_without_table(
    make_work: Callable[[], Callable[[Task], Result]],
    workers: int | None = None,
    cluster: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> Crew[Task, Result]:
    """The same for work that knows all it needs from its tasks."""
    if cluster is None:
        work = make_work()
        return Alone(work) if workers in (None, 1) else Workers(work, workers)
    settings = SearchSettings()
    nothing = QTable.in_memory(settings=table_settings(settings))  # nodes get an empty copy
    return crew_for(WithoutTable(make_work), nothing, settings, workers, cluster, report)


class WithoutTable(Generic[Task, Result]):
    """Makes work that asks no table; known by name, as it travels to other machines."""

    def __init__(self, make_work: Callable[[], Callable[[Task], Result]]) -> None:
        self._make_work = make_work

    def __call__(self, table: object) -> Callable[[Task], Result]:
        return self._make_work()
