"""The kernel finds exactly the legal moves: counts by Stockfish, moves by python-chess."""

from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from strategies import boards

import heatmap_engine as he
from heatmap_engine.board.perft import perft_divide
from heatmap_engine.board.reading import as_board

HERE = Path(__file__).parent
# Deeper counts belong to the benchmark; this bound keeps the file under half a minute in a checked build.
MOST_NODES = 200_000_000


def cases(name: str) -> list[tuple[str, dict[int, int]]]:
    """FEN and counts by depth, from lines such as `FEN ;D1 20 ;D2 400`."""
    found = []
    for line in (HERE / name).read_text().splitlines():
        if not line.startswith("#"):
            fen, *counts = (part.strip() for part in line.split(";"))
            found.append((fen, {int(c.split()[0][1:]): int(c.split()[1]) for c in counts}))
    return found


def divided_by_python_chess(board: chess.Board, depth: int) -> dict[str, int]:
    counts = {}
    for move in board.legal_moves:
        board.push(move)
        counts[move.uci()] = he.perft(board, depth - 1)
        board.pop()
    return counts


def explain_difference(fen: str, depth: int) -> str:
    """Counts per move, for bisecting: what the kernel's moves give, what python-chess's moves give."""
    ours = perft_divide(fen, depth)
    theirs = divided_by_python_chess(as_board(fen), depth)
    lines = [
        f"  {move}: ours {ours.get(move)}, python-chess then ours {theirs.get(move)}"
        for move in sorted(ours.keys() | theirs.keys())
    ]
    return "\n".join([f"perft {depth} of {fen}", *lines])


@pytest.mark.parametrize(
    ("fen", "counts"),
    cases("perft_standard.epd") + cases("perft_awkward.epd") + cases("perft_chess960.epd"),
    ids=lambda value: str(value)[:60],
)
def test_counts_of_stockfish(fen: str, counts: dict[int, int]) -> None:
    assert counts, f"no counts in the line of {fen}"
    for depth, expected in counts.items():
        assert expected <= MOST_NODES
        assert he.perft(fen, depth) == expected, explain_difference(fen, depth)


def test_the_files_hold_what_they_promise() -> None:
    standard = dict(cases("perft_standard.epd"))
    assert max(standard[chess.STARTING_FEN]) == 6
    assert len(cases("perft_awkward.epd")) >= 40


@pytest.mark.parametrize("number", [0, 356, 518, 692, 959])
def test_a_start_of_chess960_counts_the_same_as_by_python_chess(number: int) -> None:
    """All 960 are held against Stockfish by benchmarks/perft_chess960.py."""
    board = chess.Board.from_chess960_pos(number)
    assert perft_divide(board, 3) == divided_by_python_chess(board, 3)


@settings(max_examples=1000)
@given(boards())
def test_same_moves_as_python_chess(board: chess.Board) -> None:
    ours = set(perft_divide(board, 1))
    theirs = {move.uci() for move in board.legal_moves}
    assert ours == theirs, f"{board.fen()}: only ours {ours - theirs}, only python-chess's {theirs - ours}"


@settings(max_examples=100)
@given(boards(max_plies=60))
def test_colour_flipped_twin_has_as_many_sequences(board: chess.Board) -> None:
    assert he.perft(board, 3) == he.perft(board.mirror(), 3), board.fen()


def test_depth_zero_counts_the_position_itself() -> None:
    assert he.perft("startpos", 0) == 1
