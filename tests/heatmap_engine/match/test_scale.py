"""A level from several opponents of known level."""

import math
import random

import pytest

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.match.scale import level_of
from heatmap_engine.match.strength import Pentanomial, score_of, strength_of

MIXED = Pentanomial((10, 20, 30, 25, 15))


def test_one_opponent_gives_its_level_and_the_difference_of_the_match() -> None:
    level, strength = level_of([(2000.0, MIXED)]), strength_of(MIXED)
    assert strength.elo is not None
    assert level.elo == pytest.approx(2000 + strength.elo, abs=1e-3)
    # The interval is that of the match, made straight at its middle.
    assert level.elo_low == pytest.approx(2000 + strength.elo_low, abs=3.0)  # type: ignore[operator]
    assert level.elo_high == pytest.approx(2000 + strength.elo_high, abs=3.0)  # type: ignore[operator]


def test_opponents_as_far_above_as_below_balance() -> None:
    mirrored = Pentanomial((15, 25, 30, 20, 10))
    level = level_of([(1900.0, MIXED), (2100.0, mirrored)])
    assert level.elo == pytest.approx(2000.0, abs=1e-3)
    half = level_of([(2000.0, Pentanomial((0, 0, 50, 0, 0)))])
    assert half.elo == pytest.approx(2000.0, abs=1e-3)
    assert half.elo_low is not None
    assert half.elo_low < 1970


def test_interval_holds_the_true_level_about_as_often_as_it_says() -> None:
    chance, held, trials = random.Random(4), 0, 400
    for _ in range(trials):
        matches = []
        for level in (2200.0, 2400.0, 2600.0):
            pairs, share = Pentanomial(), score_of(2450 - level)
            for _ in range(100):
                pairs = pairs.plus(sum(chance.random() < share for _ in range(2)))
            matches.append((level, pairs))
        found = level_of(matches)
        assert found.elo_low is not None
        assert found.elo_high is not None
        held += found.elo_low <= 2450 <= found.elo_high
    assert abs(held / trials - 0.95) < 4 * math.sqrt(0.95 * 0.05 / trials)


def test_level_of_a_simulated_player_is_found_from_opponents_that_are_far_apart() -> None:
    chance, matches = random.Random(9), []
    for level in (2500.0, 2900.0, 3100.0, 3400.0):
        pairs, share = Pentanomial(), score_of(3180 - level)
        for _ in range(3000):
            pairs = pairs.plus(sum(chance.random() < share for _ in range(2)))
        matches.append((level, pairs))
    found = level_of(matches)
    assert found.elo == pytest.approx(3180, abs=10)
    assert found.elo_high is not None
    assert found.elo is not None
    assert 3 < found.elo_high - found.elo < 8


def test_who_won_all_is_at_least_so_strong_and_who_lost_all_at_most() -> None:
    """Nine pairs in a row at a chance of 0.6637 each are one case of forty; that is 118 Elo."""
    won = level_of([(2000.0, Pentanomial((0, 0, 0, 0, 9)))])
    assert won.elo is None
    assert won.elo_low == pytest.approx(2118, abs=0.5)
    assert won.elo_high is None
    lost = level_of([(2000.0, Pentanomial((9, 0, 0, 0, 0)))])
    assert (lost.elo, lost.elo_low) == (None, None)
    assert lost.elo_high == pytest.approx(1882, abs=0.5)
    # An opponent far below tells nothing more.
    more = level_of([(2000.0, Pentanomial((0, 0, 0, 0, 9))), (500.0, Pentanomial((0, 0, 0, 0, 9)))])
    assert more.elo_low == pytest.approx(2118, abs=0.5)


def test_a_level_without_games_is_an_error() -> None:
    with pytest.raises(InvalidSettings, match="got none"):
        level_of([(2000.0, Pentanomial())])
