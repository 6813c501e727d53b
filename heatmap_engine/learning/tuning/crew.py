"""The crews of self-play, for work that knows all it needs from its tasks and asks no table."""

from collections.abc import Callable

from heatmap_engine.learning.crews import crew_for
from heatmap_engine.learning.local import Alone
from heatmap_engine.learning.tuning.session import TuneCrew
from heatmap_engine.learning.tuning.tasks import Work
from heatmap_engine.learning.workers import Workers
from heatmap_engine.memory import table_settings
from heatmap_engine.search import SearchSettings
from qtable import QTable


def tuning_crew(
    workers: int | None = None,
    cluster: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> TuneCrew:
    """So many workers, on the cluster at that address if one is given; `crew_for` says the rest."""
    if cluster is None:
        return Alone(Work()) if workers in (None, 1) else Workers(Work(), workers)
    settings = SearchSettings()
    nothing = QTable.in_memory(settings=table_settings(settings))  # the nodes get copies of it
    return crew_for(_work, nothing, settings, workers, cluster, report)


def _work(_table: object) -> Work:
    return Work()
