"""Settings of a run: what is refused, and what comes back from its folder."""

import json
from pathlib import Path

import pytest
from selfplay_runs import config_for

from heatmap_engine.errors import InvalidRun, InvalidSettings
from heatmap_engine.learning.runs.checkpoints import Marks
from heatmap_engine.learning.runs.config import RunConfig

TABLE = Path("a table")


def test_settings_come_back_as_they_were() -> None:
    config = config_for(TABLE, games=None, hours=1.5, movetime_ms=50, adjudicates=True, checkpoints="7,9")
    for kept in (config, config.lengthened("hours", 2.5)):
        assert RunConfig.from_json(kept.to_json()) == kept


def test_lengthened_settings_keep_the_first_length() -> None:
    config = config_for(TABLE, games=4).lengthened("games", 6).lengthened("games", 9)
    assert (config.games, config.first_length) == (9, 4)
    assert config.lengthened("games", 9) == config


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": None}, "a number of games or of hours"),
        ({"hours": 1.0}, "a number of games or of hours"),
        ({"games": 0}, "games must be more than 0"),
        ({"games": None, "hours": float("nan")}, "hours must be more than 0"),
        ({"first_length": 0}, "first length must be more than 0"),
        ({"epsilon_last": 1.5}, "epsilon must be from 0 to 1, got 1.5"),
        ({"walks": 0}, "walks must be more than 0"),
        ({"plies": 99}, "plies must be an int from 1 to 16"),
        ({"max_plies": 0}, "max_plies must be an int of at least 1"),
        ({"explorers": "nobody"}, "explorers must be one of both, alternate"),
        ({"weights": "own"}, "weights must be one of cmhm2"),
        ({"checkpoints": "often"}, "checkpoints must be doubling, none or numbers"),
        ({"checkpoints": "0,5"}, "checkpoints must be doubling, none or numbers"),
    ],
)
def test_senseless_settings_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidSettings, match=message):
        config_for(TABLE, **changes)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 2}',
        '{"version": 1}',
        '{"version": 1, "run": "a", "table": "t", "games": "x"}',
    ],
)
def test_a_file_of_something_else_is_no_run(text: str) -> None:
    with pytest.raises(InvalidRun, match="the settings of a run"):
        RunConfig.from_json(text)


def test_a_setting_of_a_later_release_is_named() -> None:
    data = json.loads(config_for(TABLE).to_json()) | {"mood": "deep"}
    with pytest.raises(InvalidRun, match="got also mood"):
        RunConfig.from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("doubling", [100, 200, 400, 800, 1600]), ("none", []), ("3,100,150", [3, 100, 150])],
)
def test_marks_say_after_how_many_games_a_copy_is_made(text: str, expected: list[int]) -> None:
    marks = Marks.parse(text)
    assert [games for games in range(2000) if games in marks] == expected
