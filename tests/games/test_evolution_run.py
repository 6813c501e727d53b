"""Runs of evolution in their folders: they learn, stop, go on, and are refused in words."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import evolution_runs
import pytest
from evolution_runs import GOAL, created, go_on
from process_groups import living_in_group, wait_until

from games.evolution_folder import EvolutionError, EvolutionFolder, EvolutionSettings
from games.evolution_run import Doing
from heatmap_engine.workers.pool import Lost

KILLS = 4


def results(folder: EvolutionFolder) -> list[object]:
    """All that a run has come to, without the order in which its tasks ended."""
    numbers = range(1, folder.settings.generations + 1)
    return [
        folder.generations(),
        [folder.weights_path(number).read_text() for number in numbers],
        [folder.lines(number) for number in numbers],
    ]


@pytest.mark.parametrize("method", ["cem", "ga"])
def test_a_run_comes_near_its_goal_and_measures_it(tmp_path: Path, method: str) -> None:
    folder = created(tmp_path / "run", method, generations=25, candidates=40, decay=0.8)
    go_on(folder)
    last = folder.generations()[-1]
    assert last.number == 25
    assert last.row == pytest.approx(GOAL, abs=0.2)
    assert [look["key"] for look in last.looks] == ["look 0", "look 1"]
    assert last.points == pytest.approx(sum(look["points"] for look in last.looks) / 2)
    assert folder.weights_path(25).read_text() == evolution_runs.as_text(last.row, 25)


def test_seed_decides_and_the_number_of_workers_does_not(tmp_path: Path) -> None:
    one, same, other = (created(tmp_path / name, seed=seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    go_on(one)
    go_on(same, workers=2)
    go_on(other)
    assert results(one) == results(same)
    assert results(one) != results(other)


def test_killed_at_random_moments_the_run_comes_to_the_same(tmp_path: Path) -> None:
    """Really killed, with all its workers, whatever they were doing."""
    source = random.Random(3)
    folder = created(tmp_path / "killed", game={"sleep": 0.004})

    def lines() -> int:
        files = (folder.path / "generations").glob("*.jsonl")
        return sum(file.read_bytes().count(b"\n") for file in files)

    for number in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, evolution_runs.__file__, str(folder.path), str(1 + number % 2)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,
        )
        before = lines()
        wait_until(lambda: lines() > before, process)  # noqa: B023 called in this round only
        time.sleep(source.uniform(0, 0.02))
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, f"all was done before {number + 1} kills"
        while [*living_in_group(process.pid)]:
            time.sleep(0.01)
    go_on(folder)
    whole = created(tmp_path / "whole", game={"sleep": 0.0})
    go_on(whole)
    assert results(folder) == results(whole)


def test_a_run_that_is_asked_to_stop_goes_on_later(tmp_path: Path) -> None:
    folder, heard = created(tmp_path / "stopped"), list[Doing]()
    run = go_on(folder, when_done=heard.append, should_stop=lambda: len(heard) == 20)
    assert run.is_stopped
    assert heard[-1] == Doing(2, 6, 14)
    assert [generation.number for generation in folder.generations()] == [1]
    go_on(folder)
    whole = created(tmp_path / "whole")
    go_on(whole)
    assert results(folder) == results(whole)


def test_a_run_can_be_lengthened(tmp_path: Path) -> None:
    folder = created(tmp_path / "run", generations=1)
    go_on(folder)
    folder.settings = EvolutionSettings(
        method="cem", start=(0.0, 0.0, 0.0), generations=4, candidates=12, best=0.25, looks=2, seed=5
    )
    folder.save()
    go_on(EvolutionFolder.open(folder.path))
    whole = created(tmp_path / "whole")
    go_on(whole)
    assert results(folder) == results(whole)


class GivesUp:
    """A pool that loses the third task, as one does whose worker was killed twice."""

    def __enter__(self) -> "GivesUp":
        return self

    def __exit__(self, *_: object) -> None: ...

    def results(self, tasks: Any) -> Any:
        for number, task in enumerate(tasks):
            yield task, Lost("exit code -9") if number == 2 else evolution_runs.nearness(task)


def test_a_task_that_was_given_up_is_told_and_tried_again(tmp_path: Path) -> None:
    folder, told = created(tmp_path / "run"), list[str]()
    run = evolution_runs.EvolutionRun(folder, evolution_runs.as_text, report=told.append)
    assert not run.go_on(GivesUp())
    assert run.given_up == 1
    assert told == ["generation 1, candidate 2 was given up: Lost(how='exit code -9')"]
    assert len(folder.lines(1)) == 11
    go_on(folder)
    assert len(folder.generations()) == 4


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"method": "td"}, "expected a method of cem, ga, got 'td'"),
        ({"candidates": 1}, "candidates must be at least 2, got 1"),
        ({"best": 1.0}, "best must be less than all candidates, got 1.0"),
        ({"best": 0.0}, "best must be above 0 and at most 1, got 0.0"),
        ({"start": ()}, "start must be at least one number"),
        ({"start": (float("nan"),)}, "start must be finite numbers"),
        ({"noise": float("inf")}, "noise must be at least 0, got inf"),
        ({"decay": 1.5}, "decay must be above 0 and at most 1, got 1.5"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
    ],
)
def test_bad_settings_are_named(changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(EvolutionError, match=expected):
        EvolutionSettings(**{"method": "cem", "start": (1.0,), **changes})


def test_a_folder_that_holds_something_is_not_overwritten(tmp_path: Path) -> None:
    created(tmp_path / "run")
    with pytest.raises(EvolutionError, match="holds a run, which --resume goes on with"):
        created(tmp_path / "run")
    with pytest.raises(EvolutionError, match="is not empty"):
        created(tmp_path)


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        EvolutionError, match=r"expected the folder of a run, got .*, without evolution\.json"
    ):
        EvolutionFolder.open(tmp_path)
    (tmp_path / "evolution.json").write_text('{"version": 1, "method": "cem"}')
    with pytest.raises(EvolutionError, match="expected the settings of a run"):
        EvolutionFolder.open(tmp_path)


def test_spoiled_files_of_a_run_are_named(tmp_path: Path) -> None:
    folder = created(tmp_path / "run", generations=2)
    go_on(folder)
    state = folder.state_path(2)
    state.write_text('{"kept": [[1.0]], "mean": 0, "best": 0}')
    with pytest.raises(EvolutionError, match=r"state-2\.json: expected the state after a generation"):
        folder.generations()
    state.unlink()
    folder.lines_file(1).path.write_text('{"key": "candidate 1"}\n')
    with pytest.raises(EvolutionError, match=r"0001\.jsonl: expected lines of candidates"):
        folder.lines(1)


def test_two_processes_do_not_go_on_with_one_run(tmp_path: Path) -> None:
    folder = created(tmp_path / "run")
    with folder.locked(), pytest.raises(EvolutionError, match="another process is going on"):
        go_on(EvolutionFolder.open(folder.path))
