"""A run's rounds: the same from the same seed, however often it is stopped and whoever plays it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tuning_runs import created, go_on, played, values

from heatmap_engine.errors import InvalidRun
from heatmap_engine.tuning.config import METHODS
from heatmap_engine.tuning.folder import TuneFolder, lines_of
from heatmap_engine.tuning.measurement import MatchResult, TuneMeasurement

SHORT = {"rounds": 2, "games": 8, "candidates": 4, "pairs": 1, "match_games": 4}


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_weights_though_the_run_is_stopped(tmp_path: Path, method: str) -> None:
    whole = played(tmp_path / "whole", method, **SHORT)
    stopped = created(tmp_path / "stopped", method, **SHORT)
    sessions = 0
    while not go_on(stopped, should_stop=_after_some_questions(3)).is_finished:
        sessions += 1
        stopped = TuneFolder.open(stopped.path)
    assert sessions > 2
    for number in (1, 2):
        assert values(stopped.weights(number)) == values(whole.weights(number))
    keys = [line["key"] for number in (1, 2) for line in lines_of(stopped.round(number))]
    assert len(keys) == 2 * len({*keys})  # the rounds have the same keys, and each once
    assert [m.against_last for m in stopped.measurements()] == [m.against_last for m in whole.measurements()]


def _after_some_questions(number: int) -> Callable[[], bool]:
    asked = 0

    def should_stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > number

    return should_stop


@pytest.mark.parametrize(("method", "settings"), [("td", {"games": 8}), ("spsa", {"start": "package"})])
def test_other_processes_come_to_the_same_weights(
    tmp_path: Path, method: str, settings: dict[str, Any]
) -> None:
    alone = played(tmp_path / "alone", method, **settings)
    many = created(tmp_path / "many", method, **settings)
    go_on(many, workers=2)
    assert values(many.weights(1)) == values(alone.weights(1))


def test_checkpoints_are_measured_against_the_start_and_the_one_before(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", "td", **SHORT)
    first, second = folder.measurements()
    assert (first.round, first.games, second.games) == (1, 8, 16)
    assert first.against_start == first.against_last
    assert first.against_start is not None
    assert second.against_last is not None
    assert (first.against_start.games, second.match_games) == (4, 12)
    assert second.cpu_seconds > first.cpu_seconds > 0
    names = {line["match"] for line in lines_of(folder.matches)}
    assert names == {"checkpoint 1 against start", "checkpoint 2 against start", "checkpoint 2 against 1"}


@pytest.mark.parametrize("method", ["td", "spsa"])
def test_a_finished_run_goes_on_with_more_rounds(tmp_path: Path, method: str) -> None:
    short = {**SHORT, "match_games": 0}
    folder = played(tmp_path / "short", method, **{**short, "rounds": 1})
    longer = played(tmp_path / "long", method, **short)
    folder.config = longer.config
    folder.save()
    go_on(TuneFolder.open(folder.path))
    assert values(folder.weights(2)) == values(longer.weights(2))


def test_measurements_come_back_from_json() -> None:
    result = MatchResult.of([2.0, 1.5, 1.0, 0.0])
    measurement = TuneMeasurement(round=1, games=8, cpu_seconds=1.5, loss=0.5, against_start=result)
    assert TuneMeasurement.from_json(measurement.to_json()) == measurement
    assert result.as_json()["pentanomial"] == [1, 0, 1, 1, 1]


def test_a_line_that_is_no_measurement_is_named() -> None:
    with pytest.raises(InvalidRun, match="expected a line of measurements"):
        TuneMeasurement.from_json('{"round": 1}')


def test_two_processes_do_not_go_on_with_the_same_run(tmp_path: Path) -> None:
    folder = created(tmp_path / "run", "td")
    with folder.locked(), pytest.raises(InvalidRun, match="another process"), folder.locked():
        pass
