"""Lines, deaths and intervals."""

import random

import pytest

from games.tetris.survival import Survival, poisson_interval


@pytest.mark.parametrize(
    ("events", "low", "high"),
    # From tables of the exact (Garwood) interval.
    [(1, 0.0253, 5.5716), (5, 1.6235, 11.6683), (10, 4.7954, 18.3904), (100, 81.3640, 121.6268)],
)
def test_intervals_are_the_exact_ones(events: int, low: float, high: float) -> None:
    assert poisson_interval(events) == pytest.approx((low, high), abs=2e-4)


def test_the_approximation_for_many_events_goes_on_where_the_sums_end() -> None:
    for one, other in zip(poisson_interval(500), poisson_interval(501), strict=True):
        assert 0.9 < other - one < 1.1


def test_many_events_are_no_trouble() -> None:
    low, high = poisson_interval(20_000)
    assert (low, high) == pytest.approx((20_000 - 1.96 * 141.4, 20_000 + 1.96 * 141.4), rel=1e-3)


def test_without_a_death_there_is_a_lower_bound() -> None:
    found = Survival(3, 0, 3_000_000, 7_500_000)
    assert found.mean is None
    assert found.interval == (pytest.approx(1_001_425, rel=1e-4), None)
    assert str(found) == "3 games, 0 deaths, 3,000,000 lines: the mean is more than 1,001,425 lines (95 %)"


def test_a_mean_has_its_interval() -> None:
    found = Survival.of([Survival(1, 1, 700, 1800), Survival(1, 0, 300, 800)])
    assert (found.games, found.deaths, found.lines, found.mean) == (2, 1, 1000, 1000.0)
    assert found.hazard == 0.001
    assert str(found) == "2 games, 1 death, 1,000 lines: mean 1,000 lines (95 %: 179 to 39,498)"
    assert found.as_json()["high_95"] == pytest.approx(39_498, rel=1e-3)


def test_nothing_is_known_of_no_game() -> None:
    assert Survival().hazard is None
    assert Survival().interval == (0.0, None)


def test_the_interval_holds_the_truth_nearly_always() -> None:
    source = random.Random(2)
    held = 0
    for _ in range(300):
        lines = [int(source.expovariate(1 / 1000)) for _ in range(20)]
        low, high = Survival(20, 20, sum(lines), 0).interval
        assert high is not None
        held += low <= 1000 <= high
    assert held > 0.91 * 300
