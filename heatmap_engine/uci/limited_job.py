"""One `go` at a limited strength: the move that a player of the level plays."""

import random
import threading
from dataclasses import replace

from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.deep.levels import level_of
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.thinking_time import thinking_time
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.pick import FoundDepth
from heatmap_engine.limits import Limits
from heatmap_engine.stop import Stop
from heatmap_engine.uci.go_job import Asked, GoJob
from heatmap_engine.uci.info import info_lines


class LimitedJob(GoJob):
    """Searches with the engine's weights, but without its table and hash: a level must not grow with them."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self._level = level_of(asked.options.number("UCI_Elo"))
        self.stop = Stop()

    def _search(self, engine: Engine, source: random.Random) -> None:
        search = LimitedSearch(engine.settings.weights, self._level, source)
        budget = self._budget() if not self._go.ponder else None
        depth = None if self._plies is None else min(self._plies, engine.mode.max_depth)
        nodes = self._go.nodes and max(self._go.nodes, 1)
        limits = Limits(depth, nodes=nodes)
        if budget is not None:
            # Not only the hard limit: on a slow machine all of a high level's nodes would eat up the clock.
            limits = replace(budget.limits(depth, nodes, spent_s=self._waited), is_patient=False)
        result = search.search(self._board, limits, self.stop)
        if budget is not None:
            self._seem_to_think(thinking_time(self._board, result.move, budget.soft_s))
        score = movers_view(self._board.turn, float(result.value))
        best = Candidate(result.move, score, result.line, False, result.mate_in, result.depth)
        found = FoundDepth(
            lines=(best,),
            depth=result.depth,
            selective_depth=result.deepest,
            nodes=result.nodes,
            moves_visited=result.nodes,
            seconds=result.seconds,
        )
        lines = info_lines(
            self._board,
            found,
            found.lines,
            engine.mode.unit,
            hash_permille=search.permille_used,
            with_wdl=self._with_wdl,
        )
        self._output.lines(*lines)
        self._answer(best.move, best.reply)

    def _seem_to_think(self, seconds: float) -> None:
        """Let the clock run as it would for a person, until the GUI wants an answer."""
        is_asked = threading.Event()
        with self.stop.calls(is_asked.set):
            is_asked.wait(max(seconds - self._waited, 0.0))
