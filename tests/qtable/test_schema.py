"""Layouts: an older one is brought up to date after a backup, a newer one is refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from qtable import Entry, JournalLine, QTable, encode
from qtable.errors import TableVersion
from qtable.schema import MIGRATIONS, lay_out, transaction

_SETTINGS = {"preset": "cmhm2"}


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A table as the first step alone lays it out: without a journal."""
    path = tmp_path / "table.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with transaction(connection):
            lay_out(connection, _SETTINGS, now=5, version=1)
        connection.execute(
            "INSERT INTO entries (key, value) VALUES ('a', ?)", (encode(Entry(1.5, updated=6)),)
        )
    return path


def _steps(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY applied, name")]


def test_older_layout_is_brought_up_to_date_and_keeps_its_entries(older: Path) -> None:
    assert _steps(older) == ["entries_and_metadata"]
    with QTable(older, settings=_SETTINGS, clock=lambda: 100) as table:
        assert list(table) == [("a", Entry(1.5, updated=6))]
        table.record({"b": Entry(2.0)}, [JournalLine("game", "{}")])
        assert table.journal_length() == 1
        assert len(table) == 2
        assert table.check() == []
    assert _steps(older) == [step.__name__ for step in MIGRATIONS]


def test_backup_of_the_older_layout_is_left_beside_the_table(older: Path) -> None:
    QTable(older).close()
    QTable(older).close()
    assert sorted(file.name for file in older.parent.iterdir()) == ["table.db", "table.db-layout-1"]
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


def test_older_layout_cannot_be_opened_readonly_and_is_left_as_it_was(older: Path) -> None:
    before = older.read_bytes()
    with pytest.raises(TableVersion, match=r"has layout 1, reading needs 2; .*heatmap-engine table migrate"):
        QTable(older, readonly=True)
    assert older.read_bytes() == before
    assert [file.name for file in older.parent.iterdir()] == ["table.db"]


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
