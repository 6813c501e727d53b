"""Boards of tetrominoes for tests, as sets of cells and as numbers."""

import random
from collections.abc import Iterable

from games.perfect_clear.board import parse_board

Board = frozenset[tuple[int, int]]

# What is left by a much played opening after seven pieces, and the same before its I was placed.
OPENER = parse_board("####....##/####...###/####..####/####...###")
OPENER_WITHOUT_I = parse_board("###.....##/###....###/###...####/###....###")


def as_number(cells: Iterable[tuple[int, int]]) -> int:
    return sum(1 << (10 * y + x) for x, y in cells)


def random_board(choices: random.Random, lines: int) -> Board:
    """Any cells but full rows, thinner towards the top in half of the boards."""
    density, thins = choices.choice((0.3, 0.5, 0.6, 0.7, 0.8)), choices.choice((0.0, 0.1))
    cells = set()
    for y in range(lines):
        row = [x for x in range(10) if choices.random() < density - thins * y]
        cells |= {(x, y) for x in (row if len(row) < 10 else row[:9])}
    return frozenset(cells)


def drawing(board: Board, lines: int) -> str:
    return "\n".join("".join(".#"[(x, y) in board] for x in range(10)) for y in reversed(range(lines)))
