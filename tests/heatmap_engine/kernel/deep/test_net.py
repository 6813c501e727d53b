"""The kernel's net against the slow sum of its columns, and what a position's net sees."""

import random
from dataclasses import replace

import chess
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from nets import random_net
from strategies import boards

from heatmap_engine.board.reading import pack
from heatmap_engine.deep.net import INPUT_NAMES, seen_by_net
from heatmap_engine.deep.weights import DeepWeights, learned_weights
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.deep.evaluation import NAMES, NET_INPUTS, count_sides, weigh

WITHOUT = replace(learned_weights(), net=None)


def by_hand(board: chess.Board, weights: DeepWeights) -> float:
    """The net's part by the reference, from what is counted of both sides."""
    counts = np.zeros((1, 2, len(NAMES)), np.int16)
    count_sides([pack(board)], counts, np.zeros(1, np.int16))
    inputs = counts[:, :, [*NET_INPUTS.values()]].astype(np.uint8)
    assert weights.net is not None
    return float(weights.net.values(inputs, np.array([len(board.piece_map())], np.uint8))[0])


def by_kernel(board: chess.Board, weights: DeepWeights) -> float:
    packed = pack(board)
    return weigh(packed, weights.table) - weigh(packed, WITHOUT.table)


@settings(max_examples=500)
@given(boards(), st.sampled_from([0.02, 0.2, 2.0]))
def test_the_kernel_adds_what_the_reference_adds(board: chess.Board, size: float) -> None:
    assume(not board.is_check())
    weights = replace(WITHOUT, net=random_net(board.ply(), size))
    assert by_kernel(board, weights) == pytest.approx(by_hand(board, weights), abs=1e-9), board.fen()


@settings(max_examples=200)
@given(boards())
def test_colour_flipped_twin_has_the_same_net(board: chess.Board) -> None:
    assume(not board.is_check())
    weights = replace(WITHOUT, net=random_net(1))
    assert weigh(pack(board), weights.table) == weigh(pack(board.mirror()), weights.table)


def crowded(seed: int) -> chess.Board:
    """A legal position with nine queens on each side, where nobody is in check."""
    rng = random.Random(seed)
    while True:
        squares = rng.sample(chess.SQUARES, 20)
        pieces = ["K", "k", *9 * "Q", *9 * "q"]
        board = chess.Board(None)
        board.set_piece_map(
            {at: chess.Piece.from_symbol(symbol) for at, symbol in zip(squares, pieces, strict=True)}
        )
        if board.is_valid() and not board.is_check():
            return board


@pytest.mark.parametrize("seed", range(5))
def test_nine_queens_are_reckoned_alike(seed: int) -> None:
    board, weights = crowded(seed), replace(WITHOUT, net=random_net(seed, size=3.0))
    assert by_kernel(board, weights) == pytest.approx(by_hand(board, weights), abs=1e-9), board.fen()


def test_what_is_kept_of_pawns_and_kings_is_right_all_through_a_game() -> None:
    """One evaluator sees the same pawns with other kings, the same kings with other pawns, and both again."""
    weights = replace(WITHOUT, net=random_net(5))
    source = random.Random(8)
    for _ in range(6):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 150:
            board.push(source.choice([*board.legal_moves]))
            if not board.is_check():
                assert by_kernel(board, weights) == pytest.approx(by_hand(board, weights), abs=1e-9), (
                    board.fen()
                )


def test_a_board_full_of_pawns_harms_nobody() -> None:
    """No game comes to it and `pack` refuses it, but the kernel's room for what it sees must not run over."""
    board = chess.Board("k7/pppppppp/pppppppp/pppppppp/PPPPPPPP/PPPPPPPP/PPPPPPPP/7K w - - 0 1")
    weights = replace(WITHOUT, net=random_net(6))
    counts = np.zeros((1, 2, len(NAMES)), np.int16)
    packed = PackedPosition(board)
    count_sides([packed], counts, np.zeros(1, np.int16))
    assert weights.net is not None
    by_reference = weights.net.values(*seen_by_net(counts))[0]
    by_net = weigh(packed, weights.table) - weigh(packed, WITHOUT.table)
    assert by_net == pytest.approx(by_reference, abs=1e-9)


def test_of_a_lone_king_the_net_says_nothing() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    weights = replace(WITHOUT, net=random_net(2))
    assert by_kernel(board, weights) == 0 == by_hand(board, weights)


def test_each_input_has_its_own_number_and_feature() -> None:
    assert len(set(NET_INPUTS.values())) == len(NET_INPUTS) == len(set(INPUT_NAMES))
    assert "landing knight their box" in INPUT_NAMES
    assert not any(name.startswith("landing king") for name in INPUT_NAMES)


def test_a_single_column_counts_its_input() -> None:
    """A knight's moves into the other king's box, own and theirs, move the sums by what their columns say."""
    board = chess.Board("6k1/8/8/5N2/8/p7/8/6K1 w - - 0 1")
    net = random_net(4, size=0.0)
    columns = np.zeros_like(net.columns)
    columns[INPUT_NAMES.index("landing knight their box"), 0, 0] = 50
    outputs = np.zeros_like(net.outputs)
    outputs[:, 0, 0] = 256  # the mover's first sum, squared, counts 1
    weights = replace(
        WITHOUT, net=replace(net, columns=columns, outputs=outputs, output_biases=0 * net.output_biases)
    )
    box = chess.SquareSet(chess.BB_KING_ATTACKS[chess.G8])
    boxed = sum(move.from_square == chess.F5 and move.to_square in box for move in board.legal_moves)
    assert boxed > 0
    assert by_kernel(board, weights) == pytest.approx(250 * (50 * boxed / 181) ** 2, abs=0.01)
