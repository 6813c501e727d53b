"""The deep mode learns from games by the same machinery as the base mode, each game exactly once."""

import json
import os
import signal
from pathlib import Path

import console
import pytest
from learning_games import games_learned, short_games, totals, write_games
from process_groups import wait_until
from selfplay_runs import created, go_on, moves_of, require_consistent, started

from games.chess.openings import Opening
from heatmap_engine.deep.settings import DeepSettings, expected_points
from heatmap_engine.learning.rebuild import rebuild
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.folder import games_of_run
from heatmap_engine.memory.tables import open_table
from qtable import Entry, QTable

DEEP = {"mode": "deep", "nodes": 300, "learning_nodes": 300}
QUICK = ("--mode", "deep", "--nodes", "300", "--learning-nodes", "300", "--max-plies", "24", "--seed", "1")


def content(path: Path) -> dict[str, Entry]:
    """All entries, without when they were recorded."""
    with QTable(path, readonly=True) as table:
        return {key: entry._replace(updated=0) for key, entry in table}


def run_to_its_end(tmp_path: Path, name: str) -> Path:
    folder = created(tmp_path / name, **DEEP)
    assert go_on(folder).is_finished
    return folder.path


def test_the_same_seed_makes_the_same_games_and_values(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        run_to_its_end(tmp_path, name)
    one, other = tmp_path / "one", tmp_path / "other"
    assert moves_of(one / "run") == moves_of(other / "run")
    assert content(one / "table") == content(other / "table")
    require_consistent(one / "run", 4)
    with QTable(one / "table", readonly=True) as table:
        assert table.settings["mode"] == "deep"
        assert table.check() == []


def test_mates_do_not_swell_the_learning_signal(tmp_path: Path) -> None:
    """A report said that values change by 1,272 on average, where a won queen is worth hundreds."""
    ending = Opening("rook ending", (), "7k/8/4K3/8/8/8/8/6R1 w - - 0 1")
    folder = created(tmp_path, [ending], epsilon_first=0.3, **DEEP)
    go_on(folder)
    mates = 0
    with QTable(tmp_path / "table", readonly=True) as table:
        for game in games_of_run(table, folder.config.run):
            values = [(step.old_value, step.new_value) for step in game.steps if step.old_value is not None]
            points = [abs(expected_points(new) - expected_points(old)) for old, new in values]
            changed = [abs(new - old) for old, new in values if max(abs(old), abs(new)) < 30_000]
            mates += len(values) - len(changed)
            assert game.settings["points_change"] == mean(points)
            assert game.settings["value_change"] == mean(changed)
    assert mates > 0
    whole = json.loads(console.run_here("report", str(folder.path), "--json").output)
    said = console.run_here("report", str(folder.path)).output.splitlines()
    change = f"{whole['value_change']:,.2f} (excluding mates; centipawns (+300: odds about 10:1))"
    assert f"  mean value change {change}, or {whole['points_change']:.4f} expected points" in said


def mean(numbers: list[float]) -> object:
    """What a measurement must be; the journal keeps values with four digits."""
    return pytest.approx(sum(numbers) / len(numbers), abs=1e-3) if numbers else None


def test_a_killed_run_goes_on_and_learns_each_game_once(tmp_path: Path) -> None:
    folder, table = tmp_path / "run", tmp_path / "table"
    words = ["--run", str(folder), "--table", str(table), "--games", "12", "--workers", "2", *QUICK]
    with started(*words) as process:
        wait_until(lambda: games_learned(table) >= 2, process)
        os.killpg(process.pid, signal.SIGKILL)
    outcome = console.run("selfplay", "--resume", str(folder), "--workers", "2")
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    require_consistent(folder, 12)
    assert totals(table)[0] == 12


def test_files_are_learned_once_and_rebuilding_finds_the_same(tmp_path: Path) -> None:
    games, table = write_games(tmp_path / "games.pgn", 3), tmp_path / "table"
    words = ("learn", str(games), "--table", str(table), "--mode", "deep", "--nodes", "500", "--json")
    for learned in (3, 0):
        outcome = console.run(*words)
        assert (outcome.returncode, outcome.stderr) == (0, b"")
        assert json.loads(outcome.stdout)["learned"] == learned
    before = content(table)
    games_counted, _, _, wins, draws, losses = totals(table)
    assert (games_counted, wins + draws + losses) == (3, sum(len(game.moves) + 1 for game in short_games(3)))
    with QTable(table) as opened:
        assert rebuild(opened).is_finished
    assert content(table) == before


def test_each_mode_has_its_own_table(tmp_path: Path) -> None:
    games = write_games(tmp_path / "games.pgn", 1)
    for words in (("--mode", "classic"), ("--nodes", "200")):
        outcome = console.run("learn", str(games), *words, XDG_DATA_HOME=str(tmp_path))
        assert (outcome.returncode, outcome.stderr) == (0, b"")
    home = tmp_path / "heatmap-engine"
    assert games_learned(home / "default.table") == games_learned(home / "default.deep.table") == 1
    outcome = console.run("learn", str(games), "--mode", "deep", "--table", str(home / "default.table"))
    assert outcome.returncode == 1
    assert b"is a table of mode classic, but --mode deep was given" in outcome.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("selfplay", "--games", "1", "--mode", "deep", "--plies", "2"), b"works only with --mode classic"),
        (
            ("selfplay", "--games", "1", "--plies", "2", "--nodes", "5"),
            b"--nodes works only with --mode deep",
        ),
        (("learn", "--list", "--nodes", "5"), b"--nodes can be given only with FILE..."),
    ],
)
def test_options_of_the_other_mode_are_refused(words: tuple[str, ...], said: bytes, tmp_path: Path) -> None:
    outcome = console.run(*words, XDG_DATA_HOME=str(tmp_path))
    assert outcome.returncode == 2
    assert said in outcome.stderr


def test_a_runs_settings_come_back_from_its_folder() -> None:
    config = RunConfig(run="r", table="t", games=1, **DEEP)  # type: ignore[arg-type] # of either kind
    again = RunConfig.from_json(config.to_json())
    assert again == config
    assert again.search == DeepSettings(learning_nodes=300)
    assert again.play_settings().nodes == 300


def test_a_table_is_opened_for_its_mode_only(tmp_path: Path) -> None:
    open_table(tmp_path / "t", DeepSettings(learning_nodes=5)).close()
    with open_table(tmp_path / "t", DeepSettings(learning_nodes=7)) as table:
        assert table.settings["tenfold"] == 400
