"""Worker processes: every task is done once, whatever is killed."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path

import pytest
import worker_tasks
from process_groups import living_in_group, wait_until
from worker_tasks import DiesOn, double, refuse_three

from heatmap_engine.errors import WorkersLost
from heatmap_engine.workers.pool import Lost
from heatmap_engine.workers.processes import Workers, _work_through


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


def test_worker_whose_answer_nobody_took_ends_without_a_word() -> None:
    """Its pipe is then reset and not only closed, which used to come as an error on the user's terminal."""
    ours, its = Pipe()
    with ThreadPoolExecutor(1) as pool:
        living = pool.submit(_work_through, its, double, os.getppid())
        ours.send(1)
        assert ours.recv() is None  # it has begun
        assert ours.poll(60)
        ours.close()
        living.result()


def test_worker_ends_with_its_writer_also_in_the_middle_of_a_task(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from worker_tasks import Sleeps\n"
        "from heatmap_engine.workers.processes import Workers\n"
        "if __name__ == '__main__':\n"
        "    with Workers(Sleeps(Path(sys.argv[1])), 1) as workers:\n"
        "        list(workers.results([1]))\n"
    )
    script = tmp_path / "writer.py"
    script.write_text(code)
    begun = tmp_path / "begun"
    support = str(Path(worker_tasks.__file__).parent)
    writer = subprocess.Popen(
        [sys.executable, script, begun], env={**os.environ, "PYTHONPATH": support}, start_new_session=True
    )
    wait_until(begun.exists, writer)
    writer.kill()
    assert writer.wait() == -signal.SIGKILL
    while [*living_in_group(writer.pid)]:
        time.sleep(0.01)


def test_worker_killed_between_two_tasks_is_replaced() -> None:
    with Workers(double, 1) as workers:
        assert [*workers.results([1])] == [(1, 2)]
        (before,) = workers.process_ids
        assert before is not None
        os.kill(before, signal.SIGKILL)
        assert [*workers.results([2, 3])] == [(2, 4), (3, 6)]
        assert workers.process_ids != [before]


def test_worker_killed_before_it_has_begun_is_not_the_tasks_fault() -> None:
    """Processes take a while to start: two that are killed meanwhile once cost a game."""
    with Workers(double, 1) as workers, ThreadPoolExecutor(1) as pool:
        results = pool.submit(lambda: [*workers.results([1, 2])])
        killed: set[int] = set()
        while len(killed) < 3:
            (process_id,) = workers.process_ids
            if process_id is not None and process_id not in killed:
                os.kill(process_id, signal.SIGKILL)
                killed.add(process_id)
        assert results.result() == [(1, 2), (2, 4)]


def test_workers_that_never_begin_end_the_run() -> None:
    with Workers(double, 1) as workers, ThreadPoolExecutor(1) as pool:
        results = pool.submit(lambda: [*workers.results(range(100))])
        while not results.done():
            for process_id in filter(None, workers.process_ids):
                with suppress(ProcessLookupError):
                    os.kill(process_id, signal.SIGKILL)
        with pytest.raises(WorkersLost, match="exit code -9"):
            results.result()


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
