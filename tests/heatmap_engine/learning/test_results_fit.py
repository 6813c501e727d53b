"""Weights are found again from the results that they themselves explain."""

import random

import chess
import numpy as np
import pytest

from games.openings import load_openings
from heatmap_engine.deep import DeepSearch
from heatmap_engine.heat_weights import DeepWeights, learned_weights
from heatmap_engine.kernel.evaluation import NAMES
from heatmap_engine.learning.deep_games import (
    DeepGame,
    Moment,
    look_again,
    play_deep_game,
)
from heatmap_engine.learning.results_fit import (
    UNIT,
    Data,
    Sample,
    as_vector,
    as_weights,
    fit,
    loss,
    read_samples,
    samples_of,
    seen_samples_of,
)
from heatmap_engine.learning.tuning.tasks import game_of_line, line_of_game

MEN = {"man pawn": 90.0, "man knight": 300.0, "man bishop": 310.0, "man rook": 480.0, "man queen": 950.0}
TRUE = DeepWeights("true", {name: (value, value) for name, value in MEN.items()}, (90, 300, 310, 480, 950, 0))


def random_fens(count: int) -> list[str]:
    """Positions with very different men: a start position, each officer and pawn there or not."""
    rng = random.Random(5)
    fens: list[str] = []
    while len(fens) < count:
        board = chess.Board()
        board.castling_rights = 0
        for square in chess.SQUARES:
            if board.piece_type_at(square) not in (None, chess.KING) and rng.random() < 0.5:
                board.remove_piece_at(square)
        board.turn = rng.random() < 0.5
        if board.is_valid() and not board.is_check():
            fens.append(board.fen())
    return fens


@pytest.fixture(scope="module")
def data() -> Data:
    """Positions whose results were drawn by the true weights' chances."""
    fens = random_fens(3000)
    found = read_samples([Sample(fen, 0.5) for fen in fens])
    values = found.rows(slice(None)) @ as_vector(TRUE)
    rng = np.random.default_rng(7)
    results = (rng.random(len(fens)) < 1 / (1 + np.exp(-UNIT * values))).astype(np.float32)
    return Data(found.counts, found.middlegame, results)


def test_features_are_counted_from_whites_side() -> None:
    counts = read_samples([Sample("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1", 1.0)]).counts[0]
    assert counts[NAMES.index("man queen")] == 1
    assert counts[NAMES.index("tempo")] == -1


def test_fit_finds_what_men_are_worth(data: Data) -> None:
    vector = fit(data, np.zeros_like(as_vector(TRUE)), independent=1.0)
    assert loss(data, vector) < loss(data, 0 * vector)
    pawn, knight, bishop, rook, queen, _ = as_weights("found", vector, data, {}).worth
    true = TRUE.worth
    for found, expected in zip((pawn, knight, bishop, rook, queen), true, strict=False):
        assert found == pytest.approx(expected, rel=0.35)


def test_fit_does_not_depend_on_where_it_starts(data: Data) -> None:
    zeros = np.zeros_like(as_vector(TRUE))
    one, other = fit(data, zeros, independent=1.0), fit(data, as_vector(TRUE), independent=1.0)
    assert np.max(np.abs(one - other)) < 1.0


def test_a_game_gives_quiet_positions_and_its_result() -> None:
    search = DeepSearch(learned_weights(), hash_mib=1)
    board = chess.Board("4k3/8/8/8/8/8/4P3/3QK3 w - - 0 1")
    game = play_deep_game(search, board, 3000, 0, random.Random(1))
    assert game.result == 1.0
    assert not any(chess.Board(moment.leaf).is_check() for moment in game.moments if moment.leaf)
    assert game_of_line(line_of_game(game)) == game
    samples = list(samples_of(game, 1.0))
    assert samples
    assert {sample.result for sample in samples} == {1.0}


def test_a_trace_of_zero_hears_of_the_next_value_alone() -> None:
    game = DeepGame((Moment("a", 400), Moment("b", -400), Moment("", 0)), 1.0)
    assert [(s.fen, s.result) for s in samples_of(game, 0.0)] == [
        ("a", pytest.approx(1 / 11)),
        ("b", pytest.approx(0.5)),
    ]
    assert [s.result for s in samples_of(game, 0.5)] == [
        pytest.approx((0.75 + 1 / 11) / 2),
        pytest.approx(0.75),
    ]


def test_the_moves_of_many_queens_do_not_turn_into_moves_of_the_other_side() -> None:
    """156 safe moves were kept in a byte, as -100."""
    counts = read_samples([Sample("2Q5/Q7/3Q1Q2/QQ2K2k/4Q3/2Q5/8/6Q1 w - - 0 1", 1.0)]).counts[0]
    assert counts[NAMES.index("landing queen safe")] == 127


def test_leaves_are_searched_from_again_where_that_is_asked_for_and_they_are_calm() -> None:
    weights = learned_weights()
    leaves = [opening.board().fen() for opening in load_openings()[:12]]
    hanging = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"  # the evaluation does not take the queen
    moments = (*(Moment(leaf, 0) for leaf in leaves), Moment("", 0), Moment(hanging, 0))
    game = DeepGame(moments, 0.5)
    again = look_again(DeepSearch(weights, hash_mib=1), weights, game, 500, range(6, 13))
    assert not any(moment.seen is not None for moment in again.moments[:6])
    assert any(moment.seen is not None for moment in again.moments[6:12])
    assert [moment.seen for moment in again.moments[12:]] == [None, None]
    assert game_of_line(line_of_game(again)) == again


def test_what_is_seen_from_a_leaf_is_for_white() -> None:
    weights = learned_weights()
    leaf = "rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {} KQkq - 0 1"
    moments = tuple(Moment(leaf.format(color), 0) for color in "wb")
    again = look_again(DeepSearch(weights, hash_mib=1), weights, DeepGame(moments, 0.5), 500, range(2))
    assert [moment.seen is not None and moment.seen > 50 for moment in again.moments] == [True, True]


def test_what_is_seen_from_a_leaf_says_most() -> None:
    game = DeepGame((Moment("a", 0, 400), Moment("b", 0)), 0.0)
    assert [sample.result for sample in samples_of(game, 0.5)] == [0.25, 0.0]
    (seen,) = seen_samples_of(game, 0.5)
    followed, from_leaf = 0.25, 10 / 11
    assert seen.fen == "a"
    assert (followed + from_leaf) / 2 < seen.result < from_leaf
