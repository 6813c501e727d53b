"""How levels are measured: ratings that fit all games together, and who meets whom."""

import argparse
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from calibrate_elo import (  # noqa: E402
    LADDER,
    Contender,
    Game,
    Results,
    Yardstick,
    fitted,
    nearest,
    rows,
    wanted,
)

from heatmap_engine.deep.levels import measured_levels  # noqa: E402

YARDSTICKS = [Yardstick(f"old-{rating}", rating, "") for rating in (1100, 1300, 1700, 2500)]


def games(first: str, second: str, points: float, count: int, end: str = "checkmate") -> list[Game]:
    """So many games with so many points of the first side in all."""
    return [Game(first, second, 0, True, points / count, end) for _ in range(count)]


def test_a_yardstick_is_a_name_a_rating_and_a_command() -> None:
    assert Yardstick.parse("old=1090.5=/bin/old --option a=b") == Yardstick(
        "old", 1090.5, "/bin/old --option a=b"
    )


def test_ratings_fit_games_against_yardsticks_and_between_contenders() -> None:
    """Three of four points are worth 191 Elo; the second one never met a yardstick."""
    both = [Contender("one", 1000), Contender("two", 1000)]
    played = games("one", "old-1300", 750, 1000) + games("two", "one", 750, 1000)
    elo, error = fitted(played, both, YARDSTICKS)
    assert elo == pytest.approx([1491, 1682], abs=2)
    assert 0 < error[0] < error[1] < 30


def test_more_games_make_the_error_smaller() -> None:
    one = [Contender("one", 1200)]
    errors = [fitted(games("one", "old-1300", n / 2, n), one, YARDSTICKS)[1][0] for n in (20, 80, 320)]
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.1)
    assert errors[1] / errors[2] == pytest.approx(2, abs=0.1)


def test_who_lost_all_is_weak_but_not_endlessly() -> None:
    (elo,), (error,) = fitted(games("one", "old-1100", 0, 20), [Contender("one", 1000)], YARDSTICKS)
    assert 0 < elo < 700
    assert error > 150


def test_a_game_that_a_yardstick_lost_on_time_does_not_count_and_our_own_do() -> None:
    one, even = [Contender("one", 1000)], games("one", "old-1300", 10, 20)
    gifts = games("one", "old-1300", 20, 20, "time")
    assert fitted(even + gifts, one, YARDSTICKS)[0] == fitted(even, one, YARDSTICKS)[0]
    losses = games("one", "old-1300", 0, 20, "time")
    assert fitted(even + losses, one, YARDSTICKS)[0][0] < 1200


def test_far_yardsticks_are_not_met_where_a_nearer_one_is_there() -> None:
    assert [each.rating for each in nearest(YARDSTICKS, 1250, 3)] == [1300, 1100]
    assert [each.rating for each in nearest(YARDSTICKS, 400, 3)] == [1100]


def test_everybody_plays_until_all_have_their_games(tmp_path: Path) -> None:
    both, results = [Contender("one", 1150), Contender("two", 1250)], Results(tmp_path / "games.jsonl")
    args = argparse.Namespace(yardstick=YARDSTICKS, neighbours=2, games=12)
    for first, second in wanted(both, args, results):
        for is_white in (True, False):
            results.add(Game(first.name, second.name, 0, is_white, 0.5, "stalemate"))
    again = Results(tmp_path / "games.jsonl")
    assert again.games == results.games
    assert [again.games_of(name) for name in ("one", "two")] == [12, 12]
    assert again.count("two", "one") == 4
    assert [*wanted(both, args, again)] == []


def test_a_step_that_is_no_stronger_than_one_before_it_is_left_out() -> None:
    elo = [400.0 + 100 * step for step in range(len(LADDER))]
    elo[3] = elo[2]
    table = rows(elo, [50.0] * len(LADDER))
    assert len(table) == len(LADDER) - 1
    assert [row["elo"] for row in table] == sorted(row["elo"] for row in table)
    assert table[0]["error"] == 98


def test_a_level_between_two_steps_counts_for_both() -> None:
    low, high = measured_levels()[:2]
    steps = [Contender("low", low.elo, low), Contender("high", high.elo, high)]
    name = f"level {(low.elo + high.elo) // 2:.0f}"
    anchored = games("low", "old-1100", 100, 1000) + games(name, "old-1100", 200, 1000)
    (first, second), _ = fitted(anchored, steps, YARDSTICKS)
    # A tenth of the points is 382 less than the yardstick, a fifth 241; half-way between both steps.
    assert first == pytest.approx(1100 - 382, abs=3)
    share = (float(name.split()[1]) - low.elo) / (high.elo - low.elo)
    assert first + share * (second - first) == pytest.approx(1100 - 241, abs=3)
