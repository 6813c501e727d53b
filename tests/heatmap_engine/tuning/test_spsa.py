"""Constants of the search tuned all together: the rule alone, and runs of it."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tuning_runs import go_on, played, values

from heatmap_engine.deep.constants import RANGES, USUAL, SearchConstants
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.errors import InvalidRun
from heatmap_engine.tuning.config import TuneConfig
from heatmap_engine.tuning.folder import TuneFolder, lines_of
from heatmap_engine.tuning.players import Searches
from heatmap_engine.tuning.spsa import Spsa, signs_of
from heatmap_engine.tuning.tasks import Line, Pair


def test_the_rule_in_numbers() -> None:
    """Plus has scored 60 % in the ninth iteration: 0.2 points a game more than minus."""
    rule = Spsa(gain=6.0, delay=20.0, spread=1.0)
    distance = 9**-0.101
    assert rule.ends((4.0, -2.0), (1, -1), 9) == (
        (4.0 + distance, -2.0 - distance),
        (4.0 - distance, -2.0 + distance),
    )
    change = 6 / 29**0.602 * 0.2 / (2 * distance)
    moved = rule.moved((4.0, -2.0), (1, -1), 0.2, 9)
    assert moved == pytest.approx((4.0 + change, -2.0 - change))
    assert rule.moved((4.0, -2.0), (1, 0), 0.2, 9)[1] == -2.0
    assert rule.moved((4.0, -2.0), (1, -1), 0.0, 9) == (4.0, -2.0)


def test_later_matches_move_less_and_are_between_nearer_players() -> None:
    rule = Spsa(gain=6.0, delay=20.0, spread=1.0)
    assert rule.rate(1) > rule.rate(2) > rule.rate(100)
    assert rule.distance(1) == 1.0 > rule.distance(2) > rule.distance(100) > 0.6


def test_signs_are_drawn_anew_for_each_iteration_and_the_same_when_asked_again() -> None:
    drawn = [signs_of(5, iteration, [*RANGES]) for iteration in range(1, 201)]
    assert drawn == [signs_of(5, iteration, [*RANGES]) for iteration in range(1, 201)]
    assert drawn[0] != signs_of(6, 1, [*RANGES])
    for of_constant in zip(*drawn, strict=True):
        assert 60 < of_constant.count(1) < 140


def test_noisy_matches_lead_to_the_best_numbers() -> None:
    """Twenty numbers up to four steps off, each for 3 Elo times the square, and 600 matches of 16 games."""
    rng = Random(1)
    best = tuple(rng.uniform(-4, 4) for _ in range(20))

    def elo(point: tuple[float, ...]) -> float:
        return -3.0 * sum((number - target) ** 2 for number, target in zip(point, best, strict=True))

    def score(plus: tuple[float, ...], minus: tuple[float, ...]) -> float:
        won = 1 / (1 + 10 ** ((elo(minus) - elo(plus)) / 400))
        return sum(1 if rng.random() < won else -1 for _ in range(16)) / 16

    rule = Spsa(gain=6.0, delay=20.0, spread=1.0)
    point = (0.0,) * len(best)
    for iteration in range(1, 601):
        signs = signs_of(1, iteration, best)
        point = rule.moved(point, signs, score(*rule.ends(point, signs, iteration)), iteration)
    assert elo(point) > -60 > -300 > elo((0.0,) * len(best))


def made_up(points: Callable[[SearchConstants, SearchConstants], float]) -> Callable[[Pair, Searches], Line]:
    """Pairs whose points come from the constants alone, and from no game."""

    def line(pair: Pair, _searches: Searches) -> Line:
        made = points(pair.first.weights.search, pair.second.weights.search)
        return {"match": pair.match, "number": pair.number, "points": made}

    return line


def test_a_run_finds_constants_that_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the futility margin counts, and the nearer to 150 the better."""

    def points(plus: SearchConstants, minus: SearchConstants) -> float:
        off = [abs(each.values["futility_margin"] - 150) for each in (plus, minus)]
        return 1.0 + math.tanh((off[1] - off[0]) / 50)

    monkeypatch.setattr(Pair, "line", made_up(points))
    folder = played(tmp_path / "run", "spsa", start="package", rounds=2, iterations=30)
    found = [folder.weights(number).search.values["futility_margin"] for number in range(3)]
    assert found[0] == 90 < 110 < found[1]
    assert abs(found[2] - 150) < 12
    assert folder.weights(2).provenance["iterations"] == 60
    assert folder.weights(2).provenance["games"] == 2 * 30 * 2 * 3


def test_constants_stay_within_their_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def points(plus: SearchConstants, minus: SearchConstants) -> float:
        return 2.0 if plus.values["null_move_from"] < minus.values["null_move_from"] else 0.0

    monkeypatch.setattr(Pair, "line", made_up(points))
    folder = played(tmp_path / "run", "spsa", start="package", iterations=40, gain=60.0)
    assert folder.weights(1).search.values["null_move_from"] == RANGES["null_move_from"].least
    for name, value in folder.state(1).items():
        assert RANGES[name].least <= value <= RANGES[name].most


def test_constants_that_were_alike_do_not_move(tmp_path: Path) -> None:
    """With a small spread both players have the same whole numbers, which no game can tell apart."""
    folder = played(tmp_path / "run", "spsa", start="package", nodes=50, spread=1e-3)
    state, usual = folder.state(1), USUAL.values
    assert all(state[name] == usual[name] for name in RANGES)


def test_games_are_played_by_both_sides_of_each_iteration_from_where_the_last_one_led(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", "spsa", start="package", iterations=3, pairs=2)
    keys = sorted(line["key"] for line in lines_of(folder.round(1)))
    assert keys == [f"iteration {iteration}, pair {pair}" for iteration in (1, 2, 3) for pair in (0, 1)]
    weights = folder.weights(1)
    assert weights.search != USUAL
    assert values(replace(weights, search=USUAL)) == values(learned_weights())
    assert {name: round(value) for name, value in folder.state(1).items()} == weights.search.values


def test_a_run_begins_with_the_constants_of_its_start(tmp_path: Path) -> None:
    start = replace(learned_weights(), search=SearchConstants({"futility_margin": 200}))
    config = TuneConfig(method="spsa", rounds=1, iterations=1, pairs=1, nodes=50, match_games=0)
    folder = TuneFolder.create(tmp_path / "run", config, start)
    go_on(folder)
    assert abs(folder.weights(1).search.values["futility_margin"] - 200) < 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: [*state], "state 1: expected the 38 constants of the search, got"),
        (lambda state: {**state, "warmth": 1}, "state 1: expected the 38 constants of the search, got"),
        (lambda state: {**state, "futility_margin": 1e9}, "expected futility_margin from 20 to 300, got 1"),
        (
            lambda state: {**state, "futility_margin": "90"},
            "expected futility_margin from 20 to 300, got '90'",
        ),
        (
            lambda state: {**state, "futility_margin": None},
            "expected futility_margin from 20 to 300, got None",
        ),
    ],
)
def test_a_damaged_state_is_named(
    tmp_path: Path, change: Callable[[dict[str, object]], object], message: str
) -> None:
    folder = played(tmp_path / "run", "spsa", start="package", nodes=50, iterations=1, pairs=1)
    path = folder.path / "state-1.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    folder.config = replace(folder.config, rounds=2)
    with pytest.raises(InvalidRun, match=message):
        go_on(folder)
    assert not folder.has_weights(2)
