"""Short games for tests of learning, all different, and what a table has counted of them."""

import random
from collections.abc import Iterator
from pathlib import Path

from games.chess.openings import load_openings
from games.chess.record import GameRecord
from qtable import QTable
from qtable.errors import TableMissing


def short_games(number: int) -> Iterator[GameRecord]:
    """Games of a few random moves after a line of the opening suite, with every kind of result."""
    source = random.Random(4)
    for opening in load_openings()[:number]:
        board = opening.board()
        for _ in range(4):
            board.push(source.choice([*board.legal_moves]))
        result = source.choice(["1-0", "0-1", "1/2-1/2"])
        yield GameRecord.from_board(board, result=result, termination="adjudication")


def write_games(path: Path, number: int) -> Path:
    """A PGN file of so many short games."""
    path.write_text("".join(game.to_pgn() for game in short_games(number)))
    return path


def games_learned(path: Path) -> int:
    """How many games the journal names at this moment."""
    try:
        with QTable(path, readonly=True) as table:
            return table.journal_length()
    except TableMissing:
        return 0


def totals(path: Path) -> tuple[int, int, int, int, int, int]:
    """Games, entries, visits, wins, draws and losses of a sound table."""
    with QTable(path, readonly=True) as table:
        assert table.check() == []
        found = table.stats()
        ids = [line.id for line in table.journal()]
    assert len(set(ids)) == len(ids) == found.journal_lines
    return (found.journal_lines, found.entries, found.visits, found.wins, found.draws, found.losses)
