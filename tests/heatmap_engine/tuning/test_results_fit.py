"""Weights are found again from the results that they themselves explain."""

import random
from dataclasses import replace

import chess
import numpy as np
import pytest
from nets import random_net

from heatmap_engine.board.reading import pack
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.deep.weights import DeepWeights, learned_weights
from heatmap_engine.kernel.deep.evaluation import NAMES, weigh
from heatmap_engine.tuning import results_fit
from heatmap_engine.tuning.results_fit import (
    UNIT,
    Data,
    Floats,
    Sample,
    as_vector,
    as_weights,
    fit,
    loss,
    read_samples,
    samples_of,
)
from heatmap_engine.tuning.starts import ZEROS
from heatmap_engine.tuning.tasks import game_of_line, line_of_game
from heatmap_engine.tuning.training_games import DeepGame, Moment, play_deep_game

pytestmark = pytest.mark.xdist_group("results fit")

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
    return replace(found, results=results)


@pytest.fixture(scope="module")
def fitted(data: Data) -> Floats:
    return fit(data, np.zeros_like(as_vector(TRUE)), independent=1.0)


def test_features_are_counted_from_whites_side() -> None:
    counts = read_samples([Sample("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1", 1.0)]).counts[0]
    assert counts[NAMES.index("man queen")] == 1
    assert counts[NAMES.index("tempo")] == -1


def test_what_a_net_says_of_samples_is_what_it_says_in_play() -> None:
    """Pieces were counted without the kings: the net learned other rows of outputs than it plays with."""
    fens = [fen for fen in random_fens(300) if not chess.Board(fen).is_check()]
    without = replace(learned_weights(), net=None)
    weights = replace(without, net=random_net(11))
    assert weights.net is not None
    found = read_samples([Sample(fen, 0.5) for fen in fens]).sides.by_net(weights.net)
    for fen, value in zip(fens, found, strict=True):
        sign = 1 if chess.Board(fen).turn else -1
        played = weigh(pack(fen), weights.table) - weigh(pack(fen), without.table)
        assert value == pytest.approx(sign * played, abs=1e-3), fen


def test_fit_finds_what_men_are_worth(data: Data, fitted: Floats) -> None:
    assert loss(data, fitted) < loss(data, 0 * fitted)
    pawn, knight, bishop, rook, queen, _ = as_weights("found", fitted, data, {}).worth
    true = TRUE.worth
    for found, expected in zip((pawn, knight, bishop, rook, queen), true, strict=False):
        assert found == pytest.approx(expected, rel=0.35)


def test_fit_does_not_depend_on_where_it_starts(data: Data, fitted: Floats) -> None:
    assert np.max(np.abs(fit(data, as_vector(TRUE), independent=1.0) - fitted)) < 1.0


def test_positions_may_count_more_or_less_each_by_itself(data: Data) -> None:
    zeros = np.zeros_like(as_vector(TRUE))
    half = np.arange(len(data.results)) % 2 == 0
    some = Data(data.counts[half], data.middlegame[half], data.results[half], data.sides)
    alone = fit(some, zeros, independent=0.5)
    marked = fit(data, zeros, independent=0.5 * half.astype(np.float32))
    assert np.max(np.abs(alone - marked)) < 1.0


