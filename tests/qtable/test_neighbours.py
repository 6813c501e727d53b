"""Files beside a table: neither a stranger's nor another table's log is harmed, or does harm."""

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from qtable import Entry, QTable, recover
from qtable.errors import TableCorrupt, TableError, TableExists, TableMissing


def _make(path: Path) -> None:
    with QTable(path) as table:
        table.record({"a": Entry(1.0)})


def test_file_named_like_a_draft_is_not_deleted(tmp_path: Path) -> None:
    # A backup of x.db-new to x.db once deleted its own source, whose name was that of the draft.
    source, target = tmp_path / "x.db-new", tmp_path / "x.db"
    _make(source)
    with QTable(source, readonly=True) as table:
        table.backup(target)
    QTable(tmp_path / "y.db").close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["x.db", "x.db-new", "y.db"]


def test_log_of_another_table_is_not_applied_to_a_new_file(tmp_path: Path) -> None:
    # A log that was left behind once brought its rows into a new table, or damaged a backup.
    path, other = tmp_path / "table.db", tmp_path / "other.db"
    _make(other)
    with QTable(path) as table:
        table.record({"old": Entry(1.0)})
        shutil.copyfile(f"{path}-wal", tmp_path / "log")
    path.unlink()
    (tmp_path / "log").rename(f"{path}-wal")
    with pytest.raises(TableExists, match=r"table\.db-wal"):
        QTable(path)
    with QTable(other) as table, pytest.raises(TableExists, match=r"table\.db-wal"):
        table.backup(path, overwrite=True)


def test_source_and_what_is_no_file_are_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    _make(path)
    before = path.read_bytes()
    with pytest.raises(TableExists, match="the file to be read"):
        recover(path, path, overwrite=True)
    with QTable(path, readonly=True) as table:
        for target in (path, tmp_path):
            with pytest.raises(TableExists):
                table.backup(target, overwrite=True)
    assert path.read_bytes() == before


def test_recovery_of_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(TableMissing, match="there is no file"):
        recover(tmp_path / "missing.db", tmp_path / "saved.db")
    assert list(tmp_path.iterdir()) == []


def test_questions_leave_no_file_beside_the_table(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    _make(path)
    with QTable(path, readonly=True) as table:
        assert table.check() == []
    assert [file.name for file in tmp_path.iterdir()] == ["table.db"]


def test_link_leads_to_the_log_beside_the_file_itself(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    path, link = tmp_path / "real" / "table.db", tmp_path / "link.db"
    link.symlink_to(path)
    with QTable(link) as table:
        table.record({"a": Entry(1.0)})
        assert recover(link, tmp_path / "saved.db").entries == 1
    assert link.is_symlink()


def test_relative_path_means_the_same_file_after_a_change_of_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    found: list[int] = []
    with QTable("table.db") as table:
        table.record({"a": Entry(1.0)})
        os.chdir("elsewhere")
        thread = threading.Thread(target=lambda: found.append(len(table)))
        thread.start()
        thread.join()
    assert found == [1]


def test_check_sees_lost_counters_strange_keys_and_unreadable_journal(tmp_path: Path) -> None:
    damages = {
        "how many": "DELETE FROM counters",
        "no text": "INSERT INTO entries (key, value) SELECT CAST('b' AS BLOB), value FROM entries",
        "UTF-8": "INSERT INTO journal VALUES (1, 'x', CAST(x'ff' AS TEXT), 1, 1)",
    }
    for number, (sign, damage) in enumerate(damages.items()):
        path = tmp_path / f"{number}.db"
        _make(path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(damage)
        with QTable(path, readonly=True) as table:
            assert sign in "; ".join(table.check())


def test_lost_settings_and_layout_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "a table.db"
    _make(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM metadata")
    with pytest.raises(TableCorrupt, match=r"recover '.*a table\.db' NEW_FILE"):
        QTable(path)
    path.write_bytes(path.read_bytes().replace(b"entry_added", b"entry\xff\xfe\xfded"))
    with pytest.raises(TableError, match="a table"):
        QTable(path, readonly=True)
