"""What every `go` has in common, whoever searches: its clock, when it may answer, and the one `bestmove`."""

import random
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import chess

from heatmap_engine.engines.engine import Engine
from heatmap_engine.limits import Budget, Pacing, clock_budget, move_budget
from heatmap_engine.stop import Stop
from heatmap_engine.uci.info import over_lines
from heatmap_engine.uci.options import Options
from heatmap_engine.uci.parsing import Go
from heatmap_engine.uci.wire import Output


@dataclass(frozen=True, slots=True)
class Asked:
    """A `go` and what goes with it."""

    board: chess.Board
    go: Go
    options: Options
    """Read while the job is made: what is set later is for the next search."""
    output: Output
    pacing: Pacing
    """How the clock is shared out."""
    on_answer: Callable[[chess.Move], None]
    """Hears the move before the GUI does, which may answer at once."""


class GoJob(ABC):
    """Searches in a thread of its own; `finish` and `ponder_hit` come from the one that reads commands."""

    stop: Stop
    """Ends the search."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self._board, self._go = asked.board, asked.go
        self._output, self._on_answer = asked.output, asked.on_answer
        self._pacing = asked.pacing
        self._overhead_ms = asked.options.number("Move Overhead")
        self._with_wdl = asked.options.is_on("UCI_ShowWDL")
        self._received = time.monotonic()
        # GUIs want no answer to `go infinite` and `go ponder` before they say so.
        self._may_answer = threading.Event()
        if asked.go.is_limited and not asked.go.ponder:
            self._may_answer.set()
        self._timers: list[threading.Timer] = []
        self.is_finished = threading.Event()

    @abstractmethod
    def _search(self, engine: Engine, source: random.Random) -> None:
        """Search and answer; there is a legal move."""

    def finish(self) -> None:
        """Answer now."""
        self.stop.set()
        self._may_answer.set()

    def ponder_hit(self) -> None:
        """The move that was pondered on was played: from now on the clock runs."""
        budget = self._budget()
        if budget is not None:
            self._stop_in(0.0 if self._is_forced else self._due_after_ponder(budget))
        self._may_answer.set()

    def _due_after_ponder(self, budget: Budget) -> float:
        """How many seconds after `ponderhit` the answer is due."""
        return budget.soft_s

    def _stop_in(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self.stop.set)
        timer.daemon = True
        timer.start()
        self._timers.append(timer)

    def run(self, engine: Engine, source: random.Random) -> None:
        """Search and answer."""
        try:
            if not any(self._board.generate_legal_moves()):
                self._may_answer.wait()
                self._output.lines(*over_lines(self._board))
                return
            self._search(engine, source)
        except Exception as error:  # a GUI that gets no move waits for ever
            if self.is_finished.is_set():
                raise
            self._output.string(f"the search failed: {type(error).__name__}: {error}")
            self._answer(next(self._board.generate_legal_moves()), None)
            raise
        finally:
            for timer in self._timers:
                timer.cancel()
            self.is_finished.set()

    def _answer(self, move: chess.Move, reply: chess.Move | None) -> None:
        """Give the one `bestmove`, as soon as the GUI may hear it."""
        self._may_answer.wait()
        self._on_answer(move)
        ponder = f" ponder {reply.uci()}" if reply is not None else ""
        self.is_finished.set()  # who reads the answer may ask again at once
        self._output.lines(f"bestmove {move.uci()}{ponder}")

    @property
    def _waited(self) -> float:
        return time.monotonic() - self._received

    @property
    def _is_forced(self) -> bool:
        """Whether the clock runs for a move that needs no thought."""
        return self._clock[0] is not None and self._board.legal_moves.count() == 1

    @property
    def _clock(self) -> tuple[int | None, int | None]:
        """Time and increment of the side to move."""
        go = self._go
        return (go.wtime, go.winc) if self._board.turn == chess.WHITE else (go.btime, go.binc)

    @property
    def _plies(self) -> int | None:
        """How many plies are asked for at most."""
        go = self._go
        depths = [depth for depth in (go.depth, go.mate and 2 * go.mate - 1) if depth is not None]
        return max(1, min(depths)) if depths else None

    def _budget(self) -> Budget | None:
        go = self._go
        if go.movetime is not None:
            return move_budget(go.movetime, self._overhead_ms)
        remaining, increment = self._clock
        if remaining is None:
            return None
        return clock_budget(remaining, increment or 0, go.movestogo, self._overhead_ms, self._pacing)
