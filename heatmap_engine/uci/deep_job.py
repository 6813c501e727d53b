"""One `go` in deep mode: the deep search within the limits, a line of info for each depth, the answer."""

import random
import threading
from collections.abc import Callable
from dataclasses import replace

import chess

from heatmap_engine.deep import DeepLimits, DeepResult
from heatmap_engine.engine import Engine
from heatmap_engine.kernel.deep import DEEPEST
from heatmap_engine.uci.deep_mode import DeepMode
from heatmap_engine.uci.go_job import GoJob
from heatmap_engine.uci.info import counts
from heatmap_engine.uci.options import Options
from heatmap_engine.uci.parsing import Go
from heatmap_engine.uci.wire import Output

_LEAST_MS = 0.1


class DeepJob(GoJob):
    """Searches deep; the table is neither asked nor written, and the engine not needed."""

    # A depth takes some two times as long as the one before.
    begins_until = 0.6

    def __init__(
        self,
        board: chess.Board,
        go: Go,
        options: Options,
        output: Output,
        on_answer: Callable[[chess.Move], None],
        deep: DeepMode,
    ) -> None:
        super().__init__(board, go, options, output, on_answer)
        self._deep = deep
        self._is_stopped = threading.Event()
        self._shown: DeepResult | None = None
        if go.searchmoves:
            output.string("searchmoves is not heeded in deep mode: all moves are searched")

    def end_search(self) -> None:
        # The event as well: a search that is just beginning does not hear of an earlier stop.
        self._is_stopped.set()
        if not self.is_finished.is_set():  # a late timer must not stop the search after this one
            self._deep.stop()

    @property
    def _has_base(self) -> bool:
        return self._shown is not None

    def _search(self, engine: Engine, source: random.Random) -> None:
        result = self._deep.search.search(self._board, self._limits(), self._on_depth)
        if result is not self._shown:  # a depth that was broken off may have found a better move
            self._show(result)
        self._answer(result.move, result.line[1] if len(result.line) > 1 else None)

    def _limits(self) -> DeepLimits:
        budget = self._budget() if not self._go.ponder else None
        nodes = self._go.nodes
        limits = DeepLimits(
            depth=min(self._plies or DEEPEST, DEEPEST), nodes=max(nodes, 1) if nodes is not None else None
        )
        if budget is None:
            return limits
        soft_ms = 0.0 if self._is_forced else 1e3 * (budget.soft_s - self._waited)
        hard_ms = 1e3 * (budget.hard_s - self._waited)
        return replace(limits, soft_ms=max(soft_ms, _LEAST_MS), hard_ms=max(hard_ms, _LEAST_MS))

    def _on_depth(self, result: DeepResult) -> None:
        self._show(result)
        mate = self._go.mate
        if mate is not None and result.mate_in is not None and 0 < result.mate_in <= mate:
            self.end_search()
        if self._is_stopped.is_set():
            self._deep.stop()

    def _show(self, result: DeepResult) -> None:
        self._shown = result
        score = f"cp {result.value}" if result.mate_in is None else f"mate {result.mate_in}"
        self._output.lines(
            f"info depth {result.depth} seldepth {result.deepest} score {score} "
            f"{counts(result.nodes, result.seconds)} hashfull {self._deep.search.permille_used} "
            f"pv {' '.join(move.uci() for move in result.line)}"
        )
