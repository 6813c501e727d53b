"""A score by heat, taken apart: the mobility and the pressure of each side's kinds of pieces."""

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from heatmap_engine.board.breakdown import Evaluation, Part, greatest_first
from heatmap_engine.board.heat import heatmap
from heatmap_engine.classic import scoring
from heatmap_engine.classic.scoring import Explanation, Side
from heatmap_engine.classic.settings import ClassicSettings


@dataclass(frozen=True, slots=True)
class ClassicBreakdown:
    """Weighs positions by their score, which is there unless the game is over."""

    settings: ClassicSettings

    def evaluate(self, board: chess.Board) -> Evaluation:
        explained = self._explained(board)
        value = explained.score if explained.terminal is None else None
        return Evaluation(board, value, explained.terminal, heatmap(board, self.settings.heat_depth))

    def changes(self, before: chess.Board, after: chess.Board) -> tuple[Part, ...]:
        one, other = self._explained(before), self._explained(after)
        return greatest_first(
            [
                *_parts(chess.WHITE, one.white, other.white),
                *_parts(chess.BLACK, one.black, other.black),
            ]
        )

    def _explained(self, board: chess.Board) -> Explanation:
        return scoring.explain(board, self.settings.heat_depth, self.settings.weights)


def _parts(color: chess.Color, before: Side, after: Side) -> Iterator[Part]:
    sign = 1 if color == chess.WHITE else -1
    for name, values, others in (
        ("mobility", before.mobility, after.mobility),
        ("pressure", before.pressure, after.pressure),
    ):
        for piece, value in values.items():
            change = sign * (others[piece] - value) + 0.0
            yield Part(color, f"{chess.piece_name(piece)} {name}", value, others[piece], change)
