"""Values of positions in classic mode without looking ahead, and their unit."""

from dataclasses import dataclass

import numpy as np

from heatmap_engine.board.breakdown import PatternPart
from heatmap_engine.board.ends import end_of
from heatmap_engine.classic.patterns import Patterns, parts_of
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.classic.weights import Weights
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.classic import heat as kernel
from heatmap_engine.kernel.classic.tree import terminal_score
from heatmap_engine.winning_chances import Unit, centipawns, chances, expected_points


def _no_mate(value: float, ply: int) -> None:
    """None: a mate counts for the pieces on the board, so that its distance cannot be read from the score."""


HEAT_UNITS = Unit(
    "classic",
    "heat units",
    2,
    True,
    chances,
    centipawns,
    _no_mate,
    expected_points,
    caution="Classic mode counts moves and does not know what a piece is worth: its best move may lose one.",
)


@dataclass(frozen=True, slots=True)
class ClassicYardstick:
    """Scores positions by their heat, and by the patterns of a table where there are any."""

    settings: ClassicSettings
    learned: Patterns | None = None
    unit: Unit = HEAT_UNITS

    @property
    def weights(self) -> str:
        return self.settings.weights.identity

    @property
    def heat_depth(self) -> int:
        return self.settings.heat_depth

    @property
    def heat_weights(self) -> Weights:
        return self.settings.weights

    def statics(self, positions: list[PackedPosition]) -> list[float]:
        scores = np.empty(len(positions))
        kernel.score_all(positions, self.settings.heat_depth, self.settings.weights.table, scores)
        found: list[float] = scores.tolist()
        if self.learned is None:
            return found
        table = self.learned.table
        return [
            score if end_of(position) else score + table.sum(position)
            for position, score in zip(positions, found, strict=True)
        ]

    def patterns(self, position: PackedPosition) -> tuple[PatternPart, ...]:
        return parts_of(self.learned, position)

    def end(self, position: PackedPosition, history: list[PackedPosition]) -> float | None:
        return terminal_score(position, history, self.settings.heat_depth, self.settings.weights.table)
