"""Whom a person plays against in the terminal: Ctrl-C has the answer at once, and scores are words."""

from collections.abc import Mapping
from dataclasses import dataclass

import chess

from heatmap_engine.cli.interruptible import now_or_on_ctrl_c
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.opponents import Opponent, Plan, Reply
from heatmap_engine.limits import Limits
from heatmap_engine.reports.words import value_text
from heatmap_engine.stop import Stop


@dataclass(frozen=True, slots=True)
class TerminalOpponent:
    """An opponent who always has the same limits."""

    opponent: Opponent
    engine: Engine
    limits: Limits

    @property
    def name(self) -> str:
        return self.opponent.name

    @property
    def description(self) -> str:
        return self.opponent.description

    @property
    def settings(self) -> Mapping[str, str | int | float | bool]:
        return self.opponent.settings

    @property
    def heat_depth(self) -> int:
        depth: int = self.engine.settings.heat_depth
        return depth

    def plan(self, board: chess.Board) -> Reply:
        return self._asked(self.opponent.plan, board)

    def advise(self, board: chess.Board) -> Reply:
        return self._asked(self.opponent.advise, board)

    def seems_to_think_s(self, board: chess.Board, move: chess.Move) -> float:
        return self.opponent.seems_to_think_s(board, move, self.limits)

    def says(self, board: chess.Board, reply: Reply) -> str:
        """The reply's score in words."""
        return value_text(reply.score, reply.mate_in, board.turn, self.engine.mode.unit)

    def _asked(self, plan: Plan, board: chess.Board) -> Reply:
        stop = Stop()
        return now_or_on_ctrl_c(lambda: plan(board, self.limits, stop), stop.set)
