"""`selfplay` and `match` where they cannot write: a line says so, nothing is lost, they go on later."""

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import console
import pytest
from selfplay_runs import QUICK, require_consistent
from small_disk import mounted, remount

from games.chess.archive import Archive

GAMES = 100


def selfplay(
    *words: str | Path, before: Callable[[], None] = lambda: None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [console.HEATMAP_ENGINE, "selfplay", *words],
        capture_output=True,
        text=True,
        preexec_fn=before,
        check=False,
    )


def arguments(run: Path, table: Path) -> list[str | Path]:
    lines = run.parent.parent / "lines.pgn"
    lines.write_text("1. e4 e5 *\n\n1. d4 d5 *\n")  # our own lines alone would fill the disk
    places = ["--run", run, "--table", table, "--openings", lines, "--checkpoints", "none"]
    return [*places, "--games", str(GAMES), "--workers", "2", "--seed", "1", *QUICK]


def require_stopped(outcome: "subprocess.CompletedProcess[str]", run: Path) -> str:
    """That one line on standard error says how to go on; gives the line."""
    assert outcome.returncode == 1, outcome
    (line,) = outcome.stderr.splitlines()
    assert line.endswith(f"all finished games are kept: go on with: heatmap-engine selfplay --resume {run}")
    return line


def require_resumable(run: Path) -> None:
    """That the games which are there are whole, and that those which are missing can be played now."""
    outcome = selfplay("--resume", run, "--workers", "1")
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome
    require_consistent(run, GAMES)


NO_ROOM_FOR = {"games": "No space left on device", "table": "no room to write"}


@pytest.mark.parametrize(
    ("size", "small"), [("120k", {"games"}), ("600k", {"table"}), ("1000k", {"games", "table"})]
)
def test_full_disk_ends_the_run_and_room_lets_it_go_on(tmp_path: Path, size: str, small: set[str]) -> None:
    """With both on the small disk either may be the one that finds it full."""
    (roomy := tmp_path / "roomy").mkdir()
    with mounted(tmp_path / "disk", size) as disk:
        run = (disk if "games" in small else roomy) / "run"
        table = (disk if "table" in small else roomy) / "table"
        said = require_stopped(selfplay(*arguments(run, table)), run)
        assert any(NO_ROOM_FOR[which] in said for which in small)
        assert str(disk) in said
        remount(disk, "size=50m")
        require_resumable(run)


def test_file_that_may_not_grow_ends_the_run_as_well(tmp_path: Path) -> None:
    """The same for whoever may mount nothing; a limit of the process, which its workers have, too."""
    run = tmp_path / "disk" / "run"
    run.parent.mkdir()
    limit = 300_000
    outcome = selfplay(
        *arguments(run, tmp_path / "table"),
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    require_stopped(outcome, run)
    require_resumable(run)


def test_run_folder_that_may_only_be_read_is_named_and_can_be_reported_on(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "10m") as disk:
        table = tmp_path / "table"
        words = arguments(disk / "run", table)
        words[words.index(str(GAMES))] = "2"
        assert selfplay(*words).returncode == 0
        learned = table.read_bytes()
        remount(disk, "ro")
        for refused in (["--resume", disk / "run"], arguments(disk / "new", tmp_path / "other")):
            outcome = console.run_here("selfplay", *map(str, refused))
            assert outcome.code == 1
            (line,) = outcome.errors.splitlines()
            assert "Read-only file system" in line
            assert str(disk) in line
        assert console.run_here("report", str(disk / "run")).code == 0
        assert table.read_bytes() == learned


def test_match_on_a_full_disk_plays_the_rest_when_there_is_room(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "40k") as disk:
        (lines := tmp_path / "lines.pgn").write_text("1. e4 e5 *\n\n1. d4 d5 *\n")
        words = ["--first", "untrained tactical=0", "--second", "untrained tactical=0", "--plies", "1"]
        words += ["--games", "60", "--max-plies", "24", "--openings", str(lines), "--workers", "1"]
        full = console.run("match", *words, "--dir", str(disk / "match"))
        assert full.returncode == 1
        (line,) = full.stderr.decode().splitlines()
        assert "No space left on device" in line
        assert (
            f"all finished games are kept: go on with: heatmap-engine match --resume {disk / 'match'}" in line
        )
        remount(disk, "size=50m")
        rest = console.run("match", "--resume", str(disk / "match"), "--workers", "1")
        assert (rest.returncode, rest.stderr) == (0, b"")
        games = Archive(disk / "match" / "games.pgn")
        assert sorted(int(record.round) for record in games) == [*range(1, 61)]
