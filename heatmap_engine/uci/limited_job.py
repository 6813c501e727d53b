"""One `go` at a limited strength: the move that a player of the level plays."""

import random

from heatmap_engine.clock import LIMITED_PACING
from heatmap_engine.deep.levels import level_of
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.search import DeepLimits
from heatmap_engine.engines.deep import DeepEngine
from heatmap_engine.kernel.deep.search import MAX_DEPTH
from heatmap_engine.stop import Stop
from heatmap_engine.uci.go_job import Asked, GoJob
from heatmap_engine.uci.info import deep_lines


class LimitedJob(GoJob[DeepEngine]):
    """Searches with the engine's weights, but without its table and hash: a level must not grow with them."""

    pacing = LIMITED_PACING

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self._level = level_of(asked.options.number("UCI_Elo"))
        self.stop = Stop()

    def _search(self, engine: DeepEngine, source: random.Random) -> None:
        search = LimitedSearch(engine.settings.weights, self._level, source)
        budget = self._budget() if not self._go.ponder else None
        hard_ms = None if budget is None else max(1e3 * (budget.hard_s - self._waited), 1.0)
        nodes = self._go.nodes
        limits = DeepLimits(
            depth=min(self._plies or MAX_DEPTH, MAX_DEPTH),
            nodes=None if nodes is None else max(nodes, 1),
            hard_ms=hard_ms,
        )
        result = search.search(self._board, limits, self.stop)
        self._output.lines(*deep_lines((result,), search.permille_used, self._with_wdl))
        self._answer(result.move, result.line[1] if len(result.line) > 1 else None)
