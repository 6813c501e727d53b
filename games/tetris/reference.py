"""Tetris, slow and obvious: the specification that the compiled board is held against.

A board is a tuple of rows, the lowest first, each a tuple of cells from left to right, filled or not.
"""

from itertools import groupby, pairwise
from typing import NamedTuple

from games.tetris.rules import ROTATIONS, Placement, Rules
from games.tetrominoes.pieces import Shape

Rows = tuple[tuple[bool, ...], ...]


def empty_board(rules: Rules) -> Rows:
    return ((False,) * rules.width,) * rules.height


def parse_rows(text: str, rules: Rules) -> Rows:
    """A board from its lower rows as text, the upper row first; `.` and missing rows are empty."""
    rows = [tuple(cell != "." for cell in line) for line in reversed(text.split())]
    assert all(len(row) == rules.width for row in rows), text
    return (*rows, *empty_board(rules)[len(rows) :])


def height_of(board: Rows, column: int) -> int:
    """How many rows up to the highest filled cell."""
    return max((number + 1 for number, row in enumerate(board) if row[column]), default=0)


def resting_row(board: Rows, shape: Shape, x: int) -> int:
    """The row in which the lowest row of a piece comes to rest that falls from above the board."""
    return max(
        height_of(board, x + column) - min(y for cx, y in shape.cells if cx == column)
        for column in range(shape.width)
    )


def placements(rules: Rules, board: Rows, piece: str) -> list[Placement]:
    """Where the piece can be placed, by rotations and then columns."""
    if rules.rule == "dropped" and not _has_room_on_top(
        board, ROTATIONS[piece][0][1], middle(rules, ROTATIONS[piece][0][1])
    ):
        return []
    return [
        (rotation, x)
        for rotation, shape in ROTATIONS[piece]
        for x in range(rules.width - shape.width + 1)
        if _is_possible(rules, board, shape, x)
    ]


def middle(rules: Rules, shape: Shape) -> int:
    """The column in which a piece appears."""
    return (rules.width - shape.width) // 2


def _is_possible(rules: Rules, board: Rows, shape: Shape, x: int) -> bool:
    if rules.rule == "simplified":
        return _has_room_on_top(board, shape, x)
    start = middle(rules, shape)
    way = range(min(start, x), max(start, x) + 1)
    return all(_has_room_on_top(board, shape, column) for column in way)


def _has_room_on_top(board: Rows, shape: Shape, x: int) -> bool:
    """Whether the piece fits into the top rows with nothing filled in its place or above."""
    return resting_row(board, shape, x) + shape.height <= len(board)


class Placed(NamedTuple):
    """What a placement came to."""

    board: Rows
    landing_height: float
    lines: int
    eroded_cells: int


def place(board: Rows, piece: str, placement: Placement) -> Placed:
    """Let the piece fall, and clear full rows."""
    rotation, x = placement
    shape = dict(ROTATIONS[piece])[rotation]
    bottom = resting_row(board, shape, x)
    cells = {(x + cx, bottom + cy) for cx, cy in shape.cells}
    filled = [[cell or (cx, cy) in cells for cx, cell in enumerate(row)] for cy, row in enumerate(board)]
    full = [number for number, row in enumerate(filled) if all(row)]
    left = [tuple(row) for number, row in enumerate(filled) if number not in full]
    left += [(False,) * len(board[0])] * len(full)
    own = sum(cy in full for _, cy in cells)
    landing_height = 1 + sum(cy for _, cy in cells) / len(cells)
    return Placed(tuple(left), landing_height, len(full), len(full) * own)


def features(board: Rows, piece: str, placement: Placement) -> dict[str, float]:
    """All features of a placement."""
    placed = place(board, piece, placement)
    return {
        "landing_height": placed.landing_height,
        "eroded_cells": placed.eroded_cells,
        "lines": placed.lines,
        **board_features(placed.board),
    }


def board_features(board: Rows) -> dict[str, int]:
    """The features that belong to a board alone."""
    columns = [tuple(row[x] for row in board) for x in range(len(board[0]))]
    heights = [height_of(board, x) for x in range(len(columns))]
    holes = {
        (x, y)
        for x, column in enumerate(columns)
        for y, cell in enumerate(column)
        if not cell and y < heights[x]
    }
    steps = [right - left for left, right in pairwise(heights)]
    return {
        "row_transitions": sum(_changes((True, *row, True)) for row in board),
        "column_transitions": sum(_changes((True, *column, False, True)) for column in columns),
        "holes": len(holes),
        "wells": _wells(columns),
        "deep_wells": _deep_wells(columns),
        "hole_depth": sum(sum(columns[x][y:]) for x, y in holes),
        "rows_with_holes": len({y for _, y in holes}),
        "pattern_diversity": len({step for step in steps if abs(step) <= 2}),
        "height": sum(heights),
        "bumpiness": sum(map(abs, steps)),
    }


def _changes(cells: tuple[bool, ...]) -> int:
    return sum(one != other for one, other in pairwise(cells))


def _wells(columns: list[tuple[bool, ...]]) -> int:
    depths = [len([*run]) for cells in _well_cells(columns) for is_well, run in groupby(cells) if is_well]
    return sum(depth * (depth + 1) // 2 for depth in depths)


def _deep_wells(columns: list[tuple[bool, ...]]) -> int:
    """Each well cell counts itself and all empty cells right below it, one after the other."""
    total = 0
    for column, cells in zip(columns, _well_cells(columns), strict=True):
        for top in (y for y, is_well in enumerate(cells) if is_well):
            total += next((top - y for y in range(top, -1, -1) if column[y]), top + 1)
    return total


def _well_cells(columns: list[tuple[bool, ...]]) -> list[list[bool]]:
    """By column, whether a cell is empty between filled cells or walls."""
    wall = (True,) * len(columns[0])
    walled = [wall, *columns, wall]
    return [
        [not cell and one and other for one, cell, other in zip(left, column, right, strict=True)]
        for left, column, right in zip(walled, columns, walled[2:], strict=False)
    ]
