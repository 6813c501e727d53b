"""Layouts: an older one is brought up to date after a backup, a newer one is refused."""

import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from older_tables import make_older_table, older_row
from table_processes import start_python
from table_strategies import entries

from qtable import Entry, JournalLine, QTable
from qtable.errors import CorruptEntry, TableVersion
from qtable.older_rows import decode_older
from qtable.schema import MIGRATIONS

_SETTINGS = {"preset": "cmhm2"}


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A table as the first step alone lays it out: without a journal."""
    path = tmp_path / "table.db"
    make_older_table(path, {"a": Entry(1.5, updated=6)}, settings=_SETTINGS, version=1)
    return path


def _steps(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY applied, name")]


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_older_layout_is_brought_up_to_date_and_keeps_its_entries(older: Path) -> None:
    assert _steps(older) == ["entries_and_metadata"]
    with QTable(older, settings=_SETTINGS, clock=lambda: 100) as table:
        assert list(table) == [("a", Entry(1.5, updated=6))]
        table.record({"b": Entry(2.0)}, [JournalLine("game", "{}")])
        assert table.journal_length() == 1
        assert len(table) == 2
        assert table.check() == []
    assert set(_steps(older)) == {step.__name__ for step in MIGRATIONS}


@given(st.lists(entries(), max_size=5))
def test_rows_of_an_older_layout_are_read_as_they_were_written(wanted: list[Entry]) -> None:
    assert [decode_older(older_row(entry)) for entry in wanted] == wanted


def test_everything_in_an_older_table_is_there_after_it_got_checksums(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    rows = {
        f"{number:032}": Entry(number / 7, number % 9, number, "game", updated=number)
        for number in range(5000)
    }
    rows["wide"] = Entry(-0.25, 2**40, 2**50, "import", 2**33, 0, 1, 2**35)
    lines = [JournalLine(f"game {number}", "é" * number, number) for number in range(300)]
    make_older_table(path, rows, lines, settings=_SETTINGS)
    before = path.stat().st_size
    with QTable(path, settings=_SETTINGS) as table:
        assert dict(table) == rows
        assert list(table.journal()) == lines
        assert len(table) == 5001
        assert table.check() == []
        assert table.file_bytes() < before * 1.05


def test_row_that_was_damaged_before_is_left_to_be_found(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    make_older_table(path, {"a": Entry(1.0, updated=1), "b": Entry(2.0, updated=1)})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET value = x'00ff' WHERE key = 'b'")
    with QTable(path) as table:
        assert table.get("a") == Entry(1.0, updated=1)
        with pytest.raises(CorruptEntry, match="'b'"):
            table.get("b")
        assert len(table.check()) == 1


def test_backup_of_the_older_layout_is_left_beside_the_table(older: Path) -> None:
    QTable(older).close()
    QTable(older).close()
    assert _names(older.parent) == ["table.db", "table.db-layout-1"]
    backup = older.with_name("table.db-layout-1")
    assert _steps(backup) == ["entries_and_metadata"]
    with QTable(backup) as table:
        assert dict(table) == {"a": Entry(1.5, updated=6)}
    assert older.with_name("table.db-layout-1-layout-1").exists()


def test_backup_never_overwrites_an_earlier_one(older: Path) -> None:
    earlier = older.with_name("table.db-layout-1")
    earlier.write_text("precious")
    QTable(older).close()
    assert earlier.read_text() == "precious"
    assert _steps(older.with_name("table.db-layout-1-2")) == ["entries_and_metadata"]


# Stops at the first step after the copy was made, as if that took long, and is killed there.
_MIGRATE_AND_WAIT = """
import sys
import qtable.schema as schema
from qtable import QTable
def wait(connection):
    print("copied", flush=True)
    sys.stdin.readline()
schema.MIGRATIONS = (*schema.MIGRATIONS[:2], wait)
QTable(sys.argv[1])
"""


def _kill_a_migration(path: Path) -> None:
    with start_python(_MIGRATE_AND_WAIT, path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "copied\n"
        process.send_signal(signal.SIGKILL)


def test_copies_of_killed_migrations_are_removed_by_the_one_that_succeeds(older: Path) -> None:
    # Each killed `table migrate` once left one more copy: -layout-1, -layout-1-2, -layout-1-3 and so on.
    for _ in range(3):
        _kill_a_migration(older)
        assert _steps(older) == ["entries_and_metadata"]
    QTable(older).close()
    assert _names(older.parent) == ["table.db", "table.db-layout-1"]
    assert _steps(older.with_name("table.db-layout-1")) == ["entries_and_metadata"]


def test_copies_that_older_versions_left_are_removed_and_different_ones_stay(older: Path) -> None:
    _kill_a_migration(older)
    copy = older.with_name("table.db-layout-1")
    for suffix in ("-2", "-10", "-02", "-x"):
        shutil.copyfile(copy, f"{copy}{suffix}")
    copy.with_name("table.db-layout-1-3").write_text("precious")
    QTable(older).close()
    assert _names(older.parent) == [
        "table.db",
        "table.db-layout-1",
        "table.db-layout-1-02",  # no number that this program gives
        "table.db-layout-1-3",
        "table.db-layout-1-x",
    ]


def test_migration_killed_at_any_step_leaves_the_older_layout_whole(older: Path) -> None:
    _kill_a_migration(older)
    with QTable(older, settings=_SETTINGS) as table:
        assert dict(table) == {"a": Entry(1.5, updated=6)}
        assert table.check() == []


def test_older_layout_cannot_be_opened_readonly_and_is_left_as_it_was(older: Path) -> None:
    before = older.read_bytes()
    with pytest.raises(TableVersion, match=r"has layout 1, reading needs 3; .*heatmap-engine table migrate"):
        QTable(older, readonly=True)
    assert older.read_bytes() == before
    assert _names(older.parent) == ["table.db"]


def test_step_that_fails_leaves_the_older_layout_and_can_be_repeated(older: Path) -> None:
    with closing(sqlite3.connect(older)) as connection, connection:
        connection.execute("CREATE TABLE journal (in_the_way)")
    with pytest.raises(Exception, match="table journal already exists"):
        QTable(older)
    assert _steps(older) == ["entries_and_metadata"]
    with closing(sqlite3.connect(older)) as connection, connection:
        connection.execute("DROP TABLE journal")
    with QTable(older) as table:
        assert len(table) == 1
