"""Levels of limited strength: what the table says, what is chosen, and that a beginner is no fool."""

from collections import Counter
from random import Random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heatmap_engine.deep.levels import (
    NODES_OF_LINES,
    Level,
    choice,
    elo_range,
    level_of,
    measured_levels,
)
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.errors import GameOver, InvalidSettings

LOWEST, HIGHEST = elo_range()
MIDDLEGAMES = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
    "r2q1rk1/1bppbppp/p1n2n2/1p2p3/4P3/1B1P1N2/PPP2PPP/RNBQR1K1 w - - 1 9",
    "rnbq1rk1/pp3pbp/3p1np1/2pP4/4P3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 9",
    "r1b2rk1/2q1bppp/p2ppn2/1pn5/3NP3/1BN1B3/PPP1QPPP/R4RK1 w - - 2 12",
    "2rq1rk1/pb1nbppp/1p2pn2/3p4/2PP4/1PN1PN2/PB2BPPP/2RQ1RK1 w - - 2 11",
]
HANGING_QUEEN = "rnb1kbnr/pppp1ppp/8/4p1q1/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 3"


def limited(elo: int, seed: int = 1) -> LimitedSearch:
    return LimitedSearch(learned_weights(), level_of(elo), Random(seed))


def test_levels_that_were_measured_grow_in_all_that_makes_strength() -> None:
    levels = measured_levels()
    assert len(levels) >= 5
    assert [level.elo for level in levels] == sorted({level.elo for level in levels})
    assert [level.nodes for level in levels] == sorted(level.nodes for level in levels)
    temperatures = [level.temperature for level in levels]
    assert temperatures == sorted(temperatures, reverse=True)


@given(st.integers(LOWEST, HIGHEST - 1))
def test_a_higher_level_never_has_fewer_nodes_nor_errs_more(elo: int) -> None:
    low, high = level_of(elo), level_of(elo + 1)
    assert nodes_of_one_line(low) <= nodes_of_one_line(high)
    assert low.temperature >= high.temperature
    assert (low.nodes, low.temperature) != (high.nodes, high.temperature) or low.nodes < 500


def nodes_of_one_line(level: Level) -> float:
    return level.nodes / (NODES_OF_LINES if level.lines > 1 else 1)


def test_just_below_the_highest_level_searches_are_about_as_deep_as_there() -> None:
    """They were three plies less deep: six lines had the nodes of one."""
    depths = [sum(limited(elo).search(fen).depth for fen in MIDDLEGAMES) for elo in (HIGHEST - 1, HIGHEST)]
    assert abs(depths[0] - depths[1]) <= len(MIDDLEGAMES), (
        "by a ply: one line is told of a depth it only began"
    )


def test_a_measured_level_has_just_its_settings() -> None:
    for level in measured_levels()[1:-1]:
        found = level_of(level.elo)
        assert (found.nodes, found.temperature) == (level.nodes, level.temperature)


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


def test_the_lowest_level_takes_a_queen_that_hangs_and_a_mate_at_hand() -> None:
    player = limited(LOWEST)
    taken = [player.search(HANGING_QUEEN).move.uci() == "c1g5" for _ in range(40)]
    assert sum(taken) >= 30
    mate = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
    assert all(player.search(mate).move.uci() == "a1a8" for _ in range(40))


def test_the_lowest_level_errs_where_a_level_without_temperature_never_does() -> None:
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")

    def played(level: Level) -> set[chess.Move]:
        return {
            LimitedSearch(learned_weights(), level, Random(seed)).search(board).move for seed in range(30)
        }

    lowest = level_of(LOWEST)
    assert len(played(lowest)) > 1
    assert len(played(Level(LOWEST, lowest.nodes, 0.0))) == 1


def test_a_level_keeps_its_nodes_and_the_end_of_a_game_is_told() -> None:
    level = level_of(LOWEST)
    player = LimitedSearch(learned_weights(), level, Random(1))
    assert 0 < player.search("startpos").nodes <= level.nodes
    with pytest.raises(GameOver):
        player.search("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
