"""One `go` in deep mode: the deep search within the limits, lines of info for each depth, the answer."""

import random
import threading
from contextlib import suppress

import chess

from heatmap_engine.clock import DEEP_PACING, Budget
from heatmap_engine.deep.search import DeepLimits
from heatmap_engine.engines.deep import DeepEngine, DeepPick
from heatmap_engine.kernel.deep.search import MAX_DEPTH
from heatmap_engine.uci.go_job import Asked
from heatmap_engine.uci.info import LONG_S, currmove_line, deep_lines
from heatmap_engine.uci.recording_job import RecordingJob, Write

# How often the GUI may hear of another move in a long search.
_CURRENT_EVERY_S = 0.25


class DeepJob(RecordingJob[DeepEngine, DeepPick]):
    """Searches with the deep engine."""

    pacing = DEEP_PACING

    def __init__(self, asked: Asked, write: Write) -> None:
        super().__init__(asked, write)
        self._engine: DeepEngine | None = None
        self._shown: DeepPick | None = None
        self._telling = threading.Lock()
        self._is_searched = threading.Event()

    def _due_after_ponder(self, budget: Budget) -> float:
        """What was pondered is thought as well: a position that is settled by now is answered at once."""
        if self._go.movetime is not None:
            return budget.soft_s
        deserved = self._engine.deserved if self._engine is not None and self._shown is not None else 1.0
        return max(min(deserved * budget.soft_s, budget.hard_s) - self._waited, 0.0)

    def _search(self, engine: DeepEngine, source: random.Random) -> None:
        self._engine = engine
        limits = self._limits()
        if limits.hard_ms is None or limits.hard_ms > 1e3 * LONG_S:
            with suppress(RuntimeError):  # the system gives no more threads: a search goes without
                threading.Thread(target=self._tell_current, args=(engine,), daemon=True).start()
        try:
            engine.pick_move(self._board, limits, self, lines=self._lines, moves=self._moves(source))
        finally:
            self._is_searched.set()

    def _moves(self, source: random.Random) -> list[chess.Move]:
        """The moves to choose from; none for all of them."""
        if self._epsilon and source.random() < self._epsilon:
            return [source.choice(list(self._board.legal_moves))]
        return [chess.Move.from_uci(name) for name in self._go.searchmoves]

    def _limits(self) -> DeepLimits:
        budget = self._budget() if not self._go.ponder else None
        nodes = self._go.nodes
        limits = DeepLimits(
            depth=min(self._plies or MAX_DEPTH, MAX_DEPTH), nodes=max(nodes, 1) if nodes is not None else None
        )
        if budget is None:
            return limits
        soft_s = 0.0 if self._is_forced else budget.soft_s - self._waited
        left = Budget(soft_s, budget.hard_s - self._waited)
        return limits.within(left, is_patient=self._go.movetime is None)

    # What the engine tells while it searches

    def on_depth(self, pick: DeepPick) -> None:
        self._show(pick)
        mate = self._go.mate
        if mate is not None and pick.mate_in is not None and 0 < pick.mate_in <= mate:
            self.stop.set()

    def on_pick(self, pick: DeepPick) -> None:
        with self._telling:  # nothing is told of a search that is over
            self._is_searched.set()
        shown = self._shown
        if shown is None or (pick.line, pick.value) != (shown.line, shown.value):
            self._show(pick)  # a depth that was broken off may have found a better move
        self._answer(pick.move, pick.reply)

    def _show(self, pick: DeepPick) -> None:
        self._shown = pick
        assert self._engine is not None
        self._output.lines(*deep_lines((pick, *pick.others), self._engine.permille_used, self._with_wdl))

    def _tell_current(self, engine: DeepEngine) -> None:
        """Say which move is being looked at, once the search is long."""
        told = ("", 0)
        pause = LONG_S
        while not self._is_searched.wait(pause):
            pause = _CURRENT_EVERY_S
            move, number = engine.current
            with self._telling:
                if number and (move, number) != told and not self._is_searched.is_set():
                    self._output.lines(currmove_line(move, number))
                    told = move, number
