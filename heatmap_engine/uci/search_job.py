"""One `go`: limits from the clock, lines of info on the way, the answer, what to record; in either mode."""

import random
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import chess

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import Mode
from heatmap_engine.engines.observer import Observer
from heatmap_engine.engines.pick import FoundDepth, Pick
from heatmap_engine.errors import SearchTooLarge
from heatmap_engine.limits import Budget, Limits
from heatmap_engine.uci.go_job import Asked, GoJob
from heatmap_engine.uci.info import LONG_S, currmove_line, info_lines, shortest_mate_first

# How often the GUI may hear of another move in a long search.
_CURRENT_EVERY_S = 0.25

# Takes what is to be recorded, and has another thread do so.
Write = Callable[[Callable[[], None]], None]


class SearchJob(GoJob, Observer):
    """Searches with the engine and its table."""

    def __init__(self, asked: Asked, mode: Mode, write: Write) -> None:
        super().__init__(asked)
        self._mode = mode
        self._write = write
        self._found: FoundDepth | None = None
        self._lines = asked.options.number("MultiPV")
        self._epsilon = asked.options.epsilon if asked.go.plays else 0.0
        self._engine: Engine | None = None
        self._shown: Candidate | None = None
        self._telling = threading.Lock()
        self._is_searched = threading.Event()

    def _due_after_ponder(self, budget: Budget) -> float:
        return self._mode.due_after_ponder(budget, self._waited, self._found)

    def _search(self, engine: Engine, source: random.Random) -> None:
        self._engine = engine
        limits = self._limits(engine)
        if limits.seconds is None or limits.seconds > LONG_S:
            with suppress(RuntimeError):  # the system gives no more threads: a search goes without
                threading.Thread(target=self._tell_current, args=(engine,), daemon=True).start()
        moves = self._moves(source)
        try:
            engine.pick_move(self._board, limits, self, lines=self._lines, moves=moves)
        except SearchTooLarge as error:
            self._output.string(str(error))
            self.stop.set()
            engine.pick_move(self._board, limits, self, lines=self._lines, moves=moves)
        finally:
            self._is_searched.set()

    def _moves(self, source: random.Random) -> list[chess.Move]:
        """The moves to choose from; none for all of them."""
        if self._epsilon and source.random() < self._epsilon:
            return [source.choice(list(self._board.legal_moves))]
        return [chess.Move.from_uci(name) for name in self._go.searchmoves]

    def _limits(self, engine: Engine) -> Limits:
        depth = None if self._plies is None else min(self._plies, engine.mode.max_depth)
        nodes = None if self._go.nodes is None else max(self._go.nodes, 0)
        budget = self._budget() if not self._go.ponder else None
        if budget is None:
            return Limits(depth, float("inf"), nodes, strict=True)
        limits = budget.limits(depth, nodes, spent_s=self._waited)
        return replace(limits, soft_seconds=0.0) if self._is_forced else limits

    # What the engine tells while it searches

    def on_depth(self, found: FoundDepth) -> None:
        self._found = found
        self._show(found)
        mate = self._go.mate
        mate_in = self._ranked(found)[0].mate_in
        if mate is not None and mate_in is not None and 0 < mate_in <= mate:
            self.stop.set()

    def on_pick(self, pick: Pick) -> None:
        with self._telling:  # nothing is told of a search that is over
            self._is_searched.set()
        best = self._ranked(pick)[0]
        if self._shown is None or (best.line, best.score) != (self._shown.line, self._shown.score):
            self._show(pick)  # a depth that was broken off may have found a better move
        self._answer(best.move, best.reply)

    def on_found(self, record: Callable[[], None]) -> None:
        self._write(record)

    def _ranked(self, found: FoundDepth) -> Sequence[Candidate]:
        return shortest_mate_first(found.lines)[: self._lines]

    def _show(self, found: FoundDepth) -> None:
        assert self._engine is not None
        ranked = self._ranked(found)
        self._shown = ranked[0]
        self._output.lines(
            *info_lines(
                self._board,
                found,
                ranked,
                self._engine.mode.unit,
                hash_permille=self._engine.hash_permille,
                with_wdl=self._with_wdl,
            )
        )

    def _tell_current(self, engine: Engine) -> None:
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
