"""Positions of every state that a report tells apart, and a small table that knows one of them."""

from pathlib import Path

import chess

from games.chess.record import GameRecord
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.engines.engine import Engine
from heatmap_engine.memory.tables import table_settings
from qtable import QTable

# The game that docs/design/worked-game.md works out by hand.
WORKED = "k7/8/2K5/8/8/8/8/7R w - - 0 1"
WORKED_MOVES = ("c6b6", "a8b8", "h1h8")

# State, FEN and moves to play first.
STATES = {
    "known": (WORKED, ""),
    "unknown": ("8/8/4k3/8/8/3PK3/8/8 w - - 0 1", ""),
    "checkmate": ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", ""),
    "stalemate": ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", ""),
    "drawn: insufficient material": ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", ""),
    "drawn: fifty moves": ("8/8/4k3/8/8/3RK3/8/8 b - - 100 80", ""),
    "drawn: threefold repetition": (
        "8/8/4k3/8/8/3PK3/8/8 w - - 0 1",
        "Kf3 Kf6 Ke3 Ke6 Kf3 Kf6 Ke3 Ke6",
    ),
}


def learn_worked_game(table: QTable) -> None:
    with Engine(table) as engine:
        engine.learn_game(GameRecord(WORKED_MOVES, "1-0", "checkmate", start=WORKED))


def table_in_memory() -> QTable:
    """A table that has learned the worked game at a fixed time."""
    table = QTable.in_memory(settings=table_settings(ClassicSettings()), clock=lambda: 1_700_000_000)
    learn_worked_game(table)
    return table


def table_at(path: Path) -> Path:
    """The same table as a file."""
    with QTable(path, settings=table_settings(ClassicSettings()), clock=lambda: 1_700_000_000) as table:
        learn_worked_game(table)
    return path


def board_of_state(name: str) -> chess.Board:
    fen, moves = STATES[name]
    board = chess.Board(fen)
    for san in moves.split():
        board.push_san(san)
    return board
