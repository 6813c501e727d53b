"""Games against a lone king: what is begun, what those that end by mate teach, and that it helps."""

import random

import chess
import pytest

from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.limits import Limits
from heatmap_engine.tuning.lone_king import lone_king, play_to_mate


def test_one_side_has_only_its_king_and_the_other_is_on_the_move() -> None:
    winners = set()
    for seed in range(60):
        board = lone_king(random.Random(seed))
        assert board.is_valid()
        assert len(board.piece_map()) >= 3
        assert chess.popcount(board.occupied_co[not board.turn]) == 1
        winners.add(board.turn)
    assert winners == {chess.WHITE, chess.BLACK}


@pytest.mark.parametrize("winner", [chess.WHITE, chess.BLACK])
def test_the_nearer_the_mate_the_more_is_expected(winner: chess.Color) -> None:
    board = chess.Board("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    board = board if winner else board.mirror()
    learned = play_to_mate(DeepSearch(hash_mib=1), board, 20_000)
    assert board.is_checkmate()
    expected = [each if winner else 1 - each for _, each in learned]
    assert len(expected) > 5
    assert expected == sorted(expected)
    assert 0.9 < expected[0] < expected[-1] < 1


def test_a_game_without_a_mate_teaches_nothing() -> None:
    alike = chess.Board("8/8/8/2k5/8/8/B7/KB6 w - - 90 80")
    assert play_to_mate(DeepSearch(hash_mib=1), alike, 500) == []


@pytest.mark.parametrize("men", ["Q", "R", "BN"])
def test_the_package_mates_a_lone_king(men: str) -> None:
    """From some squares bishop and knight still come to fifty moves, as the records of trials say."""
    board = chess.Board("8/8/8/3k4/8/8/8/K7 w - - 0 1")
    for square, name in zip((chess.B1, chess.C1), men, strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(name))
    search = DeepSearch(hash_mib=16)
    while not board.is_game_over(claim_draw=True):
        board.push(search.search(board, Limits(nodes=30_000)).move)
    assert board.is_checkmate()
