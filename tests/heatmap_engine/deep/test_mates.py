"""Mates among the values of the deep search, counted as people count them."""

import pytest

from heatmap_engine.deep.mates import is_mate, mate_in, sign_of_mate
from heatmap_engine.kernel.deep.search import MATE_VALUE, MAX_DEPTH


@pytest.mark.parametrize(
    ("plies", "ply", "moves"), [(0, 0, 0), (1, 0, 1), (2, 0, 1), (3, 0, 2), (0, 1, 1), (2, 1, 2), (1, 2, 2)]
)
def test_plies_are_the_winners_moves(plies: int, ply: int, moves: int) -> None:
    assert mate_in(MATE_VALUE - plies, ply) == moves
    assert mate_in(plies - MATE_VALUE, ply) == -moves


def test_other_values_mean_no_mate() -> None:
    for value in (0.0, 1200.0, -9999.0, MATE_VALUE - 2 * MAX_DEPTH):
        assert (mate_in(value), is_mate(value), sign_of_mate(value)) == (None, False, 0)
    assert [sign_of_mate(sign * (MATE_VALUE - 5)) for sign in (1, -1)] == [1, -1]


def test_a_value_beyond_the_greatest_is_a_mate_at_once() -> None:
    assert mate_in(MATE_VALUE + 7.0, 1) == 1
