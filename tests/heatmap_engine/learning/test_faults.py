"""Learning that is killed for real: run again, it ends as if nothing had happened."""

import os
import random
import select
import signal
import subprocess
import time
from pathlib import Path

import console
import pytest
from learning_games import games_learned, short_games, totals, write_games
from process_groups import children_of, living_in_group, wait_until

# Its games are walked in milliseconds.
CLASSIC = ("--mode", "classic")
pytestmark = pytest.mark.xdist_group("faults of learning")

GAMES = 24
ROUNDS = 8


def start(*arguments: str | Path, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [console.HEATMAP_ENGINE, "learn", *map(str, arguments), *CLASSIC],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_games(tmp_path_factory.mktemp("games") / "games.pgn", GAMES)


@pytest.fixture(scope="module")
def expected(games: Path) -> tuple[int, ...]:
    """What a run that nobody disturbs counts."""
    path = games.with_name("undisturbed.table")
    assert console.run("learn", str(games), "--table", str(path), *CLASSIC).returncode == 0
    return totals(path)


def test_writer_killed_at_random_moments_loses_and_doubles_nothing(
    games: Path, expected: tuple[int, ...], tmp_path: Path
) -> None:
    path = tmp_path / "table"
    source = random.Random(6)
    killed = 0
    while killed < ROUNDS:
        before = games_learned(path)
        assert before < GAMES, f"all was learned before the process was killed {ROUNDS} times"
        process = start(games, "--table", path, "--workers", str(1 + killed % 2))
        wait_until(lambda: games_learned(path) > before, process)  # noqa: B023 called in this round only
        time.sleep(source.uniform(0, 0.03))
        process.kill()
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        assert games_learned(path) > before or process.returncode != -signal.SIGKILL
        while [*living_in_group(process.pid)]:  # workers see that nobody takes their results
            time.sleep(0.01)
    outcome = console.run("learn", str(games), "--table", str(path), *CLASSIC, "--workers", "2")
    assert outcome.returncode == 0, outcome.stderr
    assert totals(path) == expected


def test_killed_workers_cost_no_game(games: Path, expected: tuple[int, ...], tmp_path: Path) -> None:
    path = tmp_path / "table"
    process = start(games, "--table", path, "--workers", "2")
    for target in (2, 9):
        wait_until(lambda: games_learned(path) >= target, process)  # noqa: B023 called in this round only
        workers = [*children_of(process.pid, doing="spawn_main")]
        assert len(workers) == 2
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"")
    assert totals(path) == expected


def test_ctrl_c_stops_after_the_current_games_and_the_next_run_goes_on(
    games: Path, expected: tuple[int, ...], tmp_path: Path
) -> None:
    path = tmp_path / "table"
    for workers in ("1", "2"):
        before = games_learned(path)
        process = start(games, "--table", path, "--workers", workers)
        wait_until(lambda: games_learned(path) >= before + 3, process)  # noqa: B023 called in this round only
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to every process
        output, errors = process.communicate()
        assert (process.returncode, errors) == (130, b"")
        assert b"stopped: the same command goes on from here" in output
        assert before + 3 <= games_learned(path) < GAMES
    before = games_learned(path)
    outcome = console.run("learn", str(games), "--table", str(path), *CLASSIC)
    assert f"passed over {before} games that".encode() in outcome.stdout
    assert totals(path) == expected


def test_second_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    path = tmp_path / "table"
    reader, writer = os.pipe()
    # Three games, and the pipe stays open: the process waits for a fourth.
    os.write(writer, "".join(game.to_pgn() for game in short_games(3)).encode())
    with start("-", "--table", path, "--workers", "2", stdin=reader) as process:
        wait_until(lambda: games_learned(path) >= 1, process)
        assert process.stderr is not None
        os.killpg(process.pid, signal.SIGINT)
        # Two at the same moment would be one signal. What is written to standard error is the end.
        assert select.select([process.stderr], [], [], 1)[0] == []
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate()
    os.close(reader)
    os.close(writer)
    assert (process.returncode, errors) == (130, b"stopped at once: what was recorded before is kept\n")
    assert totals(path)[0] >= 1


def test_rebuilding_killed_at_random_moments_loses_nothing(
    games: Path, expected: tuple[int, ...], tmp_path: Path
) -> None:
    path = tmp_path / "table"
    assert console.run("learn", str(games), "--table", str(path), *CLASSIC).returncode == 0
    draft = path.with_name("table-rebuilding")
    source = random.Random(7)
    for target in (1, 7, 15, GAMES, GAMES):
        process = start("--rebuild", "--table", path)
        wait_until(lambda: games_learned(draft) >= target, process)  # noqa: B023 called in this round only
        time.sleep(source.uniform(0, 0.05))
        process.kill()
        process.communicate()
        assert totals(path) == expected
    outcome = console.run("learn", "--rebuild", "--table", str(path))
    assert outcome.returncode == 0, outcome.stderr
    assert totals(path) == expected
    assert not draft.exists()
