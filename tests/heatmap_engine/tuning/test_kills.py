"""A tuning run that is killed for real ends as if nothing had happened."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import console
import pytest
from process_groups import living_in_group, wait_until
from tuning_runs import created, go_on, values

from heatmap_engine.tuning.folder import TuneFolder, lines_of

SETTINGS = {
    "td": {"rounds": 2, "games": 24, "match_games": 8, "nodes": 200},
    "spsa": {"rounds": 2, "iterations": 6, "pairs": 4, "match_games": 8, "nodes": 200, "start": "package"},
}
KILLS = 5


def gone_on_with(path: Path, workers: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [console.HEATMAP_ENGINE, "tune", "--resume", path, "--workers", str(workers)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def lines_in(path: Path) -> int:
    files = [*(path / "games").iterdir(), path / "matches.jsonl", path / "measurements.jsonl"]
    return sum(file.read_bytes().count(b"\n") for file in files if file.exists())


@pytest.mark.parametrize("method", SETTINGS)
def test_killed_at_random_moments_the_run_comes_to_the_same_weights(tmp_path: Path, method: str) -> None:
    source = random.Random(3)
    folder = created(tmp_path / "killed", method, **SETTINGS[method])
    for number in range(KILLS):
        process = gone_on_with(folder.path, workers=1 + number % 2)
        before = lines_in(folder.path)
        wait_until(lambda: lines_in(folder.path) > before, process)  # noqa: B023 called in this round only
        time.sleep(source.uniform(0, 0.02))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL, f"all was done before {number + 1} kills"
        while [*living_in_group(process.pid)]:
            time.sleep(0.01)
    output, errors = gone_on_with(folder.path, workers=2).communicate()
    assert errors == b"", (output, errors)
    whole = created(tmp_path / "whole", method, **SETTINGS[method])
    go_on(whole)
    for number in (1, 2):
        assert values(folder.weights(number)) == values(whole.weights(number))
        assert sorted(line["key"] for line in lines_of(folder.round(number))) == sorted(
            line["key"] for line in lines_of(whole.round(number))
        )
    one, other = ([*TuneFolder.open(run.path).measurements()] for run in (folder, whole))
    assert [m.against_start for m in one] == [m.against_start for m in other]
    assert [m.match_games for m in one] == [m.match_games for m in other]