def test_a_step_from_every_third_position_is_like_one_from_all(
    data: Data, fitted: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_fit, "_ENOUGH", len(data.results) // 3)
    monkeypatch.setattr(results_fit, "_CHUNK", 256)
    found = fit(data, np.zeros_like(fitted), independent=1.0)
    assert np.max(np.abs(found - fitted)) < 1.0


@pytest.fixture
def search() -> DeepSearch:
    return DeepSearch(learned_weights(), hash_mib=1)


def replayed(board: chess.Board, plies: int) -> list[tuple[chess.Board, chess.Move]]:
    """The last positions of a game with the moves that were played there."""
    moves = board.move_stack[len(board.move_stack) - plies :]
    board = board.copy()
    for _ in moves:
        board.pop()
    found = []
    for move in moves:
        found.append((board.copy(), move))
        board.push(move)
    return found


def is_quiet(board: chess.Board, move: chess.Move) -> bool:
    return not (board.is_check() or board.is_capture(move) or move.promotion)


def test_a_game_gives_its_own_quiet_positions_and_its_result(search: DeepSearch) -> None:
    board = chess.Board("4k3/8/8/3p4/8/8/4P3/3QK3 w - - 0 1")
    game = play_deep_game(search, board, 3000, 0, random.Random(1))
    assert game.result == 1.0
    places = replayed(board, len(game.moments))
    assert [moment.position for moment in game.moments] == [
        place.fen(en_passant="fen") if is_quiet(place, move) else "" for place, move in places
    ]
    assert not all(is_quiet(place, move) for place, move in places)
    assert not any(moment.is_stray for moment in game.moments)
    samples = list(samples_of(game, 1.0))
    assert samples
    assert {sample.result for sample in samples} == {1.0}


def test_what_a_position_is_worth_is_for_white(search: DeepSearch) -> None:
    start = "rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {} KQkq - 0 1"
    for color in "wb":
        game = play_deep_game(search, chess.Board(start.format(color)), 500, 0, random.Random(1))
        assert game.moments[0].value > 50


def test_an_announced_mate_ends_a_game_and_is_not_learned(search: DeepSearch) -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    assert play_deep_game(search, board, 500, 0, random.Random(1)) == DeepGame((), 1.0)


def test_a_blind_search_learns_whatever_is_taken_and_strays_nowhere() -> None:
    board = chess.Board()
    search = DeepSearch(ZEROS, hash_mib=1)
    game = play_deep_game(search, board, 50, 0, random.Random(1), epsilon=0.5, is_blind=True)
    places = replayed(board, len(game.moments))
    assert [moment.position == "" for moment in game.moments] == [place.is_check() for place, _ in places]
    assert any(place.is_capture(move) for place, move in places)
    assert not any(moment.is_stray or moment.value for moment in game.moments)
    again = play_deep_game(search, chess.Board(), 50, 0, random.Random(1), is_blind=True)
    assert again == game


def test_a_stray_move_is_marked_and_the_searchs_own_is_none(search: DeepSearch) -> None:
    """The position is learned by the search's move, and not by the one that was played instead."""
    stray_captures: list[str] = []
    strays: list[bool] = []
    for seed in range(1, 7):
        board = chess.Board()
        game = play_deep_game(search, board, 100, 0, random.Random(seed), epsilon=0.5)
        strays += [moment.is_stray for moment in game.moments]
        stray_captures += _stray_captures(game, board)
    assert 0.2 < sum(strays) / len(strays) < 0.5  # some random moves are the search's
    assert any(stray_captures)  # from a position where the search's own move is quiet
    assert game_of_line(line_of_game(game)) == game
    again = play_deep_game(search, chess.Board(), 100, 0, random.Random(6), epsilon=0.5)
    assert again == game


def _stray_captures(game: DeepGame, board: chess.Board) -> list[str]:
    places = replayed(board, len(game.moments))
    for moment, (place, move) in zip(game.moments, places, strict=True):
        assert moment.is_stray or bool(moment.position) == is_quiet(place, move)
    return [
        moment.position
        for moment, (place, move) in zip(game.moments, places, strict=True)
        if moment.is_stray and place.is_capture(move) and not place.is_check()
    ]


def test_a_trace_of_zero_hears_of_the_positions_own_search_alone() -> None:
    game = DeepGame((Moment("a", 400), Moment("b", -400), Moment("", 0)), 1.0)
    assert [(s.fen, s.result) for s in samples_of(game, 0.0)] == [
        ("a", pytest.approx(10 / 11)),
        ("b", pytest.approx(1 / 11)),
    ]


def test_a_trace_between_mixes_the_search_with_what_followed() -> None:
    """Positions that are not learned from are on the way all the same."""
    game = DeepGame((Moment("a", 400), Moment("b", -400), Moment("", 0)), 1.0)
    last = (0.5 + 1.0) / 2
    second = (1 / 11 + last) / 2
    assert [s.result for s in samples_of(game, 0.5)] == [
        pytest.approx((10 / 11 + second) / 2),
        pytest.approx(second),
    ]


def test_what_follows_a_stray_move_says_nothing_of_the_positions_before() -> None:
    game = DeepGame((Moment("a", 0), Moment("b", 400, is_stray=True), Moment("c", -400)), 0.0)
    assert [s.result for s in samples_of(game, 0.5)] == [
        pytest.approx((0.5 + 10 / 11) / 2),
        pytest.approx(10 / 11),
        pytest.approx((1 / 11 + 0.0) / 2),
    ]
    assert [s.result for s in samples_of(game, 1.0)] == [0.0, 0.0, 0.0]


def test_the_moves_of_many_queens_do_not_turn_into_moves_of_the_other_side() -> None:
    """156 safe moves were kept in a byte, as -100."""
    counts = read_samples([Sample("2Q5/Q7/3Q1Q2/QQ2K2k/4Q3/2Q5/8/6Q1 w - - 0 1", 1.0)]).counts[0]
    assert counts[NAMES.index("landing queen safe")] == 127


def test_a_draw_by_the_games_history_is_not_learned_as_a_positions_value() -> None:
    """Black, lost, checks for ever: the position after the checks is worth nothing by itself."""
    search = DeepSearch(learned_weights(), hash_mib=1)
    board = chess.Board("6k1/R1Q5/8/8/4q3/8/6P1/6K1 b - - 0 1")
    game = play_deep_game(search, board, 5000, 0, random.Random(1))
    assert game.result == 0.5
    repeated = [moment for moment in game.moments if moment.value == 0]
    assert repeated
    assert not any(moment.position for moment in repeated)
