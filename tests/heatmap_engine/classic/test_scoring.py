"""What the public face promises of heat and scores."""

import json
import pickle
import random
import sys
import threading
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from strategies import boards

import heatmap_engine as he

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "static.json").read_text())


@pytest.mark.parametrize("fen", GOLDEN, ids=lambda fen: GOLDEN[fen]["name"])
def test_golden_figures(fen: str) -> None:
    golden = GOLDEN[fen]
    for depth, expected in golden["score"].items():
        assert he.score(fen, int(depth)) == pytest.approx(expected, abs=1e-9)
    assert he.score(fen, 1, he.CMHM2_STATIC) == pytest.approx(golden["score_cmhm2_static"], abs=1e-9)
    if "heatmap" in golden:
        expected = np.array(golden["heatmap"])
        assert he.heatmap(fen)[chess.WHITE] == pytest.approx(expected[:, 0], abs=1e-9)
        assert he.heatmap(fen)[chess.BLACK] == pytest.approx(expected[:, 1], abs=1e-9)


@settings(max_examples=500)
@given(boards())
def test_colour_flipped_twin_has_exactly_the_negated_score(board: chess.Board) -> None:
    board.clear_stack()  # a mirror image has no history, so it cannot be drawn by repetition
    for depth in (0, 1):
        for weights in (he.CMHM2, he.CMHM2_STATIC):
            assert he.score(board.mirror(), depth, weights) == -he.score(board, depth, weights), board.fen()


@settings(max_examples=500)
@given(boards())
def test_left_right_mirror_image_has_the_same_score(board: chess.Board) -> None:
    board.castling_rights = chess.BB_EMPTY
    board.clear_stack()
    image = board.transform(chess.flip_horizontal)
    for depth in (0, 1):
        assert he.score(image, depth) == he.score(board, depth), board.fen()


@settings(max_examples=300)
@given(boards())
def test_heat_sums_to_the_number_of_moves(board: chess.Board) -> None:
    moves = he.perft(board, 1)
    heat = he.heatmap(board, 0)
    assert heat.sum() == heat[board.turn].sum() == moves
    if moves:
        assert he.heatmap(board, 1)[not board.turn].sum() == pytest.approx(he.perft(board, 2) / moves)
    assert he.heatmap_by_piece(board).sum(axis=1) == pytest.approx(he.heatmap(board))


@settings(max_examples=300)
@given(boards())
def test_explanation_adds_up_to_the_score(board: chess.Board) -> None:
    explanation = he.explain(board)
    assert explanation.score == he.score(board)
    if explanation.terminal is None:
        parts = explanation.white.total - explanation.black.total
        assert parts == pytest.approx(explanation.score, abs=1e-9), board.fen()


def test_heat_is_indexed_by_colour_and_square() -> None:
    heat = he.heatmap(chess.Board())
    assert heat.shape == (2, 64)
    assert heat.dtype == np.float64
    assert heat[chess.WHITE, chess.F3] == 2.0
    assert heat[chess.BLACK, chess.F3] == 0.0
    assert heat[chess.WHITE][chess.F3] == 2.0
    assert (heat[chess.BLACK][chess.SQUARES[40:48]] == [2, 1, 2, 1, 1, 2, 1, 2]).all()
    assert (heat * 2)[chess.WHITE, chess.F3] == 4.0
    assert type(heat.sum()) is np.float64  # it used to be an array of no axes
    assert type(heat.max()) is np.float64
    assert heat.sum(axis=0)[chess.F3] == 2.0
    heat[chess.WHITE, chess.F3] = 7.0
    assert np.asarray(heat)[1, chess.F3] == 7.0
    assert heat[heat > 6].tolist() == [7.0]


def test_promotion_counts_four_times_and_by_the_pawn() -> None:
    heat = he.heatmap_by_piece("8/P7/8/8/8/8/8/k1K5 w - - 0 1", 0)
    assert heat[chess.WHITE, chess.PAWN - 1, chess.A8] == 4.0


