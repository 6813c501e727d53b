"""Our engine in deep mode as a player."""

import time

import chess

from heatmap_engine.clock import DEEP_PACING, clock_budget, move_budget
from heatmap_engine.deep.search import DeepLimits
from heatmap_engine.deep.weights import weights_of
from heatmap_engine.engines.deep import DeepEngine
from heatmap_engine.kernel.deep.search import MAX_DEPTH
from heatmap_engine.match.deep_side import DEPTH, DeepSide
from heatmap_engine.match.movers import OVERHEAD_MS, Answer, Clocks, TableMover, refuse
from heatmap_engine.match.pace import Clock, Pace


class DeepMover(TableMover):
    """The deep search, empty at the start of each game: who played before must not matter."""

    engine: DeepEngine

    def __init__(self, side: DeepSide) -> None:
        self._pace = side.pace
        self.engine = DeepEngine(
            side.table,
            weights=weights_of(side.weights),
            hash_mib=side.hash_mib,
            threads=side.threads,
            record="off",
            readonly=not side.learns,
            report=refuse,
        )

    def begin(self, seed: str) -> None:
        self.engine.clear()

    def think(self, board: chess.Board, clocks: Clocks) -> Answer:
        started = time.perf_counter()
        pick = self.engine.pick_move(board, _limits(self._pace, clocks.of(board.turn)))
        return Answer(pick.move, time.perf_counter() - started, round(pick.score))


def _limits(pace: Pace, clock: Clock) -> DeepLimits:
    limits = DeepLimits(min(pace.plies or MAX_DEPTH, MAX_DEPTH), pace.nodes)
    if clock.remaining_s is not None:
        remaining_ms, increment_ms = 1e3 * clock.remaining_s, 1e3 * (clock.increment_s or 0.0)
        budget = clock_budget(remaining_ms, increment_ms, clock.moves_to_go, OVERHEAD_MS, DEEP_PACING)
        return limits.within(budget, is_patient=True)
    if pace.move_ms is not None:
        return limits.within(move_budget(pace.move_ms, OVERHEAD_MS))
    return limits if pace.is_limited else DeepLimits(DEPTH)
