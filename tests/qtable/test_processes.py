"""Several processes and threads on one table: nothing lost, nobody waits who need not."""

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from table_processes import in_fork, run_python, start_python

from qtable import Entry, QTable, TableBusy

_UPDATES = 1500

_HOLD_THE_WRITER_LOCK = """
import sys
from qtable import Entry, QTable
with QTable(sys.argv[1]) as table, table.transaction():
    table.record({"held": Entry(1.0)})
    print("held", flush=True)
    sys.stdin.readline()
"""


def _count_up(path: Path, updates: int) -> None:
    with QTable(path, timeout_s=60) as table:
        for _ in range(updates):
            table.record({"shared": Entry(0.5, visits=1, wins=1)})


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_updates_of_one_key_by_two_processes_all_count(tmp_path: Path, method: str) -> None:
    path = tmp_path / "table.db"
    context = multiprocessing.get_context(method)
    with QTable(path) as table:
        table.record({"shared": Entry(0.0, visits=0)})
        workers = [context.Process(target=_count_up, args=(path, _UPDATES)) for _ in range(2)]  # type: ignore[attr-defined] # the base context has no Process for mypy
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [worker.exitcode for worker in workers] == [0, 0]
        entry = table.get("shared")
        assert entry is not None
        assert (entry.visits, entry.wins) == (2 * _UPDATES, 2 * _UPDATES)
        assert table.check() == []


def test_updates_of_one_key_by_many_threads_all_count(tmp_path: Path) -> None:
    with QTable(tmp_path / "table.db", timeout_s=60) as table, ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(table.record, {"shared": Entry(0.5)}) for _ in range(800)]:
            future.result()
        entry = table.get("shared")
        assert entry is not None
        assert entry.visits == 800
        assert table.check() == []


def test_threads_share_a_table_in_memory() -> None:
    with QTable.in_memory() as table, ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(table.record, {"shared": Entry(0.5)}) for _ in range(200)]:
            future.result()
        entry = table.get("shared")
        assert entry is not None
        assert entry.visits == 200


def test_many_processes_may_make_the_same_new_table_at_once(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    script = (
        "import sys; from qtable import Entry, QTable; sys.stdin.readline()\n"
        "with QTable(sys.argv[1], timeout_s=60) as table: table.record({sys.argv[2]: Entry(1.0)})"
    )
    processes = [start_python(script, path, str(number)) for number in range(6)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    with QTable(path) as table:
        assert [key for key, _ in table] == [str(number) for number in range(6)]
    assert [file.name for file in tmp_path.iterdir()] == ["table.db"]


def test_second_writer_learns_whom_to_wait_for_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with QTable(path, timeout_s=0.05) as table:
        with start_python(_HOLD_THE_WRITER_LOCK, path) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "held\n"
            with pytest.raises(
                TableBusy, match=rf"written by process {writer.pid} \(.*python.*\); wait for it"
            ):
                table.record({"mine": Entry(2.0)})
            writer.communicate("done\n")
        table.record({"mine": Entry(2.0)})
        assert [key for key, _ in table] == ["held", "mine"]


def test_second_writer_in_the_same_process_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with QTable(path, timeout_s=0.05) as table, QTable(path) as other, other.transaction():
        other.record({"held": Entry(1.0)})
        with pytest.raises(TableBusy, match=rf"another thread of this process \(pid {os.getpid()}\)"):
            table.record({"mine": Entry(2.0)})


def test_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with QTable(path) as table:
        table.record({"before": Entry(1.0)})
    with start_python(_HOLD_THE_WRITER_LOCK, path) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "held\n"
        # With no patience at all, any wait would be a TableBusy.
        with QTable(path, timeout_s=0) as table, QTable(path, readonly=True, timeout_s=0) as reader:
            assert [key for key, _ in table] == [key for key, _ in reader] == ["before"]
            assert "held" not in reader
            assert len(reader) == 1
        writer.communicate("done\n")


def test_reader_sees_what_another_process_recorded(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with QTable(path) as table, QTable(path, readonly=True) as reader:
        assert len(reader) == 0
        table.record({"own": Entry(1.0)})
        run_python(
            "import sys; from qtable import Entry, QTable\n"
            "with QTable(sys.argv[1]) as table: table.record({'other': Entry(1.0)})",
            path,
        )
        assert [key for key, _ in reader] == ["other", "own"]


def test_child_goes_on_writing_after_the_parent_closed_the_table(tmp_path: Path) -> None:
    """A connection carried over a fork loses what the child writes.

    SQLite in the child believes to hold the parent's locks; the parent's close then deletes the log.
    """
    path = tmp_path / "table.db"
    to_child, from_parent = os.pipe()
    table = QTable(path)
    table.record({"before": Entry(1.0)})

    def record_after_parent_closed() -> int:
        os.close(from_parent)
        table.record({"child 1": Entry(1.0)})
        os.write(ready, b"x")
        os.read(to_child, 1)
        table.record({"child 2": Entry(1.0)})
        return len(table)

    is_ready, ready = os.pipe()
    answers: list[str] = []
    parent = threading.Thread(target=lambda: answers.append(in_fork(record_after_parent_closed)))
    parent.start()
    os.read(is_ready, 1)
    table.close()
    os.write(from_parent, b"x")
    parent.join()
    for descriptor in (to_child, from_parent, is_ready, ready):
        os.close(descriptor)
    assert answers == ["3"]
    with QTable(path) as again:
        assert [key for key, _ in again] == ["before", "child 1", "child 2"]
        assert again.check() == []


def test_forked_child_has_its_own_copy_of_a_table_in_memory() -> None:
    with QTable.in_memory() as table:
        table.record({"a": Entry(1.0)})

        def count_after_recording() -> int:
            table.record({"b": Entry(1.0)})
            return len(table)

        assert in_fork(count_after_recording) == "2"
        assert len(table) == 1


def test_fork_during_a_write_of_another_thread_is_safe(tmp_path: Path) -> None:
    with QTable(tmp_path / "table.db", timeout_s=60) as table:
        stop = threading.Event()
        counts: list[int] = []

        def write() -> None:
            count = 0
            while not stop.is_set():
                table.record({"thread": Entry(1.0, visits=1)})
                count += 1
            counts.append(count)

        thread = threading.Thread(target=write)
        thread.start()
        for _ in range(20):
            assert in_fork(lambda: table.record({"child": Entry(1.0)})) == "None"
        stop.set()
        thread.join()
        entries = dict(table)
        assert entries["child"].visits == 20
        assert entries["thread"].visits == counts[0]
        assert table.check() == []
