"""The weights of the score, as data: what a move is worth, by ply and by piece.

A *preset* is a named set of weights. The divisor of each ply (the moves of the ply before) is part of
the formula, not of the weights.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from heatmap_engine.errors import InvalidPosition, shown
from heatmap_engine.kernel.board.landings import MAX_HEAT_DEPTH
from heatmap_engine.kernel.classic.heat import WeightTable

PieceWeights = tuple[float, float, float, float, float, float]

# Beyond every use, and far below what would make a sum of weighted moves infinite.
LARGEST = 1e9


@dataclass(frozen=True)
class Weights:
    """What each move adds to the score, by ply and by piece type in python-chess order.

    Row `ply` of `move` counts for every move of that ply, row `ply` of `box` in addition for a move into
    the other king's box. The last row stands for all later plies.
    """

    name: str
    move: tuple[PieceWeights, ...]
    box: tuple[PieceWeights, ...]
    mate: float = 64.0
    """What a mate counts for each piece on the board, pawns included, and each ply of heat (depth + 1)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "move", _rows(self.name, "move", self.move))
        object.__setattr__(self, "box", _rows(self.name, "box", self.box))
        if not isinstance(self.mate, (int, float)) or not 0 <= self.mate <= LARGEST:
            raise InvalidPosition(
                f"weights {self.name!r}: mate must be from 0 to {LARGEST:g}, got {shown(self.mate)}"
            )

    def __getstate__(self) -> dict[str, Any]:
        """All but the kernel's table, which is made again where it is needed: weights travel to workers."""
        return {name: value for name, value in vars(self).items() if name != "table"}

    @cached_property
    def table(self) -> WeightTable:
        """The same weights laid out for the kernel."""
        return WeightTable(self.move, self.box, self.mate)

    @property
    def identity(self) -> str:
        """What a table remembers of its weights: a preset's name, or a name and a digest of the numbers."""
        if PRESETS.get(self.name) == self:
            return self.name
        numbers = repr((self.move, self.box, self.mate)).encode()
        return f"{self.name}#{hashlib.sha256(numbers).hexdigest()[:12]}"


def _rows(name: str, field: str, rows: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    try:
        numbers = tuple(tuple(float(weight) for weight in row) for row in rows)
    except (OverflowError, TypeError, ValueError) as error:
        raise InvalidPosition(
            f"weights {name!r}: {field} must be rows of numbers, got {shown(rows)}"
        ) from error
    if not 1 <= len(numbers) <= MAX_HEAT_DEPTH + 1 or any(len(row) != 6 for row in numbers):
        raise InvalidPosition(
            f"weights {name!r}: {field} must have 1 to {MAX_HEAT_DEPTH + 1} rows of 6 numbers, "
            f"got {shown(rows)}"
        )
    if not all(abs(weight) <= LARGEST for row in numbers for weight in row):
        raise InvalidPosition(
            f"weights {name!r}: {field} must be numbers from {-LARGEST:g} to {LARGEST:g}, got {shown(rows)}"
        )
    return numbers


CMHM2 = Weights("cmhm2", move=((1, 1, 1, 1, 1, 1),), box=((1, 1, 1, 1, 1, 1),))

# A move counts one and the most moves that its piece has on an empty board, promotions counted.
CMHM2_STATIC = Weights(
    "cmhm2-static",
    move=((1 + 4, 1 + 8, 1 + 13, 1 + 14, 1 + 27, 1 + 8),),
    box=((1, 1, 1, 1, 1, 1),),
    mate=64.0 * 27,
)

PRESETS = {preset.name: preset for preset in (CMHM2, CMHM2_STATIC)}
