"""What a report measures with: each mode has a unit of its own, and what its values mean for the result."""

from typing import Protocol

from heatmap_engine.board.breakdown import PatternPart
from heatmap_engine.classic.weights import Weights
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.winning_chances import Unit


class Yardstick(Protocol):
    """Values positions as they stand, White minus Black."""

    @property
    def unit(self) -> Unit: ...

    @property
    def weights(self) -> str:
        """The name of the weights."""
        ...

    @property
    def heat_depth(self) -> int:
        """How many plies of further moves are counted as heat."""
        ...

    @property
    def heat_weights(self) -> Weights | None:
        """What heat is weighed with where a score is taken apart; None is the preset cmhm2."""
        ...

    def statics(self, positions: list[PackedPosition]) -> list[float]:
        """What each is worth without looking ahead; what came before it does not count."""
        ...

    def patterns(self, position: PackedPosition) -> tuple[PatternPart, ...]:
        """What of the static value comes from learned patterns, the heaviest first."""
        ...

    def end(self, position: PackedPosition, history: list[PackedPosition]) -> float | None:
        """What the result is worth where the game is over, after `history`; None where it goes on."""
        ...
