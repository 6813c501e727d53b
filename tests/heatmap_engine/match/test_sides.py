"""Sides of ours: the same games each time, a table that is only read, plain data."""

from pathlib import Path

import console
import pytest
from match_sides import ours, plan

from heatmap_engine.deep.weights import CMHM2, save_weights
from heatmap_engine.engines.engine import Engine
from heatmap_engine.errors import InvalidSettings, InvalidWeights
from heatmap_engine.learning.game_loop import Ends
from heatmap_engine.limits import Limits
from heatmap_engine.match.folder import MatchFolder
from heatmap_engine.match.pace import Pace, TimeControl
from heatmap_engine.match.playing import play_match, require_playable
from heatmap_engine.match.sides import OurSide, side_as_json, side_of_json


def test_games_of_fixed_nodes_are_the_same_each_time(tmp_path: Path) -> None:
    sides = OurSide("deep", pace=Pace(nodes=200)), ours("classic")
    games = []
    for name, workers in (("one", 1), ("two", 2)):
        folder = MatchFolder.create(tmp_path / name, plan(*sides, games=2))
        standing = play_match(folder, workers)
        assert standing.games == 2
        games.append(sorted((number, record.moves, record.result) for number, record in folder.games()))
    assert games[0] == games[1]


def test_a_table_is_read_unless_the_side_learns(tmp_path: Path) -> None:
    path = tmp_path / "deep.table"
    with Engine(path) as engine:
        engine.pick_move("startpos", Limits(depth=3))
    before = path.read_bytes()
    reader = OurSide("reader", path, pace=Pace(nodes=100))
    folder = MatchFolder.create(tmp_path / "read", plan(reader, ours("classic")))
    play_match(folder)
    assert path.read_bytes() == before
    assert all("entries of 0 games" in str(record.settings) for _, record in folder.games())
    learner = OurSide("learner", path, learns=True, pace=Pace(nodes=100))
    play_match(MatchFolder.create(tmp_path / "learn", plan(learner, ours("classic"))))
    with Engine(path, readonly=True) as engine:
        assert engine.table is not None
        assert engine.table.journal_length() == 2


@pytest.mark.parametrize(
    "side",
    [
        OurSide("a"),
        OurSide(
            "b",
            Path("/t"),
            "deep",
            {"weights": "/w", "hash_mib": 8, "threads": 2},
            True,
            Pace(TimeControl(8, 0.08)),
        ),
        OurSide("with endgame tables", given={"syzygy": "/a:/b"}),
        OurSide("c", Path("/t"), "classic", {"plies": 3, "tactical_plies": 0}, True, Pace(nodes=9)),
    ],
)
def test_a_side_comes_back_from_plain_data(side: OurSide) -> None:
    assert side_of_json(side_as_json(side)) == side


def test_sides_of_matches_that_were_begun_long_ago_come_back() -> None:
    pace = {"clock": None, "move_ms": None, "nodes": None, "plies": None}
    classic = {
        "name": "a",
        "table": "/t",
        "plies": 3,
        "tactical_plies": 1,
        "heat_depth": 1,
        "weights": "cmhm2",
    }
    deep = {"name": "b", "table": None, "weights": None, "hash_mib": 16, "threads": 2, "mode": "deep"}
    old = side_of_json({**classic, "learns": False, "pace": {**pace}})
    assert isinstance(old, OurSide)
    assert (old.mode, old.table, old.settings.plies) == ("classic", Path("/t"), 3)  # type: ignore[attr-defined] # classic's
    new = side_of_json({**deep, "learns": False, "pace": {**pace, "nodes": 9}})
    assert isinstance(new, OurSide)
    assert (new.mode, new.given, new.pace.nodes) == ("deep", {"hash_mib": 16, "threads": 2}, 9)


@pytest.mark.parametrize("pace", [Pace(move_ms=20), Pace(TimeControl(5.0, 0.05)), Pace(plies=2), Pace()])
def test_it_plays_at_every_pace(tmp_path: Path, pace: Pace) -> None:
    sides = OurSide("deep", given={"hash_mib": 1}, pace=pace), ours("classic")
    folder = MatchFolder.create(tmp_path / "m", plan(*sides, ends=Ends(16), margin_ms=5000.0))
    assert play_match(folder).games == 2


def test_what_a_side_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="nowhere to learn into"):
        OurSide("x", learns=True)
    with pytest.raises(InvalidSettings, match="x: hash_mib must be an int of at least 1, got 0"):
        OurSide("x", given={"hash_mib": 0})
    with pytest.raises(InvalidWeights, match="expected weights as JSON"):
        require_playable(OurSide("x", given={"weights": str(tmp_path / "none.json")}))


def test_the_command_plays_deep_against_other_weights_and_goes_on(tmp_path: Path) -> None:
    weights = tmp_path / "other.json"
    save_weights(weights, CMHM2)
    words = ["--mode", "deep", "--second", f"untrained weights={weights}", "--first", "untrained hash=1"]
    limits = ["--nodes", "100", "--games", "2", "--max-plies", "30", "--workers", "1"]
    played = console.run_here("match", *words, *limits, "--dir", str(tmp_path / "m"))
    assert played.code == 0, played.errors
    more = console.run_here("match", "--resume", str(tmp_path / "m"), "--games", "4", "--workers", "1")
    assert more.code == 0, more.errors
    assert "4 of 4 games" in more.output
    assert "untrained hash=1 against untrained weights=other.json: " in more.output
    for side, message in (
        ("mode=deep plies=2 tactical=1", "tactical=… works only with mode=classic, and the mode is deep"),
        ("untrained hash=4 mode=classic", "hash=… works only with mode=deep, and the mode is classic"),
        ("untrained mode=shallow", "expected mode=deep or mode=classic"),
    ):
        refused = console.run_here("match", "--first", side, "--dir", str(tmp_path / "never"))
        assert (refused.code, message in refused.errors) == (2, True), refused.errors
