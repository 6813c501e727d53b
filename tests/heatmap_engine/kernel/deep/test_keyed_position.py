"""The deep search's moves are the kernel's, and its keys are right after every one of them."""

from random import Random

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import STARTS, boards

import heatmap_engine as he
from heatmap_engine.board.reading import pack
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.kernel.deep.keyed_position import key, perft


@pytest.mark.parametrize("fen", STARTS)
def test_counts_of_perft_with_every_key_recomputed(fen: str) -> None:
    assert perft(pack(fen), 4) == he.perft(fen, 4)


@settings(max_examples=100)
@given(boards())
def test_counts_and_keys_on_random_positions(board: chess.Board) -> None:
    assert perft(pack(board), 2) == he.perft(board, 2), board.fen()


@settings(max_examples=300)
@given(boards())
def test_key_is_that_of_the_position_and_of_no_neighbour(board: chess.Board) -> None:
    seen = {key(pack(board)): board.fen()}
    for move in board.legal_moves:
        board.push(move)
        # The position as the rules see it: an idle en passant square and the counters left out.
        text = board.fen(en_passant="legal").rsplit(" ", 2)[0] + " 7 30"
        again = chess.Board(text, chess960=board.chess960)
        assert key(pack(again)) == key(pack(board)), board.fen()
        other = seen.setdefault(key(pack(board)), board.fen())
        assert other == board.fen()
        board.pop()


@settings(max_examples=100)
@given(st.integers(0, 959), st.randoms(use_true_random=False))
def test_a_game_of_chess960_move_by_move_is_what_its_positions_are_from_scratch(
    number: int, random: Random
) -> None:
    """Castling swaps king and rook, or leaves one where it is: pieces, rights and keys must be right."""
    board = chess.Board.from_chess960_pos(number)
    for _ in range(60):
        reached = dict(children(pack(board)))
        moves = {move.uci(): move for move in board.legal_moves}
        assert reached.keys() == moves.keys(), board.fen()
        if not moves:
            return
        castling = [move for move in moves.values() if board.is_castling(move)]
        move = random.choice(castling or list(moves.values()))
        board.push(move)
        assert key(reached[move.uci()]) == key(pack(board)), board.fen()
        assert key_of(reached[move.uci()]) == key_of(pack(board)), board.fen()


def test_one_position_has_one_key_however_it_was_reached() -> None:
    one, other = chess.Board(), chess.Board()
    for text in ("Nf3", "Nf6", "Nc3", "Nc6"):
        one.push_san(text)
    for text in ("Nc3", "Nc6", "Nf3", "Nf6"):
        other.push_san(text)
    assert key(pack(one)) == key(pack(other))


def test_a_lost_castling_right_makes_another_position() -> None:
    fens = [f"r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1" for rights in ("KQkq", "KQk", "KQ", "kq", "-")]
    assert len({key(pack(fen)) for fen in fens}) == len(fens)


def test_only_a_pawn_that_can_be_taken_en_passant_makes_another_position() -> None:
    idle = "4k3/8/8/8/3P4/8/8/4K3 b - {} 0 1"
    assert key(pack(idle.format("d3"))) == key(pack(idle.format("-")))
    live = "4k3/8/8/8/3Pp3/8/8/4K3 b - {} 0 1"
    assert key(pack(live.format("d3"))) != key(pack(live.format("-")))
    pinned = "8/8/8/8/k2Pp2R/8/8/4K3 b - {} 0 1"
    assert key(pack(pinned.format("d3"))) == key(pack(pinned.format("-")))
