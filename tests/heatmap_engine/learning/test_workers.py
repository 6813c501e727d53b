"""Worker processes: every task is done once, whatever is killed."""

import os
import signal
from pathlib import Path

import pytest
from worker_tasks import DiesOn, double, refuse_three

from heatmap_engine.errors import WorkersLost
from heatmap_engine.learning.crew import Lost
from heatmap_engine.learning.workers import Workers


def test_every_task_is_done_once() -> None:
    with Workers(double, 2) as workers:
        assert sorted(workers.results(range(40))) == [(number, 2 * number) for number in range(40)]


def test_tasks_are_asked_for_only_when_a_worker_is_free() -> None:
    asked: list[int] = []
    tasks = (asked.append(number) or number for number in range(1000))
    with Workers(double, 2) as workers:
        results = workers.results(tasks)
        for done in range(1, 6):
            next(results)
            assert len(asked) <= done + 2 + 2  # in work, and answers that wait to be taken


def test_task_of_a_killed_worker_is_done_again(tmp_path: Path) -> None:
    with Workers(DiesOn(tmp_path, {0, 3, 4, 9}, always=False), 2) as workers:
        assert sorted(workers.results(range(10))) == [(number, 2 * number) for number in range(10)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "3", "4", "9"]


def test_task_that_ends_two_workers_is_reported(tmp_path: Path) -> None:
    with Workers(DiesOn(tmp_path, {2}, always=True), 2) as workers:
        results = dict(workers.results(range(6)))
    assert results == {0: 0, 1: 2, 2: Lost("exit code -9"), 3: 6, 4: 8, 5: 10}


def test_workers_that_always_die_end_the_run(tmp_path: Path) -> None:
    with (
        Workers(DiesOn(tmp_path, set(range(100)), always=True), 1) as workers,
        pytest.raises(WorkersLost, match="exit code -9"),
    ):
        list(workers.results(range(100)))
    assert len([*tmp_path.iterdir()]) == 3


def test_worker_killed_between_two_tasks_is_replaced() -> None:
    with Workers(double, 1) as workers:
        assert [*workers.results([1])] == [(1, 2)]
        (before,) = workers.process_ids
        assert before is not None
        os.kill(before, signal.SIGKILL)
        assert [*workers.results([2, 3])] == [(2, 4), (3, 6)]
        assert workers.process_ids != [before]


def test_error_of_a_task_is_raised_to_whoever_takes_results() -> None:
    with Workers(refuse_three, 2) as workers, pytest.raises(ValueError, match="anything but 3"):
        list(workers.results(range(10)))


def test_processes_are_gone_afterwards() -> None:
    with Workers(double, 2) as workers:
        list(workers.results([1, 2]))
        ids = workers.process_ids
    for process_id in ids:
        assert process_id is not None
        with pytest.raises(ProcessLookupError):
            os.kill(process_id, 0)
