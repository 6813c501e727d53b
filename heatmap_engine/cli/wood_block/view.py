"""Boards as text: filled cells, and the blocks of a hand with the number of their turn."""

from collections.abc import Sequence

from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from games.wood_block.blocks import Block, Cell
from games.wood_block.board import rows_of
from games.wood_block.fields import Field
from games.wood_block.rules import BOX, Action

# Readable under black letters; the first three are the order in which blocks are placed.
_COLOURS = {"1": "#ffd60a", "2": "#70e000", "3": "#4cc9f0", "#": "#b08968"}
_GAP = 4


def console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def coloured(rows: Sequence[str]) -> Text:
    """Rows of marks with a colour for each mark."""
    text = Text(no_wrap=True)
    for number, row in enumerate(rows):
        if number:
            text.append("\n")
        for mark in row:
            colour = _COLOURS.get(mark)
            text.append(mark, Style(color="black", bgcolor=colour) if colour else Style(dim=True))
    return text


def placed_rows(field: Field, board: int, hand: Sequence[int | None], actions: Sequence[Action]) -> list[str]:
    """The board before a hand, with the number of its turn in each cell of a block.

    Where a block lies on cells that have vanished meanwhile, its number hides the older one.
    """
    size = field.source.size
    marks = [list(row.replace("X", "#")) for row in rows_of(board, size)]
    for number, action in enumerate(actions, start=1):
        block = hand[action.block]
        if block is not None:
            for row, column in cells_of(field.source.blocks.blocks[block], action):
                marks[row][column] = str(number)
    return _with_boxes(["".join(row) for row in marks], has_boxes=field.source.has_boxes)


def board_rows(field: Field, board: int) -> list[str]:
    rows = [row.replace("X", "#") for row in rows_of(board, field.source.size)]
    return _with_boxes(rows, has_boxes=field.source.has_boxes)


def _with_boxes(rows: list[str], *, has_boxes: bool) -> list[str]:
    """The rows with a space between boxes, and an empty row."""
    if not has_boxes:
        return rows
    split = [" ".join(row[at : at + BOX] for at in range(0, len(row), BOX)) for row in rows]
    return [
        line
        for number, row in enumerate(split)
        for line in ([""] if number and number % BOX == 0 else []) + [row]
    ]


def cells_of(block: Block, action: Action) -> list[Cell]:
    return [(action.row + row, action.column + column) for row, column in block.cells]


def side_by_side(pictures: Sequence[tuple[str, Sequence[str]]]) -> Table:
    """Pictures next to each other, with a line above each."""
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_row(*(Text(f"{title}\n") + coloured(rows) for title, rows in pictures))
    return table


def block_text(field: Field, block: int | None) -> str:
    return "-" if block is None else str(field.source.blocks.blocks[block])


def step_text(field: Field, hand: Sequence[int | None], number: int, action: Action) -> str:
    """A step in words: rows and columns are counted from 1, from the upper left corner."""
    block = block_text(field, hand[action.block])
    return f" {number} {block}  at row {action.row + 1}, column {action.column + 1}"
