"""What a report measures with: each mode has a unit of its own, and what its values mean for the result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from heatmap_engine.kernel import heat as kernel
from heatmap_engine.kernel.packed import PackedPosition
from heatmap_engine.kernel.tree import terminal_score
from heatmap_engine.mates import mate_in
from heatmap_engine.search import SearchSettings
from heatmap_engine.winning_chances import Chances, centipawns, chances, deep_centipawns, deep_chances

TENFOLD_CHANCE = "400 are a tenfold chance"


@dataclass(frozen=True, slots=True)
class Unit:
    """What values are counted in, and what one means for the side whose it is."""

    mode: str
    words: str
    decimals: int
    """How many are worth being shown."""
    chances: Callable[[float], Chances]
    centipawns: Callable[[float], int]
    mate_in: Callable[[float, int], int | None]
    """As `heatmap_engine.mates.mate_in`: the moves to the mate that a value means, so many plies later."""


def _no_mate(value: float, ply: int) -> None:
    """A mate by heat counts for the men on the board, and not for its length."""


HEAT_UNITS = Unit("classic", "heat units", 2, chances, centipawns, _no_mate)
DEEP_UNITS = Unit("deep", TENFOLD_CHANCE, 0, deep_chances, deep_centipawns, mate_in)


class Yardstick(Protocol):
    """Values positions as they stand, White minus Black."""

    @property
    def unit(self) -> Unit: ...

    @property
    def weights(self) -> str:
        """The name of the weights."""
        ...

    def statics(self, positions: list[PackedPosition]) -> list[float]:
        """What each is worth without looking ahead; what came before it does not count."""
        ...

    def end(self, position: PackedPosition, history: list[PackedPosition]) -> float | None:
        """What the result is worth where the game is over, after `history`; None where it goes on."""
        ...


@dataclass(frozen=True, slots=True)
class ClassicYardstick:
    """Scores positions by their heat."""

    settings: SearchSettings
    unit: Unit = HEAT_UNITS

    @property
    def weights(self) -> str:
        return self.settings.weights.identity

    def statics(self, positions: list[PackedPosition]) -> list[float]:
        scores = np.empty(len(positions))
        kernel.score_all(positions, self.settings.heat_depth, self.settings.weights.table, scores)
        found: list[float] = scores.tolist()
        return found

    def end(self, position: PackedPosition, history: list[PackedPosition]) -> float | None:
        return terminal_score(position, history, self.settings.heat_depth, self.settings.weights.table)
