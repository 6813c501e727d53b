"""The specification gives figures that were worked out by hand, and those of the original engine."""

import json
from pathlib import Path

import chess
import numpy as np
import pytest

from heatmap_engine import reference
from heatmap_engine.classic.weights import CMHM2, CMHM2_STATIC

GOLDEN = json.loads((Path(__file__).parent / "golden" / "static.json").read_text())

# The reference visits every move: depth 2 on these takes seconds, and the kernel's test has them.
TOO_MANY_MOVES = {"wac001", "bk03"}

DESIGN_LINE = [
    ("", 0.0),
    ("e4", 10.0),
    ("e5", 0.20689655172414),
    ("Nf3", -2.13793103448276),
    ("Nc6", -3.92592592592592),
    ("Bb5", 2.13333333333333),
]


def test_line_of_the_definition() -> None:
    board = chess.Board()
    for san, expected in DESIGN_LINE:
        if san:
            board.push_san(san)
        assert reference.score(board) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("8/2p2p2/4p3/2k5/8/6q1/2K5/1r1q4 w - - 2 59", -1024),
        ("6R1/7p/2p2p1k/p1P2Q2/P7/6K1/5P2/8 b - - 0 52", 0),
    ],
)
def test_ends_of_the_definition(fen: str, expected: float) -> None:
    assert reference.score(chess.Board(fen)) == expected


@pytest.mark.parametrize("fen", GOLDEN, ids=lambda fen: GOLDEN[fen]["name"])
def test_golden_scores(fen: str) -> None:
    golden = GOLDEN[fen]
    for depth, expected in golden["score"].items():
        if depth == "2" and golden["name"] in TOO_MANY_MOVES:
            continue
        assert reference.score(chess.Board(fen), int(depth), CMHM2) == pytest.approx(expected, abs=1e-9)
    static = reference.score(chess.Board(fen), 1, CMHM2_STATIC)
    assert static == pytest.approx(golden["score_cmhm2_static"], abs=1e-9)


@pytest.mark.parametrize(
    "fen", [fen for fen in GOLDEN if "heatmap" in GOLDEN[fen]], ids=lambda fen: GOLDEN[fen]["name"]
)
def test_golden_heatmaps(fen: str) -> None:
    heat = reference.heatmap(chess.Board(fen))
    expected = np.array(GOLDEN[fen]["heatmap"])
    assert heat[1] == pytest.approx(expected[:, 0], abs=1e-9)
    assert heat[0] == pytest.approx(expected[:, 1], abs=1e-9)


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "checkmate"),
        ("8/8/4kb2/8/2K5/8/3B4/8 w - - 0 1", "insufficient material"),
        ("8/8/4kb2/8/2K5/8/4B3/8 w - - 0 1", None),
        ("8/8/4kb2/8/2K5/8/4B3/8 w - - 100 90", "fifty moves"),
        ("8/8/4k3/8/2K5/8/3N4/8 w - - 0 1", "insufficient material"),
    ],
)
def test_ends_of_the_game(fen: str, reason: str | None) -> None:
    assert reference.terminal(chess.Board(fen)) == reason


def test_third_occurrence_counts_in_the_games_own_history_only() -> None:
    board = chess.Board()
    for san in ["Nf3", "Nf6", "Ng1", "Ng8"] * 2:
        assert reference.terminal(board) is None
        board.push_san(san)
    assert reference.terminal(board) == "threefold repetition"
    assert reference.terminal(chess.Board(board.fen())) is None
