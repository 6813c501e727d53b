"""`--cluster`: the same results from a cluster as from one machine, and nothing else on standard error."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import console
import pytest
from learning_games import totals, write_games
from process_groups import wait_until
from ray_cluster import Nodes, cluster, the_only_client
from selfplay_runs import arguments, require_consistent, started

from games.chess.archive import Archive
from heatmap_engine.deep.weights import load_weights
from qtable import QTable

pytestmark = pytest.mark.xdist_group("cluster")

MORE_GAMES_THAN_ARE_PLAYED = 100_000


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with cluster(1) as nodes:
        yield nodes


def run(*arguments: str | Path) -> dict[str, object]:
    """The summary of a run that has to succeed and say nothing else."""
    outcome = console.run(*map(str, arguments), "--json")
    # Ray's head now and then loses the process that it starts for a client; the guide says: try again.
    for _ in range(2):
        if b"cannot join the cluster" in outcome.stderr:
            outcome = console.run(*map(str, arguments), "--json")
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    summary: dict[str, object] = json.loads(outcome.stdout.splitlines()[-1])
    return summary


def journal(path: Path) -> list[str]:
    with QTable(path, readonly=True) as table:
        assert table.check() == []
        return [line.id for line in table.journal()]


def test_every_game_is_in_table_and_pgn_once_though_nodes_come_and_are_killed(
    nodes: Nodes, tmp_path: Path
) -> None:
    table, folder = tmp_path / "table", tmp_path / "run"
    first = nodes.add()
    process = subprocess.Popen(
        [
            *[console.HEATMAP_ENGINE, "selfplay", "--games", str(MORE_GAMES_THAN_ARE_PLAYED)],
            *["--mode", "classic", "--max-plies", "10", "--seed", "1"],
            *["--table", table, "--run", folder, "--cluster", nodes.address, "--json"],
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for node in (first, None):
        victim = node or nodes.add()
        while not nodes.is_working(victim):
            assert process.poll() is None, "all was played before the node had work"
        nodes.kill(victim)
    process.send_signal(signal.SIGINT)  # finish what is running
    output, errors = process.communicate()
    assert (process.returncode, errors) == (130, b"")
    assert all(json.loads(line) for line in output.splitlines())
    ids = journal(table)
    assert len(set(ids)) == len(ids) > 0
    games = [*Archive(folder / "games.pgn")]
    assert [game.game_id for game in games] == ids
    assert sorted(int(game.round) for game in games) == [*range(1, len(ids) + 1)]


def test_killed_driver_loses_nothing_and_the_next_run_removes_its_copies(
    nodes: Nodes, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    words = [*arguments(tmp_path, games=40, workers=1), "--cluster", nodes.address]
    process = started(*words)
    wait_until(lambda: (folder / "measurements.jsonl").exists(), process)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert [*nodes.copies.glob("*/copy.table")]
    summary = run("selfplay", "--resume", folder, "--cluster", nodes.address)
    assert summary["games"] == 40
    require_consistent(folder, 40)
    assert [*nodes.copies.glob("*/copy.table")] == []


def test_from_a_machine_outside_the_cluster(nodes: Nodes, tmp_path: Path) -> None:
    games = write_games(tmp_path / "games.pgn", 6)
    there, here = tmp_path / "there", tmp_path / "here"
    with the_only_client():
        words = ("--mode", "classic", "--cluster", nodes.client_address)
        summary = run("learn", games, "--table", there, *words)
    assert (summary["learned"], summary["lost"]) == (6, 0)
    run("learn", games, "--table", here, "--mode", "classic")
    # With one worker games follow each other, but a game begins before the last one's changes are there.
    assert totals(there)[0] == totals(here)[0] == 6
    assert totals(there)[3:] == totals(here)[3:]  # every position's results


def test_tune_comes_to_the_same_weights_as_on_one_machine(nodes: Nodes, tmp_path: Path) -> None:
    words = ["--method", "td", "--start", "zeros", "--games", "12", "--rounds", "1", "--nodes", "100"]
    words += ["--match-games", "2", "--seed", "5"]
    here, there = tmp_path / "here", tmp_path / "there"
    summary = run("tune", *words, "--run", there, "--cluster", nodes.address)
    run("tune", *words, "--run", here, "--workers", "1")
    assert summary["run"] == str(there)
    one, other = (load_weights(path / "weights-1.json") for path in (here, there))
    assert (one.values, one.worth) == (other.values, other.worth)


def test_without_a_cluster_auto_starts_one_here_and_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path.parent.parent / "ray"))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    games = write_games(tmp_path / "games.pgn", 4)
    words = ["--table", tmp_path / "table", "--mode", "classic", "--cluster", "auto", "--workers", "1"]
    summary = run("learn", games, *words)
    assert (summary["learned"], summary["lost"]) == (4, 0)


def test_missing_extra_is_named(tmp_path: Path) -> None:
    code = "import sys; sys.modules['ray'] = None; from heatmap_engine.cli import main; main()"
    outcome = subprocess.run(
        [sys.executable, "-c", code, "learn", __file__, "--table", tmp_path / "table", "--cluster", "auto"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 1
    assert 'pip install ".[cluster]"' in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1


@pytest.mark.parametrize("address", ["", "nowhere", "ray://", "127.0.0.1:0x1"])
def test_what_is_no_address_is_refused(address: str, tmp_path: Path) -> None:
    games = write_games(tmp_path / "games.pgn", 1)
    outcome = console.run("learn", str(games), "--table", str(tmp_path / "table"), "--cluster", address)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(b"heatmap-engine: expected auto, HOST:PORT or ray://HOST:PORT")


def test_weights_of_tetris_are_the_same_from_a_cluster(nodes: Nodes, tmp_path: Path) -> None:
    words = ("tetris", "train", "--generations", "2", "--candidates", "6", "--games", "2", "--height", "6")
    for name, where in (("here", ("--workers", "1")), ("there", ("--cluster", nodes.address))):
        run(*words, "--best", "0.3", "--seed", "1", "--run", tmp_path / name, *where)
    assert (tmp_path / "here" / "weights-2.json").read_text() == (
        tmp_path / "there" / "weights-2.json"
    ).read_text()
