"""Runs of self-play that are killed for real: resumed, they end as if nothing had happened."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from learning_games import games_learned
from process_groups import children_of, living_in_group, wait_until
from selfplay_runs import arguments, require_consistent, started

from heatmap_engine.classic.patterns import patterns_of
from qtable import QTable

GAMES = 240


def gone_on_with(tmp_path: Path, workers: int) -> "subprocess.Popen[bytes]":
    folder = tmp_path / "run"
    if (folder / "run.json").exists():
        command = ["--resume", str(folder), "--workers", str(workers), "--no-measure"]
    else:
        command = arguments(tmp_path, games=GAMES, workers=workers)
    return started(*command)


def kill_the_writer(process: "subprocess.Popen[bytes]", source: random.Random) -> None:
    process.kill()


def kill_all(process: "subprocess.Popen[bytes]", source: random.Random) -> None:
    os.killpg(process.pid, signal.SIGKILL)


def kill_a_worker(process: "subprocess.Popen[bytes]", source: random.Random) -> None:
    workers = [*children_of(process.pid, doing="spawn_main")]
    if workers:  # at the very start there may be none
        os.kill(source.choice(workers), signal.SIGKILL)


def test_killed_at_random_moments_every_game_is_in_journal_pgn_and_table_once(tmp_path: Path) -> None:
    source = random.Random(8)
    path = tmp_path / "table"
    kills: list[Callable[[subprocess.Popen[bytes], random.Random], None]]
    kills = [*[kill_the_writer] * 8, *[kill_all] * 6, *[kill_a_worker] * 16]
    source.shuffle(kills)
    process = None
    for number, kill in enumerate(kills):
        if process is None:
            process = gone_on_with(tmp_path, workers=1 + number % 2 if kill is not kill_a_worker else 2)
        before = games_learned(path)
        wait_until(lambda: games_learned(path) > before, process)  # noqa: B023 called in this round only
        time.sleep(source.uniform(0, 0.02))
        assert process.poll() is None, f"all was played before {number + 1} kills: {process.communicate()}"
        kill(process, source)
        if kill is not kill_a_worker:
            process.communicate()
            assert process.returncode == -signal.SIGKILL
            while [*living_in_group(process.pid)]:  # workers see that nobody takes their results
                time.sleep(0.01)
            process = None
    process = process or gone_on_with(tmp_path, workers=2)
    output, errors = process.communicate()
    while process.returncode == 1 and b"given up" in errors:  # a game whose workers were both killed
        process = gone_on_with(tmp_path, workers=2)
        output, errors = process.communicate()
    assert process.returncode == 0, (output, errors)
    require_consistent(tmp_path / "run", GAMES)
    with QTable(path, readonly=True) as table:
        patterns = patterns_of(table)
    assert patterns is not None
    assert patterns.games == GAMES
