"""The table as a dictionary: a SqliteDict of entries that is safe beside other processes."""

import pickle
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlitedict import SqliteDict
from table_processes import in_fork, run_python, start_python

import qtable
from qtable import Entry, QTable, TableBusy, TableDict, TableError
from qtable.errors import (
    CorruptEntry,
    InvalidEntry,
    InvalidKey,
    NotATable,
    TableClosed,
    TableMismatch,
    TableMissing,
    TableReadOnly,
)

_ENTRIES = {"a": Entry(1.0, 2, updated=5), "b": Entry(2.0, 300, wins=2, updated=6)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.db"
    with QTable(path, settings={"depth": 1}) as table:
        table.put(_ENTRIES)
    return path


def _assert_sound(path: Path, wanted: dict[str, Entry]) -> None:
    with QTable(path, readonly=True) as table:
        assert dict(table) == wanted
        assert len(table) == len(wanted)
        assert table.check() == []


def test_table_is_a_dictionary_of_sqlitedict_with_our_encoding(path: Path) -> None:
    with TableDict(path) as entries:
        assert isinstance(entries, SqliteDict)
        assert (entries.encode, entries.decode) == (qtable.encode, qtable.decode)
        assert (entries.journal_mode, entries.tablename) == ("WAL", "entries")


def test_dictionary_and_table_show_the_same(path: Path) -> None:
    with TableDict(path) as entries:
        assert dict(entries) == _ENTRIES
        assert (list(entries), list(entries.keys())) == (["a", "b"], ["a", "b"])
        assert list(entries.values()) == list(_ENTRIES.values())
        assert list(entries.items()) == list(_ENTRIES.items())
        assert (len(entries), bool(entries), "a" in entries, "c" in entries, 5 in entries) == (
            2,
            True,
            True,
            False,
            False,
        )
        assert entries["b"] == _ENTRIES["b"]
        assert entries.get("c") is None
        with pytest.raises(KeyError, match="'c'"):
            entries["c"]


def test_every_way_to_change_a_dictionary_changes_the_table(path: Path) -> None:
    with TableDict(path) as entries:
        entries["a"] = Entry(7.0, updated=8)
        entries["c"] = Entry(3.0, updated=9)
        entries.update({"b": Entry(4.0, updated=1), "d": Entry(5.0, updated=2)}, e=Entry(6.0, updated=3))
        entries.update([("f", Entry(0.0, updated=1))])
        del entries["c"]
        assert entries.pop("d") == Entry(5.0, updated=2)
        assert entries.setdefault("a", Entry(9.0)) == Entry(7.0, updated=8)
        with pytest.raises(KeyError):
            del entries["c"]
    _assert_sound(
        path,
        {
            "a": Entry(7.0, updated=8),
            "b": Entry(4.0, updated=1),
            "e": Entry(6.0, updated=3),
            "f": Entry(0.0, updated=1),
        },
    )
    with TableDict(path) as entries:
        entries.clear()
        assert not entries
    _assert_sound(path, {})


def test_entry_without_a_time_gets_that_of_the_assignment(path: Path) -> None:
    with TableDict(path) as entries:
        entries["now"] = Entry(1.0)
        assert (entries["now"].updated or 0) > 1_700_000_000


@pytest.mark.parametrize("key", [5, b"a", None, "\ud800"])
def test_key_that_is_no_text_is_refused(path: Path, key: str) -> None:
    with TableDict(path) as entries:
        for action in (lambda: entries[key], lambda: entries.update({"good": Entry(1.0), key: Entry(1.0)})):
            with pytest.raises(InvalidKey, match="a key must be text"):
                action()
    _assert_sound(path, _ENTRIES)


@pytest.mark.parametrize("value", [0.5, None, {"value": 1}, (0.5, 0, 1, "search", 0, 0, 0, 1)])
def test_value_that_is_no_entry_is_refused_and_nothing_written(path: Path, value: Entry) -> None:
    with TableDict(path) as entries, pytest.raises(InvalidEntry, match="expected an Entry for the key 'bad'"):
        entries.update({"good": Entry(1.0), "bad": value})
    _assert_sound(path, _ENTRIES)


def _plain_dictionary(path: Path) -> None:
    with SqliteDict(path, tablename="entries") as dictionary:
        dictionary["a"] = 1
        dictionary.commit()


def _random_bytes(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 40)


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize(
    ("make", "error"),
    [
        (_plain_dictionary, NotATable),
        (_random_bytes, NotATable),
        (Path.touch, TableMissing),
        (lambda _: None, TableMissing),
        (Path.mkdir, TableError),
    ],
)
def test_file_that_is_no_table_is_refused_and_not_touched(
    tmp_path: Path, make: Callable[[Path], None], error: type[TableError], readonly: bool
) -> None:
    path = tmp_path / "other.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(error, match=r"other\.db"):
        TableDict(path, readonly=readonly)
    assert (path.read_bytes() if path.is_file() else None) == before
    assert [file.name for file in tmp_path.iterdir()] == (["other.db"] if path.exists() else [])


def test_missing_folder_and_other_settings_are_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(TableMissing, match="the folder of"):
        TableDict(tmp_path / "nowhere" / "table.db")
    with pytest.raises(TableMismatch, match="depth=1"):
        TableDict(path, settings={"depth": 2})


class _Payload:
    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.mkdir, (self._marker,)


def test_pickled_value_is_an_error_that_names_the_key_and_never_runs(path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        row = ("bad", pickle.dumps(_Payload(tmp_path / "payload ran")))
        connection.execute("INSERT INTO entries (key, value) VALUES (?, ?)", row)
    with TableDict(path) as entries:
        for read in (lambda: entries["bad"], lambda: dict(entries), lambda: list(entries)):
            with pytest.raises(CorruptEntry, match="'bad'"):
                read()
    assert not (tmp_path / "payload ran").exists()


def test_readonly_dictionary_refuses_every_change(path: Path) -> None:
    with TableDict(path, readonly=True) as entries:
        assert dict(entries) == _ENTRIES
        for change in (
            lambda: entries.update({"c": Entry(1.0)}),
            lambda: entries.__setitem__("c", Entry(1.0)),
            lambda: entries.__delitem__("a"),
            lambda: entries.clear(),
        ):
            with pytest.raises(TableReadOnly):
                change()
    _assert_sound(path, _ENTRIES)


def test_dictionary_never_deletes_the_file(path: Path) -> None:
    with TableDict(path) as entries, pytest.raises(TableError, match="left alone"):
        entries.terminate()
    _assert_sound(path, _ENTRIES)


def test_closed_dictionary_says_so_and_with_opens_it_again(path: Path) -> None:
    entries = TableDict(path)
    entries.close()
    entries.close()
    with pytest.raises(TableClosed, match="was closed"):
        len(entries)
    with entries:
        assert entries["a"] == _ENTRIES["a"]
    assert [file.name for file in path.parent.iterdir()] == ["table.db"]


_HOLD_THE_WRITER_LOCK = """
import sys
from qtable import Entry, QTable
with QTable(sys.argv[1]) as table, table.transaction():
    table.record({"held": Entry(1.0, updated=1)})
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_beside_a_writer_reading_goes_on_and_writing_names_whom_to_wait_for(path: Path) -> None:
    with TableDict(path, timeout_s=0) as entries:
        with start_python(_HOLD_THE_WRITER_LOCK, path) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "held\n"
            assert dict(entries) == _ENTRIES
            for change in (lambda: entries.__setitem__("mine", Entry(1.0)), lambda: entries.__delitem__("a")):
                with pytest.raises(TableBusy, match=rf"written by process {writer.pid} "):
                    change()
            writer.communicate("done\n")
        entries["mine"] = Entry(1.0, updated=1)
        assert set(entries) == {"a", "b", "held", "mine"}
    _assert_sound(path, {**_ENTRIES, "held": Entry(1.0, updated=1), "mine": Entry(1.0, updated=1)})


_RECORD_AND_ASSIGN = """
import sys
from qtable import Entry, QTable, TableDict
with QTable(sys.argv[1], timeout_s=60) as table, TableDict(sys.argv[1], timeout_s=60) as entries:
    for number in range(200):
        entries[f"{sys.argv[2]} {number}"] = Entry(number, updated=1)
        table.record({"shared": Entry(0.5, updated=1)})
"""


def test_nothing_is_lost_of_what_several_processes_assign_and_record(path: Path) -> None:
    processes = [start_python(_RECORD_AND_ASSIGN, path, name) for name in ("x", "y")]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    own = {f"{name} {number}": Entry(number, updated=1) for name in ("x", "y") for number in range(200)}
    _assert_sound(path, {**_ENTRIES, **own, "shared": Entry(0.5, visits=400, updated=1)})


def test_dictionary_is_shared_by_threads_and_survives_a_fork(path: Path) -> None:
    with TableDict(path, timeout_s=60) as entries:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: entries.update({f"{number}": Entry(number)}), range(40)))
        assert in_fork(lambda: entries.update({"child": Entry(1.0)}) or len(entries)) == "43"
        assert "child" in entries
        assert entries.table.check() == []


def test_what_was_assigned_is_there_when_the_process_is_killed(path: Path) -> None:
    script = (
        "import os, signal, sys; from qtable import Entry, TableDict\n"
        "entries = TableDict(sys.argv[1])\n"
        "entries['c'] = Entry(3.0, updated=1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with start_python(script, path) as process:
        process.communicate()
    _assert_sound(path, {**_ENTRIES, "c": Entry(3.0, updated=1)})


def test_table_alone_does_not_import_sqlitedict(path: Path) -> None:
    script = "import sys, qtable.table; qtable.QTable(sys.argv[1]); print('sqlitedict' in sys.modules)"
    assert run_python(script, path) == "False\n"
