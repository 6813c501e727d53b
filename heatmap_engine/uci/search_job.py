"""One `go` in classic mode: limits from the clock, lines of info on the way, the answer, what to record."""

import random

import chess

from heatmap_engine.classic.search import MAX_PLIES, Candidate
from heatmap_engine.clock import BASE_PACING, Budget
from heatmap_engine.engines.classic import Engine, Limits, Pick
from heatmap_engine.errors import HeatmapError
from heatmap_engine.uci.go_job import Asked
from heatmap_engine.uci.info import LONG_S, currmove_line, info_lines, mate_distance, shortest_mate_first
from heatmap_engine.uci.recording_job import RecordingJob, Write


class SearchJob(RecordingJob[Engine, Pick]):
    """Searches with the base engine."""

    pacing = BASE_PACING

    def __init__(self, asked: Asked, write: Write) -> None:
        super().__init__(asked, write)
        self._allowed = frozenset(asked.go.searchmoves)
        self._visited = 0
        self._last: tuple[Pick, tuple[Candidate, ...]] | None = None

    def _due_after_ponder(self, budget: Budget) -> float:
        """A search of one ply is no answer yet: then the hard budget is for more."""
        has_base = self._last is not None and self._last[0].plies > 1
        return budget.soft_s if has_base else budget.hard_s

    def _search(self, engine: Engine, source: random.Random) -> None:
        self._source = source
        try:
            engine.pick_move(self._board, self._limits(), observer=self)
        except HeatmapError as error:  # so many plies do not fit into memory
            self._output.string(str(error))
            self.stop.set()
            engine.pick_move(self._board, observer=self)

    def _limits(self) -> Limits:
        go, plies = self._go, self._plies
        budget = self._budget() if not go.ponder else None
        if budget is None and plies is None and go.nodes is None:
            return Limits(seconds=float("inf"))
        waited = self._waited
        return Limits(
            plies=min(plies, MAX_PLIES) if plies is not None else None,
            seconds=max(budget.hard_s - waited, 0.0) if budget else float("inf"),
            moves_visited=max(go.nodes, 0) if go.nodes is not None else None,
            soft_seconds=0.0 if self._is_forced else max(budget.soft_s - waited, 0.0) if budget else None,
            strict=True,
        )

    # What the engine tells while it searches

    def on_move(self, number: int, move: chess.Move) -> None:
        if self._waited >= LONG_S:
            self._output.lines(currmove_line(move.uci(), number))

    def on_depth(self, pick: Pick) -> None:
        self._visited += pick.moves_visited
        allowed = tuple(c for c in pick.candidates if not self._allowed or c.move.uci() in self._allowed)
        allowed = shortest_mate_first(self._board, allowed)
        self._last = pick, allowed
        self._show(pick, allowed)
        if self._go.mate is not None and (mate_distance(self._board, allowed[0]) or 0) > 0:
            self.stop.set()

    def _show(self, pick: Pick, candidates: tuple[Candidate, ...]) -> None:
        self._output.lines(
            *info_lines(
                self._board, pick, candidates, self._visited, lines=self._lines, with_wdl=self._with_wdl
            )
        )

    def on_pick(self, pick: Pick) -> None:
        assert self._last is not None  # every pick has at least one finished depth
        _, candidates = self._last
        if self._epsilon and self._source.random() < self._epsilon:
            explored = self._source.choice(candidates)
            candidates = (explored, *(c for c in candidates if c is not explored))
            self._show(pick, candidates)
        self._answer(candidates[0].move, candidates[0].reply)
