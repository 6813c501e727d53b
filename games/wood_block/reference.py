"""The specification: the game on sets of cells, and all ways to play a hand, slow and obvious."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from games.wood_block.blocks import Block, Cell
from games.wood_block.errors import InvalidQuestion
from games.wood_block.rules import BOX, HAND, Action, Rules, points_of

Board = frozenset[Cell]


def regions(rules: Rules) -> list[Board]:
    """The rows, columns and boxes of a grid, each of which vanishes when it is full."""
    size = rules.size
    found = [frozenset((row, column) for column in range(size)) for row in range(size)]
    found += [frozenset((row, column) for row in range(size)) for column in range(size)]
    if rules.has_boxes:
        found += [
            frozenset((top + row, left + column) for row in range(BOX) for column in range(BOX))
            for top in range(0, size, BOX)
            for left in range(0, size, BOX)
        ]
    return found


def cells_at(block: Block, row: int, column: int) -> Board:
    return frozenset((row + down, column + right) for down, right in block.cells)


def fits(rules: Rules, board: Board, block: Block, row: int, column: int) -> bool:
    return all(
        0 <= cell[0] < rules.size and 0 <= cell[1] < rules.size and cell not in board
        for cell in cells_at(block, row, column)
    )


def placed(rules: Rules, board: Board, block: Block, row: int, column: int) -> tuple[Board, int]:
    """The board after a block was placed and all full regions vanished together, and how many these were."""
    filled = board | cells_at(block, row, column)
    full = [region for region in regions(rules) if region <= filled]
    return filled.difference(*full), len(full)


def places(rules: Rules, board: Board, block: Block) -> Iterator[Cell]:
    """Every row and column where a block fits."""
    for row in range(rules.size):
        for column in range(rules.size):
            if fits(rules, board, block, row, column):
                yield row, column


def actions(rules: Rules, board: Board, hand: Sequence[Block | None]) -> list[Action]:
    return [
        Action(number, row, column)
        for number, block in enumerate(hand)
        if block is not None
        for row, column in places(rules, board, block)
    ]


@dataclass
class Game:
    """A game: a used block of the hand is None, and a new hand comes when all three are used."""

    rules: Rules
    random: random.Random
    board: Board = frozenset()
    hand: list[Block | None] = field(default_factory=list)
    score: int = 0

    def __post_init__(self) -> None:
        if not self.hand:
            self.deal()

    def deal(self) -> None:
        self.hand = [self.random.choice(self.rules.blocks.blocks) for _ in range(HAND)]

    def actions(self) -> list[Action]:
        return actions(self.rules, self.board, self.hand)

    @property
    def is_over(self) -> bool:
        return not self.actions()

    def play(self, action: Action) -> int:
        """Place a block; the points that it brought."""
        block = self.hand[action.block]
        if block is None or not fits(self.rules, self.board, block, action.row, action.column):
            raise InvalidQuestion(f"expected an action that is possible, got {action.number}")
        self.board, clears = placed(self.rules, self.board, block, action.row, action.column)
        self.hand[action.block] = None
        points = points_of(clears)
        self.score += points
        if not any(self.hand):
            self.deal()
        return points


def ways(rules: Rules, board: Board, hand: Sequence[Block]) -> set[Board]:
    """Every board that all orders and placements of a hand lead to."""
    if not hand:
        return {board}
    found = set()
    for number, block in enumerate(hand):
        others = [*hand[:number], *hand[number + 1 :]]
        for row, column in places(rules, board, block):
            found |= ways(rules, placed(rules, board, block, row, column)[0], others)
    return found


# The features of the evaluation: each counts something that makes a board worse, or how much is on it.


def features(rules: Rules, board: Board) -> dict[str, int]:
    """What the evaluation counts on a board, by the names that weights have."""
    size = rules.size
    grid = [(row, column) for row in range(size) for column in range(size)]
    open_cells = set(grid) - board

    def neighbours(cell: Cell) -> list[Cell]:
        row, column = cell
        return [(row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column)]

    edges = {frozenset((cell, other)) for cell in board for other in neighbours(cell) if other in open_cells}
    between = {
        edge
        for edge in edges
        if rules.has_boxes and len({(row // BOX, column // BOX) for row, column in edge}) == 2
    }
    windows = [
        [(row + down, column + right) in board for down in (0, 1) for right in (0, 1)]
        for row in range(size - 1)
        for column in range(size - 1)
    ]
    shut = {cell: sum(other not in open_cells for other in neighbours(cell)) for cell in open_cells}
    squeezed = [
        (neighbours(cell)[first] not in open_cells) and (neighbours(cell)[first + 1] not in open_cells)
        for cell in open_cells
        for first in (0, 2)
    ]
    filled = [len(region & board) for region in regions(rules)]
    lines, boxes = filled[: 2 * size], filled[2 * size :]
    room = [sum(1 for _ in places(rules, board, block)) for block in rules.blocks.blocks]
    return {
        "cells": len(board),
        "edges": len(edges - between),
        "box_edges": len(between),
        "wall_cells": sum(
            other not in open_cells and other not in board for cell in board for other in neighbours(cell)
        ),
        "corners": sum(sum(window) in (1, 3) for window in windows),
        "diagonals": sum(
            window in ([True, False, False, True], [False, True, True, False]) for window in windows
        ),
        "holes": sum(number == 4 for number in shut.values()),
        "dead_ends": sum(number == 3 for number in shut.values()),
        "squeezed": sum(squeezed),
        "no_squares": _blocked(size, open_cells, 3, 3),
        "no_bars": _blocked(size, open_cells, 1, 5) + _blocked(size, open_cells, 5, 1),
        "lines": sum(number > 0 for number in lines),
        "boxes": sum(number > 0 for number in boxes),
        "line_halves": sum(number * (size - number) for number in lines),
        "box_halves": sum(number * (BOX * BOX - number) for number in boxes),
        "misfits": sum(number == 0 for number in room),
        "only_places": sum(number == 1 for number in room),
        "short_of_room": sum(max(0, 8 - number) for number in room),
    }


def _blocked(size: int, open_cells: set[Cell], height: int, width: int) -> int:
    """In how many places a rectangle does not fit."""
    return sum(
        any(
            (row + down, column + right) not in open_cells for down in range(height) for right in range(width)
        )
        for row in range(size - height + 1)
        for column in range(size - width + 1)
    )
