"""`heatmap-engine selfplay` and `report` with what they cannot use: one line, exit code, nothing lost."""

import fcntl
import subprocess
import sys
from pathlib import Path

import console
import pytest
from selfplay_runs import created, go_on, require_consistent

from heatmap_engine.classic.weights import CMHM2_STATIC
from heatmap_engine.memory.tables import table_settings
from qtable import QTable


def refused(*words: str | Path, code: int = 1) -> str:
    """The one line of an error."""
    outcome = console.run_here(*map(str, words))
    assert (outcome.code, outcome.output) == (code, "")
    lines = outcome.errors.splitlines()
    if code == 1:
        assert len(lines) == 1
        assert lines[0].startswith("heatmap-engine: ")
    return lines[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "expected one of --games N, --hours H and --resume DIR"),
        (["--games", "1", "--hours", "1"], "expected one of --games N, --hours H"),
        (["--games", "0"], "0 is not in the range"),
        (["--games", "1", "--epsilon", "much"], "expected a share such as 0.1, or two as in 0.2:0.02"),
        (["--games", "1", "--openings", "nowhere.pgn"], "does not exist"),
        (["--games", "1", "--lines", "577"], "at most 576, the number of openings"),
        (["--games", "1", "--plies", "2", "--nodes", "9"], "--nodes works only with --mode deep"),
        (["--games", "1", "--mode", "deep", "--plies", "2"], "--plies works only with --mode classic"),
        (
            ["--resume", "x", "--seed", "5"],
            "goes on with the settings of the beginning and cannot be given with --seed",
        ),
        (["--resume", "x", "--run", "y"], "cannot be given with --run"),
        (["--games", "1", "--most-entries", "0"], "0 is not in the range x>=1"),
        (
            ["--games", "1", "--most-entries", "9", "--cluster", "auto"],
            "--most-entries is for runs on one machine; got it, 9, with --cluster auto",
        ),
    ],
)
def test_wrong_options_are_usage_errors(words: list[str], said: str) -> None:
    assert said in refused("selfplay", *words, code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--games", "1", "--epsilon", "2"], "epsilon must be from 0 to 1"),
        (["--hours", "nan"], "hours must be more than 0"),
        (["--games", "1", "--plies", "0"], "plies must be an int from 1"),
        (["--games", "1", "--checkpoints", "x"], "checkpoints must be doubling"),
    ],
)
def test_senseless_values_begin_no_run(tmp_path: Path, words: list[str], said: str) -> None:
    places = ["--run", str(tmp_path / "run"), "--table", str(tmp_path / "table")]
    assert said in refused("selfplay", *places, *words)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("command", [["selfplay", "--resume"], ["report"]])
def test_a_folder_that_is_no_run_is_named(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        assert f"expected the folder of a run, got {path}" in refused(*command, path)


def test_a_folder_that_is_in_use_is_not_written_to(tmp_path: Path) -> None:
    folder = created(tmp_path)
    table = ["--table", str(tmp_path / "table")]
    assert "holds a run, which --resume" in refused("selfplay", "--games", "1", "--run", folder.path, *table)
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    assert "is not empty" in refused("selfplay", "--games", "1", "--run", other, *table)
    assert [path.name for path in other.iterdir()] == ["letter.txt"]


def test_a_run_that_is_going_on_is_not_gone_on_with_twice(tmp_path: Path) -> None:
    folder = created(tmp_path)
    go_on(folder)
    with open(folder.path / "run.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another process is going on with the run" in refused("selfplay", "--resume", folder.path)


def test_a_finished_run_says_so(tmp_path: Path) -> None:
    folder = created(tmp_path)
    go_on(folder)
    before = folder.games_pgn.read_bytes()
    for more in ([], ["--games", "4"]):
        said = refused("selfplay", "--resume", folder.path, *more)
        assert "is finished, 4 games were played; --games with a larger number goes on with it" in said
    assert folder.games_pgn.read_bytes() == before


def test_a_run_is_only_lengthened_and_only_in_what_it_counts(tmp_path: Path) -> None:
    folder = created(tmp_path)
    settings = (folder.path / "run.json").read_bytes()
    said = refused("selfplay", "--resume", folder.path, "--games", "3")
    assert "a run can only be lengthened: expected at least 4 games, got 3" in said
    said = refused("selfplay", "--resume", folder.path, "--hours", "3")
    assert "the run counts games, not hours; --games with a larger number lengthens it" in said
    assert (folder.path / "run.json").read_bytes() == settings


def test_a_table_that_is_gone_is_not_made_anew_and_may_be_elsewhere(tmp_path: Path) -> None:
    folder = created(tmp_path)
    go_on(folder)
    measured = (folder.path / "measurements.jsonl").read_bytes()
    (tmp_path / "table").rename(tmp_path / "moved")
    assert "the table of the run is gone" in refused("selfplay", "--resume", folder.path)
    assert not (tmp_path / "table").exists()
    said = refused("selfplay", "--resume", folder.path, "--table", tmp_path / "moved")
    assert "is finished" in said
    assert (folder.path / "measurements.jsonl").read_bytes() == measured
    require_consistent(folder.path, 4)


def test_a_table_of_other_settings_is_refused(tmp_path: Path) -> None:
    settings = {"weights": CMHM2_STATIC.identity, "heat_depth": 1, "key_format": 1}
    QTable(tmp_path / "other", settings=settings).close()
    new = ["--run", tmp_path / "new", "--table", tmp_path / "other", "--mode", "classic"]
    said = refused("selfplay", "--games", "1", *new)
    assert "weights" in said
    assert not (tmp_path / "new").exists()
    folder = created(tmp_path)
    go_on(folder)
    resume = ["selfplay", "--resume", folder.path, "--table"]
    assert "weights" in refused(*resume, tmp_path / "other")
    QTable(tmp_path / "new", settings=table_settings(folder.config.search)).close()
    assert "has none of the 4 games of the run" in refused(*resume, tmp_path / "new")
    require_consistent(folder.path, 4)


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    folder = created(tmp_path)
    go_on(folder)
    (folder.path / "run.json").write_text('{"version": 1, "run"')
    assert "run.json: expected the settings of a run" in refused("report", folder.path)


def test_without_ray_a_cluster_leaves_neither_run_nor_table(tmp_path: Path) -> None:
    """Both were made before Ray was missed, and the same command then found its folder taken."""
    code = "import sys; sys.modules['ray'] = None; from heatmap_engine.cli import main; main()"
    places = ["--run", tmp_path / "run", "--table", tmp_path / "table"]
    outcome = subprocess.run(
        [sys.executable, "-c", code, "selfplay", "--games", "2", *places, "--cluster", "auto"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 1
    assert 'pip install ".[cluster]"' in outcome.stderr
    assert not [*tmp_path.iterdir()]
