"""The board's size, which placements are possible, and which pieces come."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from games.tetris.errors import InvalidSettings
from games.tetrominoes.pieces import PIECES, Shape, shape

Placement: TypeAlias = tuple[int, int]
"""A rotation, 0 to 3, and the leftmost column that the piece covers."""

LEAST_WIDTH, MOST_WIDTH = 4, 16
LEAST_HEIGHT, MOST_HEIGHT = 4, 40

RULES = ("simplified", "dropped")
"""Which placements are possible.

simplified  wherever the piece, dropped from any height, comes to rest inside of the board
dropped     the piece appears in the middle of the top rows; it must have room there, turn there, and move
            sideways along the top rows before it falls
"""

GENERATORS = ("uniform", "7-bag")
"""Each piece at random, or all seven in a random order, again and again."""

Rule: TypeAlias = Literal["simplified", "dropped"]


@dataclass(frozen=True, slots=True)
class Rules:
    """A game of Tetris without its pieces' order."""

    width: int = 10
    height: int = 20
    rule: str = "simplified"

    def __post_init__(self) -> None:
        _require_between("width", self.width, LEAST_WIDTH, MOST_WIDTH)
        _require_between("height", self.height, LEAST_HEIGHT, MOST_HEIGHT)
        if self.rule not in RULES:
            raise InvalidSettings(f"expected a rule of {', '.join(RULES)}, got {self.rule!r:.80}")

    def __str__(self) -> str:
        return f"{self.width}x{self.height}, {self.rule}"


def _require_between(name: str, value: object, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidSettings(f"expected a {name} from {least} to {most}, got {value!r:.80}")


def _distinct(piece: str) -> tuple[tuple[int, Shape], ...]:
    found: dict[tuple[tuple[int, int], ...], tuple[int, Shape]] = {}
    for rotation in range(4):
        turned = shape(piece, rotation)
        found.setdefault(tuple(sorted(turned.cells)), (rotation, turned))
    return tuple(found.values())


ROTATIONS = {piece: _distinct(piece) for piece in PIECES}
"""The rotations of each piece that look different, with their shapes: one of O, two of I, S and Z."""
