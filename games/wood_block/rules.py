"""The rules of the wood block puzzle as data, and how an action is written as a number."""

from dataclasses import dataclass
from typing import NamedTuple

from games.wood_block.blocks import SETS, BlockSet
from games.wood_block.errors import InvalidQuestion, InvalidRules

SMALLEST, LARGEST = 5, 10
# Blocks in a hand.
HAND = 3
BOX = 3


@dataclass(frozen=True)
class Rules:
    """What a game is played with."""

    size: int = 9
    """Rows and columns of the grid."""
    blocks: BlockSet = SETS["21"]

    def __post_init__(self) -> None:
        if not SMALLEST <= self.size <= LARGEST:
            raise InvalidRules(f"expected a grid of {SMALLEST} to {LARGEST} rows, got {self.size}")

    @property
    def has_boxes(self) -> bool:
        """Whether the grid is made of boxes of 3 by 3 cells, which clear as rows and columns do."""
        return self.size % BOX == 0


def points_of(clears: int) -> int:
    """What rows, columns and boxes are worth that vanish together."""
    return 100 * clears + (50 * clears**2 if clears > 1 else 0)


class Action(NamedTuple):
    """A block of the hand, and the place of its upper left corner."""

    block: int
    row: int
    column: int

    @property
    def number(self) -> int:
        """The action as one number: 2047 is the third block in row 4, column 7, all counted from 0."""
        return self.block * 1000 + self.row * 10 + self.column


def parse_action(number: int) -> Action:
    """The action that a number stands for; whether it is legal is for the game to say."""
    block, place = divmod(number, 1000)
    row, column = divmod(place, 10)
    if not (0 <= block < HAND and row < LARGEST):
        raise InvalidQuestion(
            f"expected an action of block x 1000 + row x 10 + column, such as 2047, got {number}"
        )
    return Action(block, row, column)
