"""A side in deep mode: the same games each time, a table that is only read, plain data."""

from pathlib import Path

import console
import pytest
from match_sides import ours, plan

from heatmap_engine.deep.search import DeepLimits
from heatmap_engine.deep.weights import CMHM2, save_weights
from heatmap_engine.engines.deep import DeepEngine
from heatmap_engine.errors import InvalidSettings, InvalidWeights
from heatmap_engine.learning.game_loop import Ends
from heatmap_engine.match.deep_side import DeepSide
from heatmap_engine.match.folder import MatchFolder
from heatmap_engine.match.pace import Pace, TimeControl
from heatmap_engine.match.playing import play_match, require_playable
from heatmap_engine.match.sides import side_as_json, side_of_json


def test_games_of_fixed_nodes_are_the_same_each_time(tmp_path: Path) -> None:
    sides = DeepSide("deep", pace=Pace(nodes=200)), ours("classic")
    games = []
    for name, workers in (("one", 1), ("two", 2)):
        folder = MatchFolder.create(tmp_path / name, plan(*sides, games=2))
        standing = play_match(folder, workers)
        assert standing.games == 2
        games.append(sorted((number, record.moves, record.result) for number, record in folder.games()))
    assert games[0] == games[1]


def test_a_table_is_read_unless_the_side_learns(tmp_path: Path) -> None:
    path = tmp_path / "deep.table"
    with DeepEngine(path) as engine:
        engine.pick_move("startpos", DeepLimits(depth=3))
    before = path.read_bytes()
    reader = DeepSide("reader", path, pace=Pace(nodes=100))
    folder = MatchFolder.create(tmp_path / "read", plan(reader, ours("classic")))
    play_match(folder)
    assert path.read_bytes() == before
    assert all("entries of 0 games" in str(record.settings) for _, record in folder.games())
    learner = DeepSide("learner", path, learns=True, pace=Pace(nodes=100))
    play_match(MatchFolder.create(tmp_path / "learn", plan(learner, ours("classic"))))
    with DeepEngine(path, readonly=True) as engine:
        assert engine.table is not None
        assert engine.table.journal_length() == 2


@pytest.mark.parametrize(
    "side",
    [
        DeepSide("a"),
        DeepSide("b", Path("/t"), Path("/w"), 8, 2, learns=True, pace=Pace(TimeControl(8, 0.08))),
    ],
)
def test_a_side_comes_back_from_plain_data(side: DeepSide) -> None:
    assert side_of_json(side_as_json(side)) == side


@pytest.mark.parametrize("pace", [Pace(move_ms=20), Pace(TimeControl(5.0, 0.05)), Pace(plies=2), Pace()])
def test_it_plays_at_every_pace(tmp_path: Path, pace: Pace) -> None:
    sides = DeepSide("deep", hash_mib=1, pace=pace), ours("classic")
    folder = MatchFolder.create(tmp_path / "m", plan(*sides, ends=Ends(16), margin_ms=5000.0))
    assert play_match(folder).games == 2


def test_what_a_side_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="nowhere to learn into"):
        DeepSide("x", learns=True)
    with pytest.raises(InvalidSettings, match="at least 1 MiB"):
        DeepSide("x", hash_mib=0)
    with pytest.raises(InvalidWeights, match="expected weights as JSON"):
        require_playable(DeepSide("x", weights=tmp_path / "none.json"))


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
        ("mode=deep plies=2 tactical=1", "tactical is for the mode classic"),
        ("untrained hash=4 mode=classic", "hash is for the mode deep"),
        ("untrained mode=shallow", "expected mode=deep or mode=classic"),
    ):
        refused = console.run_here("match", "--first", side, "--dir", str(tmp_path / "never"))
        assert (refused.code, message in refused.errors) == (2, True), refused.errors
