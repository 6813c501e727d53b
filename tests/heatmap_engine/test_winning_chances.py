"""Scores as chances and centipawns."""

from hypothesis import given
from hypothesis import strategies as st

from heatmap_engine.winning_chances import HALF, centipawns, chances

SCORES = st.floats(-1e6, 1e6)


@given(SCORES, SCORES)
def test_centipawns_never_fall_as_the_score_grows(one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert centipawns(low) <= centipawns(high)


@given(SCORES)
def test_both_sides_see_the_same_with_the_sign_changed(score: float) -> None:
    assert centipawns(-score) == -centipawns(score)
    ours, theirs = chances(score), chances(-score)
    assert (ours.win, ours.loss) == (theirs.loss, theirs.win)


@given(SCORES)
def test_chances_add_up(score: float) -> None:
    per_mille = chances(score).per_mille()
    assert sum(per_mille) == 1000
    assert min(per_mille) >= 0


def test_a_win_is_as_likely_as_not_where_the_fit_says_so() -> None:
    assert chances(HALF).win == 0.5
    assert centipawns(0.0) == 0
    # win 0.5, loss 0.0146: 400 log10(1.4854 / 0.5146)
    assert centipawns(HALF) == 184


def test_no_chance_is_below_nothing() -> None:
    # That of a draw was -8e-45 for a mate, where the two others are rounded.
    for score in (2816.0, -2816.0, 1e9):
        assert min(chances(score).win, chances(score).draw, chances(score).loss) >= 0.0
