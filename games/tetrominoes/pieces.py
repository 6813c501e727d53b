"""The seven pieces in their boxes, and where each of their four orientations has its cells.

A piece lies in a box of 3 x 3 or 4 x 4 cells. Turning the piece turns the box with its content, so that
no piece needs a centre between cells. x counts from the left and y from the bottom, both from zero.
"""

from typing import NamedTuple

Cell = tuple[int, int]

PIECES = "TIOSZLJ"
"""The pieces in the order of their numbers."""

SPAWN, RIGHT, REVERSED, LEFT = range(4)
ORIENTATIONS = ("spawn", "right", "reversed", "left")
"""What an orientation is called; each is one turn clockwise from the one before."""

# As a piece appears, the upper row first.
_BOXES = {
    "T": (".#.", "###", "..."),
    "I": ("....", "####", "....", "...."),
    "O": ("....", ".##.", ".##.", "...."),
    "S": (".##", "##.", "..."),
    "Z": ("##.", ".##", "..."),
    "L": ("..#", "###", "..."),
    "J": ("#..", "###", "..."),
}


class Shape(NamedTuple):
    """The cells of an orientation from the lower left corner of the cells themselves, not of the box."""

    cells: tuple[Cell, ...]
    offset: Cell
    """Where that corner is in the box."""

    @property
    def width(self) -> int:
        return 1 + max(x for x, _ in self.cells)

    @property
    def height(self) -> int:
        return 1 + max(y for _, y in self.cells)


def box_size(piece: str) -> int:
    return len(_BOXES[piece])


def _spawn_cells(piece: str) -> list[Cell]:
    rows = _BOXES[piece]
    return [(x, len(rows) - 1 - y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "#"]


def _orientations(piece: str) -> tuple[tuple[Cell, ...], ...]:
    size, cells = box_size(piece), _spawn_cells(piece)
    found = []
    for _ in range(4):
        found.append(tuple(sorted(cells)))
        cells = [(y, size - 1 - x) for x, y in cells]
    return tuple(found)


BOXED = {piece: _orientations(piece) for piece in PIECES}
"""The cells of each orientation of each piece, from the lower left corner of its box."""


def shape(piece: str, orientation: int) -> Shape:
    cells = BOXED[piece][orientation]
    left, bottom = min(x for x, _ in cells), min(y for _, y in cells)
    return Shape(tuple((x - left, y - bottom) for x, y in cells), (left, bottom))
