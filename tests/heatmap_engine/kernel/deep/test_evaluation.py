"""The evaluation is features times weights, the same for both colours, and cmhm2 is one of its points."""

import random

import chess
import numpy as np
import pytest
from hypothesis import assume, given, settings
from strategies import boards

import heatmap_engine as he
from heatmap_engine.board.ends import terminal
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.weights import CMHM2, DeepWeights
from heatmap_engine.kernel.deep.evaluation import NAMES, count_sides, weigh

FRACTIONS = 256


def random_weights(seed: int) -> DeepWeights:
    """Weights that the kernel's fixed point holds exactly."""
    rng = random.Random(seed)
    values = {
        name: (rng.randint(-50_000, 50_000) / FRACTIONS, rng.randint(-50_000, 50_000) / FRACTIONS)
        for name in NAMES
    }
    return DeepWeights(f"random {seed}", values, (1, 3, 3, 5, 9, 0))


def features(board: chess.Board) -> tuple[np.ndarray[tuple[int], np.dtype[np.int16]], int]:
    counts, phases = np.zeros((1, 2, len(NAMES)), np.int16), np.zeros(1, np.int16)
    count_sides([pack(board)], counts, phases)
    return counts[0, 0] - counts[0, 1], int(phases[0])


@settings(max_examples=500)
@given(boards())
def test_features_times_weights_are_the_kernels_number(board: chess.Board) -> None:
    assume(not board.is_check())
    weights = random_weights(board.ply())
    counts, phase = features(board)
    pairs = np.array([weights.values[name] for name in NAMES])
    middlegame, endgame = counts @ pairs
    expected = (middlegame * phase + endgame * (24 - phase)) / 24
    assert weigh(pack(board), weights.table) == pytest.approx(expected, abs=1e-9), board.fen()


@settings(max_examples=300)
@given(boards())
def test_colour_flipped_twin_is_worth_the_same_to_its_mover(board: chess.Board) -> None:
    assume(not board.is_check())
    assert (features(board)[0] == features(board.mirror())[0]).all(), board.fen()
    weights = random_weights(1).table
    assert weigh(pack(board), weights) == weigh(pack(board.mirror()), weights)


@settings(max_examples=300)
@given(boards())
def test_passing_the_turn_changes_the_sign_of_all_that_counts_for_both(board: chess.Board) -> None:
    assume(not board.is_check())
    board.ep_square = None  # nobody can take en passant after a passed turn
    passed = board.copy()
    passed.push(chess.Move.null())
    one, other = features(board)[0], features(passed)[0]
    of_both = [not name.startswith(("tempo", "turn")) for name in NAMES]
    assert (one[of_both] == -other[of_both]).all(), board.fen()


@settings(max_examples=300)
@given(boards())
def test_what_counts_for_the_mover_is_its_own_share_of_what_counts_for_both(board: chess.Board) -> None:
    assume(not board.is_check())
    board.ep_square = None
    passed = board.copy()
    passed.push(chess.Move.null())
    mover, waiting = features(board)[0], features(passed)[0]
    turn = [
        (place, NAMES.index(name.removeprefix("turn ")))
        for place, name in enumerate(NAMES)
        if name.startswith("turn ")
    ]
    assert [mover[place] - waiting[place] for place, _ in turn] == [mover[both] for _, both in turn], (
        board.fen()
    )


@settings(max_examples=500)
@given(boards())
def test_cmhm2_is_the_heat_of_both_sides_moves(board: chess.Board) -> None:
    assume(not board.is_check())
    passed = board.copy()
    passed.push(chess.Move.null())
    assume(not terminal(board) and not terminal(passed))
    heat = he.score(board, 0) + he.score(passed, 0)  # each counts its mover's moves alone
    mover = 1 if board.turn else -1
    assert weigh(pack(board), CMHM2.table) == pytest.approx(mover * heat, abs=1e-9), board.fen()


def test_features_by_hand() -> None:
    counts = dict(zip(NAMES, features(chess.Board("6k1/5ppp/8/3P4/8/8/6PP/R5K1 w - - 0 1"))[0], strict=True))
    expected = {
        "man pawn": 0,
        "man rook": 1,
        "move pawn": 5 - 6,  # d6; g3, g4, h3, h4 - the pawns of f7, g7 and h7 have two steps each
        "moves rook 12": 1,  # a2 to a8 and b1 to f1
        "moves king 3": 1,  # f1, h1, f2
        "moves king 2": -1,  # f8, h8
        "landing rook far half": 4,  # a5 to a8
        "landing rook own box": 1,  # f1
        "landing rook their box": 0,
        "passed rank 4": 1,  # ranks are counted from 0
        "isolated": 1,
        "rook open": 1,
        "shelter 2": 1,
        "shelter 3": -1,
        "tempo": 1,
    }
    assert {name: counts[name] for name in expected} == expected