def test_castling_lands_where_the_king_lands() -> None:
    heat = he.heatmap_by_piece("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 0)
    assert heat[chess.WHITE, chess.KING - 1, chess.G1] == 1.0
    assert heat[chess.WHITE, chess.KING - 1, chess.C1] == 1.0


def test_heat_is_counted_past_a_draw_but_the_score_is_not() -> None:
    fen = "4k3/8/8/8/8/8/R7/4K3 w - - 100 80"
    assert he.heatmap(fen)[chess.WHITE].sum() > 0
    assert he.score(fen) == 0.0
    assert he.explain(fen).terminal == "fifty moves"


def test_third_occurrence_is_a_draw() -> None:
    board = chess.Board("4k3/8/8/8/8/8/R7/4K3 w - - 0 1")
    for uci in ["a2a3", "e8e7", "a3a2", "e7e8"] * 2:
        assert he.score(board) != 0.0
        board.push_uci(uci)
    assert he.score(board) == he.score_many([board])[0] == 0.0
    assert he.score(board.fen()) != 0.0


def test_third_occurrence_is_seen_wherever_python_chess_sees_it() -> None:
    rng = random.Random(5)
    seen = 0
    for _ in range(60):
        board = chess.Board("8/8/3k4/8/8/3KR3/8/8 w - - 0 1")
        for _ in range(90):
            moves = list(board.legal_moves)
            last = board.move_stack[-2].from_square if len(board.move_stack) > 1 else None
            back = [move for move in moves if move.to_square == last]  # so that much is repeated
            board.push(rng.choice(back if back and rng.random() < 0.8 else moves))
            if not any(board.legal_moves) or board.is_insufficient_material():
                break
            repeated = he.explain(board).terminal == "threefold repetition"
            assert repeated == (board.is_repetition(3) and board.halfmove_clock < 100), board.move_stack
            seen += repeated
    assert seen > 20


def test_a_board_shared_by_threads_is_only_read() -> None:
    # To see the third occurrence, moves were taken back and played again on the board itself, and another
    # thread that scored the same board met it half way.
    board = chess.Board()
    for san in ["Nf3", "Nf6", "Ng1", "Ng8"] * 4:
        board.push_san(san)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        scores = he.score_many([board] * 20_000, threads=4)
    finally:
        sys.setswitchinterval(before)
    assert set(scores) == {0.0}
    assert len(board.move_stack) == 16


def test_weights_can_be_sent_to_another_process() -> None:
    # Weights that had scored once held the kernel's table, which cannot be pickled.
    he.score("startpos", 1, he.CMHM2_STATIC)
    sent = pickle.loads(pickle.dumps(he.CMHM2_STATIC))
    assert sent == he.CMHM2_STATIC
    assert he.score("startpos", 0, sent) == he.score("startpos", 0, he.CMHM2_STATIC)


def test_mate_on_the_board_with_a_third_occurrence_is_a_mate() -> None:
    board = chess.Board()
    for san in ["f3", "e5", "g4", "Qh4#"]:
        board.push_san(san)
    assert he.score(board) == -32 * 2 * 64
    assert he.score(board, 0) == -32 * 64
    assert he.score(board, 1, he.CMHM2_STATIC) == -32 * 2 * 64 * 27


def test_score_many_equals_score_in_order_and_in_threads() -> None:
    fens = [fen for fen in GOLDEN for _ in range(20)]
    expected = [he.score(fen) for fen in fens]
    assert he.score_many(fens).tolist() == expected
    assert he.score_many(iter(chess.Board(fen) for fen in fens), threads=2).tolist() == expected
    assert he.score_many([]).tolist() == []


def test_weights_differ_by_ply_and_piece() -> None:
    only_knights_now = he.Weights("knights", move=((0, 1, 0, 0, 0, 0), (0,) * 6), box=((0,) * 6,))
    assert he.score("startpos", 3, only_knights_now) == 4.0
    replies = he.Weights("replies", move=((0,) * 6, (1, 0, 0, 0, 0, 0), (0,) * 6), box=((0,) * 6,))
    assert he.score("startpos", 1, replies) == pytest.approx(-16.0)


def test_two_threads_score_at_the_same_time() -> None:
    expected = he.score("startpos", 3)
    scores: list[float] = []
    threads = [threading.Thread(target=lambda: scores.append(he.score("startpos", 3))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [expected] * 4
