"""The kernel against the specification, on random positions."""

import chess
import numpy as np
import pytest
from hypothesis import assume, given, settings
from strategies import ENDGAMES, boards

import heatmap_engine as he
from heatmap_engine import reference
from heatmap_engine.kernel.board.landings import count_landings
from heatmap_engine.kernel.board.packed import PackedPosition


def kernel_landings(board: chess.Board, depth: int) -> reference.Counts:
    """The kernel's counts, given the colour axis that the reference has."""
    counts = np.zeros((depth + 1, 6, 64), dtype=np.int64)
    count_landings(PackedPosition(board), counts)
    by_colour = np.zeros((depth + 1, 2, 6, 64), dtype=np.int64)
    for ply in range(depth + 1):
        by_colour[ply, (int(board.turn) + ply) % 2] = counts[ply]
    return by_colour


def differences(board: chess.Board, ours: reference.Counts, theirs: reference.Counts) -> str:
    lines = [
        f"  ply {ply} {chess.COLOR_NAMES[color]} {chess.piece_name(piece + 1)} to {chess.square_name(square)}"
        f": kernel {ours[ply, color, piece, square]}, reference {theirs[ply, color, piece, square]}"
        for ply, color, piece, square in np.argwhere(ours != theirs)
    ]
    return "\n".join([board.fen(), *lines])


def check(board: chess.Board, depth: int) -> None:
    expected = reference.landings(board, depth)
    counts = kernel_landings(board, depth)
    assert np.array_equal(counts, expected), differences(board, counts, expected)
    for shallower in range(depth + 1):
        heat = reference.discounted(expected[: shallower + 1]).sum(axis=0)
        assert np.abs(he.heatmap_by_piece(board, shallower) - heat).max() <= 1e-9, board.fen()
        for weights in (he.CMHM2, he.CMHM2_STATIC):
            over = reference.terminal_score(board, shallower, weights)
            # Counted once: a reference's landings take most of the time of these tests.
            score = reference.weighed(board, expected[: shallower + 1], weights) if over is None else over
            assert he.score(board, shallower, weights) == pytest.approx(score, abs=1e-9), board.fen()


@settings(max_examples=2000)
@given(boards())
def test_depth_one(board: chess.Board) -> None:
    check(board, 1)


@settings(max_examples=50)
@given(boards())
def test_the_references_score_is_that_of_its_landings(board: chess.Board) -> None:
    assert he.score(board) == pytest.approx(reference.score(board), abs=1e-9), board.fen()


@settings(max_examples=250)
@given(boards(ENDGAMES))
def test_depth_two(board: chess.Board) -> None:
    assume(he.perft(board, 3) < 30_000)  # the reference plays every one of these moves
    check(board, 2)


@settings(max_examples=50)
@given(boards(ENDGAMES))
def test_depth_three(board: chess.Board) -> None:
    assume(he.perft(board, 4) < 30_000)
    check(board, 3)


@settings(max_examples=300)
@given(boards())
def test_same_end_of_the_game(board: chess.Board) -> None:
    assert he.explain(board, 0).terminal == reference.terminal(board), board.fen()
