"""Levels of limited strength: what the table says, what is chosen, and that a beginner is no fool."""

from collections import Counter
from dataclasses import replace
from random import Random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heatmap_engine.deep.habits import considered, naturalness
from heatmap_engine.deep.levels import (
    NODES_OF_LINES,
    Level,
    choice,
    elo_range,
    level_of,
    measured_levels,
)
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.thinking_time import thinking_time
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.errors import GameOver, InvalidSettings
from heatmap_engine.limits import Limits

LOWEST, HIGHEST = elo_range()
MIDDLEGAMES = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
    "r2q1rk1/1bppbppp/p1n2n2/1p2p3/4P3/1B1P1N2/PPP2PPP/RNBQR1K1 w - - 1 9",
    "rnbq1rk1/pp3pbp/3p1np1/2pP4/4P3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 9",
    "r1b2rk1/2q1bppp/p2ppn2/1pn5/3NP3/1BN1B3/PPP1QPPP/R4RK1 w - - 2 12",
    "2rq1rk1/pb1nbppp/1p2pn2/3p4/2PP4/1PN1PN2/PB2BPPP/2RQ1RK1 w - - 2 11",
]
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
HANGING_QUEEN = "rnb1kbnr/pppp1ppp/8/4p1q1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 3"


def limited(elo: int, seed: int = 1) -> LimitedSearch:
    return LimitedSearch(learned_weights(), level_of(elo), Random(seed))


def test_levels_that_were_measured_grow_in_all_that_makes_strength() -> None:
    levels = measured_levels()
    assert len(levels) >= 5
    assert [level.elo for level in levels] == sorted({level.elo for level in levels})
    nodes = [nodes_of_one_line(level) for level in levels]
    assert nodes == sorted(nodes)
    for errs in ("oversight", "temperature"):
        shares = [getattr(level, errs) for level in levels]
        assert shares == sorted(shares, reverse=True)
        assert shares[-1] == 0


def test_levels_reach_from_a_beginner_to_a_strong_club_player() -> None:
    assert LOWEST <= 800
    assert HIGHEST >= 2000


@given(st.integers(LOWEST, HIGHEST - 1))
def test_a_higher_level_never_has_fewer_nodes_nor_errs_more(elo: int) -> None:
    low, high = level_of(elo), level_of(elo + 1)
    assert nodes_of_one_line(low) <= nodes_of_one_line(high)
    assert low.oversight >= high.oversight
    assert low.temperature >= high.temperature
    assert (low.nodes, low.oversight, low.temperature) != (high.nodes, high.oversight, high.temperature)


def nodes_of_one_line(level: Level) -> float:
    return level.nodes / (NODES_OF_LINES if level.lines > 1 else 1)


def test_just_below_the_levels_of_one_line_searches_are_about_as_deep_as_there() -> None:
    """They were three plies less deep: six lines had the nodes of one."""
    first = next(level.elo for level in measured_levels() if level.lines == 1)
    assert level_of(first - 1).lines > 1
    depths = [sum(limited(elo).search(fen).depth for fen in MIDDLEGAMES) for elo in (first - 1, first)]
    assert abs(depths[0] - depths[1]) <= len(MIDDLEGAMES), (
        "by a ply: one line is told of a depth it only began"
    )


def test_a_measured_level_has_just_its_settings() -> None:
    for level in measured_levels()[1:-1]:
        found = level_of(level.elo)
        assert replace(found, elo=0) == replace(level, elo=0)


@pytest.mark.parametrize("elo", [LOWEST - 1, HIGHEST + 1, float("nan")])
def test_a_level_that_nobody_measured_is_refused(elo: float) -> None:
    with pytest.raises(InvalidSettings, match=f"Elo must be from {LOWEST} to {HIGHEST}"):
        level_of(elo)


def test_without_temperature_the_best_is_chosen() -> None:
    assert {choice([5, 5, -300], 0, Random(seed)) for seed in range(50)} == {0}


def test_worse_moves_are_chosen_as_often_as_the_temperature_says() -> None:
    source = Random(1)
    counts = Counter(choice([100, 30, -31_000], 70, source) for _ in range(20_000))
    assert counts[2] == 0
    # e to 1; twenty thousand choices lie within two in a hundred of it.
    assert counts[0] / 20_000 == pytest.approx(0.7311, abs=0.02)


def test_the_same_seed_plays_the_same_moves() -> None:
    def moves(seed: int) -> list[chess.Move]:
        player, board = limited(LOWEST, seed), chess.Board()
        for _ in range(12):
            board.push(player.search(board).move)
        return board.move_stack

    assert moves(1) == moves(1)
    assert len({tuple(move.uci() for move in moves(seed)) for seed in range(4)}) > 1


def share_of(player: LimitedSearch, fen: str, move: str, times: int = 60) -> float:
    """How often this move is played."""
    return sum(player.search(fen).move.uci() == move for _ in range(times)) / times


