"""Boards of Tetris to test on: random ones as games leave them, and drawn ones."""

import random
from collections.abc import Iterator

from games.tetris import reference
from games.tetris.reference import Rows
from games.tetris.rules import RULES, Rules
from games.tetrominoes.pieces import PIECES


def bits_of(board: Rows) -> list[int]:
    """The board's rows as the compiled code takes them."""
    return [sum(cell << x for x, cell in enumerate(row)) for row in board]


def random_boards(seed: int, games: int, *, width: int | None = None) -> Iterator[tuple[Rules, Rows]]:
    """The boards of games of many sizes under both rules, played low or anyhow until they are lost."""
    source = random.Random(seed)
    for _ in range(games):
        rules = Rules(width or source.randint(4, 16), source.randint(4, 24), source.choice(RULES))
        board = reference.empty_board(rules)
        is_careful = source.random() < 0.7
        for _ in range(40):
            yield rules, board
            piece = source.choice(PIECES)
            possible = reference.placements(rules, board, piece)
            if not possible:
                break
            source.shuffle(possible)
            if is_careful:
                possible.sort(key=lambda p: reference.place(board, piece, p).landing_height)
            board = reference.place(board, piece, possible[0]).board
