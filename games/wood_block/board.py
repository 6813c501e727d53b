"""Boards as numbers and as text.

A board is a number of which bit 11 x row + column says whether that cell is filled, for every size of the
grid. So no row touches the next one, and a block moves by shifting.
"""

from collections.abc import Iterable

from games.wood_block.blocks import Cell
from games.wood_block.errors import InvalidQuestion
from games.wood_block.rules import LARGEST, SMALLEST

STRIDE = 11

_MARKS = {"X": True, "x": True, "#": True, ".": False, "_": False, "-": False}


def bit(row: int, column: int) -> int:
    return 1 << (STRIDE * row + column)


def board_of(cells: Iterable[Cell]) -> int:
    return sum(bit(row, column) for row, column in set(cells))


def cells_of(board: int) -> frozenset[Cell]:
    return frozenset(divmod(number, STRIDE) for number in range(board.bit_length()) if board >> number & 1)


def rows_of(board: int, size: int) -> list[str]:
    """The board as text, `X` for a filled cell, the upper row first."""
    return [
        "".join("X" if board & bit(row, column) else "." for column in range(size)) for row in range(size)
    ]


def parse_board(text: str) -> tuple[int, int]:
    """A board and its size from rows of `X` and `.`, divided by lines, spaces or `/`."""
    rows = text.replace("/", " ").split()
    size = len(rows)
    if not SMALLEST <= size <= LARGEST:
        raise InvalidQuestion(f"expected a board of {SMALLEST} to {LARGEST} rows, got {size}")
    for number, row in enumerate(rows, start=1):
        if len(row) != size:
            raise InvalidQuestion(
                f"expected {size} cells in each of {size} rows, got {len(row)} in row {number}"
            )
        if unknown := sorted(set(row) - _MARKS.keys()):
            raise InvalidQuestion(
                f"expected X or . for each cell, got {', '.join(unknown)!r:.40} in row {number}"
            )
    return (
        board_of(
            (row, column) for row, line in enumerate(rows) for column, mark in enumerate(line) if _MARKS[mark]
        ),
        size,
    )
