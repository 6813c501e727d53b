"""Elo, intervals and likelihoods against figures that were worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.match.strength import Pentanomial, elo_of, score_of, strength_of

COUNTS = st.tuples(*[st.integers(0, 50)] * 5)


def test_elo_of_scores_worked_out_by_hand() -> None:
    # 10 / 11 means ten points for one lost: 400 log10(10) = 400.
    assert elo_of(10 / 11) == pytest.approx(400)
    assert elo_of(0.5) == 0.0
    # 3 / 4: 400 log10(3), and log10(3) = 0.477121...
    assert elo_of(0.75) == pytest.approx(190.8485, abs=1e-4)
    assert elo_of(1.0) is None
    assert elo_of(0.0) is None


@given(st.floats(-800, 800))
def test_score_and_elo_are_inverse(elo: float) -> None:
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-6)


def test_ten_pairs_worked_out_by_hand() -> None:
    # 1, 2, 3, 3, 1 pairs at 0, 1/4, 1/2, 3/4, 1: sum 0 + 0.5 + 1.5 + 2.25 + 1 = 5.25, mean 0.525.
    # Squares: 0.525² + 2·0.275² + 3·0.025² + 3·0.225² + 0.475²
    #        = 0.275625 + 0.15125 + 0.001875 + 0.151875 + 0.225625 = 0.80625.
    # Variance 0.80625 / 9 = 0.0895833, error sqrt(0.0895833 / 10) = 0.0946485.
    pairs = Pentanomial((1, 2, 3, 3, 1))
    assert pairs.pairs == 10
    assert pairs.score == pytest.approx(0.525)
    assert pairs.standard_error == pytest.approx(0.0946485, abs=1e-7)
    found = strength_of(pairs)
    # 400 log10(0.525 / 0.475) = 400 · 0.0434655 = 17.386
    assert found.elo == pytest.approx(17.386, abs=1e-3)
    # 0.525 ± 1.959964 · 0.0946485: from 0.339492 to 0.710508
    assert found.elo_low == pytest.approx(400 * math.log10(0.339492 / 0.660508), abs=1e-3)
    assert found.elo_high == pytest.approx(400 * math.log10(0.710508 / 0.289492), abs=1e-3)
    # 0.025 / 0.0946485 = 0.264135 standard errors; the normal distribution has 0.60416 below.
    assert found.los == pytest.approx(0.60416, abs=1e-5)


def test_pairs_and_not_games_make_the_error() -> None:
    # Every pair is one win each. Counted over games, 20 wins and 20 losses have an error of 0.08;
    # as pairs they are all equal.
    assert Pentanomial((0, 0, 20, 0, 0)).standard_error == 0.0
    # The same results the other way round: ten pairs 2:0, ten 0:2. Now the error is larger than over games.
    error = Pentanomial((10, 0, 0, 0, 10)).standard_error
    assert error == pytest.approx(math.sqrt(0.25 * 20 / 19 / 20))


@pytest.mark.parametrize(
    ("counts", "elo"),
    [
        ((0, 0, 0, 0, 0), None),  # nothing played
        ((0, 0, 0, 0, 12), None),  # everything won
        ((12, 0, 0, 0, 0), None),  # everything lost
        ((0, 0, 12, 0, 0), 0.0),  # everything drawn
        ((0, 0, 0, 1, 0), pytest.approx(190.8485, abs=1e-4)),  # a single pair
    ],
)
def test_what_games_do_not_define_is_none(counts: tuple[int, int, int, int, int], elo: float | None) -> None:
    found = strength_of(Pentanomial(counts))
    assert found.elo == elo
    assert (found.elo_low, found.elo_high, found.los) == (None, None, None)


def test_interval_may_have_one_end() -> None:
    # Mean 0.875, error 0.125: 0.875 + 1.96 · 0.125 is more than any score.
    found = strength_of(Pentanomial((0, 0, 0, 1, 1)))
    assert found.elo_low == pytest.approx(400 * math.log10(0.6300045 / 0.3699955), abs=1e-3)
    assert found.elo_high is None


@given(COUNTS)
def test_other_side_has_the_opposite_strength(counts: tuple[int, int, int, int, int]) -> None:
    one, other = strength_of(Pentanomial(counts)), strength_of(Pentanomial(counts[::-1]))
    for mine, theirs in ((one.elo, other.elo), (one.elo_low, other.elo_high)):
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            assert mine == pytest.approx(-theirs, abs=1e-6)
    if one.los is not None and other.los is not None:
        assert one.los + other.los == pytest.approx(1.0)


def test_pairs_are_counted_by_their_points() -> None:
    pairs = Pentanomial()
    for points in (0.0, 0.5, 1.0, 1.0, 1.5, 2.0):
        pairs = pairs.plus(points)
    assert pairs == Pentanomial((1, 1, 2, 1, 1))


def test_negative_counts_are_refused() -> None:
    with pytest.raises(InvalidSettings, match="five counts of at least 0"):
        Pentanomial((0, 0, -1, 0, 0))