def test_the_lowest_level_mostly_takes_a_queen_that_hangs_and_a_mate_at_hand() -> None:
    assert share_of(limited(LOWEST), HANGING_QUEEN, "c1g5") >= 0.6
    assert share_of(limited(LOWEST), MATE_IN_ONE, "a1a8") >= 0.6


def test_a_level_in_the_middle_takes_both_nearly_always() -> None:
    middle = (LOWEST + HIGHEST) // 2
    assert share_of(limited(middle), HANGING_QUEEN, "c1g5") >= 0.8
    assert share_of(limited(middle), MATE_IN_ONE, "a1a8") >= 0.95


@pytest.mark.parametrize("elo", sorted({LOWEST, 800, 1200, 1600, 2000}))
def test_games_are_opened_with_natural_moves(elo: int) -> None:
    """They were opened with 2.a3, 3.c3 and 4.h3."""
    games, edge = 20, 0
    for seed in range(games):
        player, board = limited(elo, seed), chess.Board()
        for _ in range(6):
            move = player.search(board).move
            is_at_edge = chess.square_file(move.to_square) in (0, 7)
            edge += is_at_edge and board.piece_type_at(move.from_square) == chess.PAWN
            board.push(move)
    assert edge / (6 * games) <= 0.04


def test_natural_moves_bring_pieces_out() -> None:
    board = chess.Board()
    liked = {move.uci(): naturalness(board, move) for move in board.legal_moves}
    assert min(liked["g1f3"], liked["b1c3"], liked["e2e4"], liked["d2d4"]) > 0
    assert max(liked["a2a3"], liked["h2h4"], liked["g1h3"], liked["b2b3"]) < 0
    castled = chess.Board("r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4")
    liked = {move.uci(): naturalness(castled, move) for move in castled.legal_moves}
    assert max(liked, key=lambda name: liked[name]) == "e1g1"
    assert liked["e1e2"] < 0
    assert liked["c4f7"] == 0, "a capture is a matter of counting"


def test_who_sees_a_mate_does_not_put_it_off() -> None:
    """A level of several lines walked about with its queen, mate in three at hand, until it was drawn."""
    elo = max(level.elo for level in measured_levels() if level.temperature)
    board, defender = chess.Board("8/8/8/4k3/8/8/8/KQ6 w - - 0 1"), limited(HIGHEST)
    player = limited(int(elo), seed=2)
    while not board.is_game_over(claim_draw=True):
        board.push((player if board.turn else defender).search(board, Limits(nodes=20_000)).move)
    assert board.is_checkmate()


def test_in_check_and_with_one_move_every_move_comes_to_mind() -> None:
    check = chess.Board("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")
    moves = [*check.legal_moves]
    assert len(moves) > 1
    assert all(considered(check, moves, 1.0, Random(seed)) == moves for seed in range(20))
    forced = chess.Board("7k/8/8/8/8/8/r7/7K w - - 0 1")
    (only,) = forced.legal_moves
    assert all(considered(forced, [only], 1.0, Random(seed)) == [only] for seed in range(20))


def test_of_the_moves_that_are_asked_for_one_is_played() -> None:
    moves = [chess.Move.from_uci(name) for name in ("a2a3", "h2h4")]
    assert {limited(LOWEST, seed).search("startpos", moves=moves).move for seed in range(30)} <= {*moves}


def test_the_lowest_level_errs_where_a_level_without_temperature_never_does() -> None:
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")

    def played(level: Level) -> set[chess.Move]:
        return {
            LimitedSearch(learned_weights(), level, Random(seed)).search(board).move for seed in range(30)
        }

    lowest = level_of(LOWEST)
    assert len(played(lowest)) > 1
    assert len(played(Level(LOWEST, lowest.nodes, 0.0, 0.0))) == 1


def test_a_level_keeps_its_nodes_and_the_end_of_a_game_is_told() -> None:
    level = level_of(LOWEST)
    player = LimitedSearch(learned_weights(), level, Random(1))
    assert 0 < player.search("startpos").nodes <= level.nodes
    with pytest.raises(GameOver):
        player.search("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")


def test_a_level_seems_to_think_within_what_the_clock_allows() -> None:
    board = chess.Board(MIDDLEGAMES[0])
    for available in (0.0, 0.001, 0.05, 1.0, 60.0, 1e9):
        for move in board.legal_moves:
            assert 0 <= thinking_time(board, move, available) <= min(available, 5.0)
    quiet = chess.Move.from_uci("a2a3")
    assert thinking_time(board, quiet, 1.0) == thinking_time(board, quiet, 1.0) > 0.3


def test_forced_moves_and_recaptures_take_less_time_than_others() -> None:
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/3PP3/5N2/PPP2PPP/RNBQKB1R b KQkq - 0 10")
    board.push_uci("e5d4")
    retakes, other = (thinking_time(board, chess.Move.from_uci(name), 4.0) for name in ("f3d4", "c2c3"))
    assert retakes < other
    forced = chess.Board("7k/8/8/8/8/8/6q1/7K w - - 0 20")
    assert thinking_time(forced, chess.Move.from_uci("h1g2"), 4.0) < retakes
