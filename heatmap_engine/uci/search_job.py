"""One `go`: limits from the clock, lines of info on the way, and one `bestmove` at the end."""

import random
import threading
import time
from collections.abc import Callable

import chess

from heatmap_engine.clock import Budget, clock_budget, move_budget
from heatmap_engine.engine import Engine, Limits, Observer, Pick
from heatmap_engine.errors import HeatmapError
from heatmap_engine.search import MOST_PLIES, Candidate
from heatmap_engine.uci.info import info_lines, mate_distance, over_lines, shortest_mate_first
from heatmap_engine.uci.options import Options
from heatmap_engine.uci.parsing import Go
from heatmap_engine.uci.wire import Output

# From when on the GUI hears which move is being looked at.
_LONG_S = 1.0


class SearchJob(Observer):
    """Searches in a thread of its own; `finish` and `ponder_hit` come from the one that reads commands.

    `on_answer` hears the move before the GUI does, which may answer at once; `write` takes what is to be
    recorded.
    """

    def __init__(
        self,
        board: chess.Board,
        go: Go,
        options: Options,
        output: Output,
        on_answer: Callable[[chess.Move], None],
        write: Callable[[Callable[[], None]], None],
    ) -> None:
        super().__init__()
        self._board = board
        self._go = go
        self._output = output
        self._on_answer = on_answer
        self._write = write
        self._lines = options.number("MultiPV")
        self._with_wdl = options.is_on("UCI_ShowWDL")
        self._epsilon = options.epsilon if go.plays else 0.0
        self._overhead_ms = options.number("Move Overhead")
        self._received = time.monotonic()
        # GUIs want no answer to `go infinite` and `go ponder` before they say so.
        self._may_answer = threading.Event()
        if go.is_limited and not go.ponder:
            self._may_answer.set()
        self._allowed = frozenset(go.searchmoves)
        self._visited = 0
        self._last: tuple[Pick, tuple[Candidate, ...]] | None = None
        self._timers: list[threading.Timer] = []
        self.is_finished = threading.Event()

    def finish(self) -> None:
        """Answer now."""
        self.stop.set()
        self._may_answer.set()

    def ponder_hit(self) -> None:
        """The move that was pondered on was played: from now on the clock runs."""
        budget = self._budget()
        if budget is not None:
            has_base = self._last is not None and self._last[0].plies > 1
            self._stop_in(budget.soft_s if has_base else budget.hard_s)
        self._may_answer.set()

    def _stop_in(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self.stop.set)
        timer.daemon = True
        timer.start()
        self._timers.append(timer)

    def run(self, engine: Engine, source: random.Random) -> None:
        """Search and answer."""
        self._source = source
        try:
            if not any(self._board.generate_legal_moves()):
                self._may_answer.wait()
                self._output.lines(*over_lines(self._board))
                return
            self._search(engine)
        finally:
            for timer in self._timers:
                timer.cancel()
            self.is_finished.set()

    def _search(self, engine: Engine) -> None:
        try:
            engine.pick_move(self._board, self._limits(engine), observer=self)
        except HeatmapError as error:  # so many plies do not fit into memory
            self._output.string(str(error))
            self.stop.set()
            engine.pick_move(self._board, observer=self)

    def _limits(self, engine: Engine) -> Limits:
        go = self._go
        budget = self._budget() if not go.ponder else None
        forever = Limits(seconds=float("inf"))
        if budget is None and go.depth is None and go.nodes is None and go.mate is None:
            return forever
        depths = [depth for depth in (go.depth, go.mate and 2 * go.mate - 1) if depth is not None]
        waited = time.monotonic() - self._received
        is_forced = self._board.legal_moves.count() == 1 and go.wtime is not None
        return Limits(
            plies=max(1, min([*depths, MOST_PLIES])) if depths else None,
            seconds=max(budget.hard_s - waited, 0.0) if budget else float("inf"),
            moves_visited=max(go.nodes, 0) if go.nodes is not None else None,
            soft_seconds=0.0 if is_forced else max(budget.soft_s - waited, 0.0) if budget else None,
            strict=True,
        )

    def _budget(self) -> Budget | None:
        go = self._go
        if go.movetime is not None:
            return move_budget(go.movetime, self._overhead_ms)
        ours = (go.wtime, go.winc) if self._board.turn == chess.WHITE else (go.btime, go.binc)
        remaining, increment = ours
        if remaining is None:
            return None
        return clock_budget(remaining, increment or 0, go.movestogo, self._overhead_ms)

    # What the engine tells while it searches

    def on_move(self, number: int, move: chess.Move) -> None:
        seconds = time.monotonic() - self._received
        if seconds >= _LONG_S:
            self._output.lines(f"info currmove {move.uci()} currmovenumber {number}")

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

    def on_found(self, record: Callable[[], None]) -> None:
        self._write(record)

    def on_pick(self, pick: Pick) -> None:
        assert self._last is not None  # every pick has at least one finished depth
        _, candidates = self._last
        if self._epsilon and self._source.random() < self._epsilon:
            explored = self._source.choice(candidates)
            candidates = (explored, *(c for c in candidates if c is not explored))
            self._show(pick, candidates)
        self._may_answer.wait()
        chosen = candidates[0]
        self._on_answer(chosen.move)
        ponder = f" ponder {chosen.reply.uci()}" if chosen.reply is not None else ""
        self._output.lines(f"bestmove {chosen.move.uci()}{ponder}")
        self.is_finished.set()
