"""A score by heat, taken apart: the mobility and the pressure of each side's kinds of pieces."""

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from heatmap_engine.board.breakdown import Evaluation, Part, PatternPart, greatest_first
from heatmap_engine.board.heat import heatmap
from heatmap_engine.board.reading import pack
from heatmap_engine.classic import scoring
from heatmap_engine.classic.patterns import Patterns
from heatmap_engine.classic.scoring import Explanation, Side
from heatmap_engine.classic.settings import ClassicSettings


@dataclass(frozen=True, slots=True)
class ClassicBreakdown:
    """Weighs positions by their score and learned patterns; there is no value where the game is over."""

    settings: ClassicSettings
    learned: Patterns | None = None

    def evaluate(self, board: chess.Board) -> Evaluation:
        explained = self._explained(board)
        value = explained.score if explained.terminal is None else None
        if value is not None:
            value += sum(part.value for part in self._patterns(board))
        return Evaluation(board, value, explained.terminal, heatmap(board, self.settings.heat_depth))

    def changes(self, before: chess.Board, after: chess.Board) -> tuple[Part, ...]:
        one, other = self._explained(before), self._explained(after)
        return greatest_first(
            [
                *_parts(chess.WHITE, one.white, other.white),
                *_parts(chess.BLACK, one.black, other.black),
                *_pattern_parts(self._patterns(before), self._patterns(after)),
            ]
        )

    def _patterns(self, board: chess.Board) -> list[PatternPart]:
        return [] if self.learned is None else self.learned.parts(pack(board))

    def _explained(self, board: chess.Board) -> Explanation:
        return scoring.explain(board, self.settings.heat_depth, self.settings.weights)


def _pattern_parts(before: list[PatternPart], after: list[PatternPart]) -> Iterator[Part]:
    """What the patterns change; how often is White's less Black's, so that they belong to the position."""
    was, became = ({part.name: part for part in parts} for parts in (before, after))
    nothing = PatternPart("", 0, 0.0)
    for name in {**was, **became}:
        one, other = was.get(name, nothing), became.get(name, nothing)
        yield Part(None, name, one.times, other.times, other.value - one.value)


def _parts(color: chess.Color, before: Side, after: Side) -> Iterator[Part]:
    sign = 1 if color == chess.WHITE else -1
    for name, values, others in (
        ("mobility", before.mobility, after.mobility),
        ("pressure", before.pressure, after.pressure),
    ):
        for piece, value in values.items():
            change = sign * (others[piece] - value) + 0.0
            yield Part(color, f"{chess.piece_name(piece)} {name}", value, others[piece], change)
