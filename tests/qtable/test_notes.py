"""Notes about a table: written, changed, copied with it, and never believed when damaged."""

import io
import sqlite3
from pathlib import Path

import pytest

from qtable import Entry, JournalLine, QTable, recover
from qtable.errors import DuplicateJournalLine, TableCorrupt, TableError, TableReadOnly
from qtable.merging import merge
from qtable.transfer import export_rows, import_rows

TEXT = '{"of": "all games", "ä": 1}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with QTable(tmp_path / "table", settings={"a": 1}) as table:
        table.record({"k": Entry(1.0)}, [JournalLine("one", "text")])
        table.set_note("patterns", TEXT)
    return tmp_path / "table"


def test_a_note_comes_back_until_it_is_taken_away(path: Path) -> None:
    with QTable(path) as table:
        assert (table.notes(), table.note("patterns"), table.note("other")) == (["patterns"], TEXT, None)
        table.set_note("patterns", None)
        assert (table.notes(), table.note("patterns"), table.note_stamp("patterns")) == ([], None, None)


def test_the_stamp_changes_with_the_note_in_every_process_that_reads(path: Path) -> None:
    with QTable(path) as writer, QTable(path, readonly=True) as reader:
        before = reader.note_stamp("patterns")
        writer.set_note("patterns", TEXT + " ")
        assert reader.note_stamp("patterns") not in (None, before)
        writer.set_note("patterns", TEXT)
        assert reader.note_stamp("patterns") == before


def test_a_note_is_undone_with_its_transaction(path: Path) -> None:
    with QTable(path) as table:
        with pytest.raises(DuplicateJournalLine):
            _change_all(table)
        assert table.note("patterns") == TEXT


def _change_all(table: QTable) -> None:
    with table.transaction():
        table.set_note("patterns", "new")
        table.record({"l": Entry(2.0)}, [JournalLine("one", "again")])


def test_a_reader_writes_none(path: Path) -> None:
    with QTable(path, readonly=True) as table, pytest.raises(TableReadOnly):
        table.set_note("patterns", "new")


def test_clear_takes_notes_away(path: Path) -> None:
    with QTable(path) as table:
        table.clear()
        assert table.notes() == []


def test_a_damaged_note_is_named_and_not_recovered(path: Path, tmp_path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE metadata SET value = replace(value, 'games', 'gamez')")
    connection.close()
    with QTable(path) as table:
        assert [problem for problem in table.check() if "'patterns'" in problem]
        with pytest.raises(TableCorrupt, match="note 'patterns'"):
            table.note("patterns")
    assert recover(path, tmp_path / "new").lost_notes == ["patterns"]
    with QTable(tmp_path / "new") as table:
        assert (table.notes(), len(table), table.journal_length()) == ([], 1, 1)


def test_a_lost_checksum_is_damage(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM metadata WHERE name = 'stamp of note patterns'")
    connection.close()
    with QTable(path) as table:
        assert [problem for problem in table.check() if "'patterns'" in problem]
        with pytest.raises(TableCorrupt, match="note 'patterns'"):
            table.note_stamp("patterns")
    assert recover(path, path.with_name("new")).lost_notes == ["patterns"]


def test_a_sound_note_is_recovered(path: Path, tmp_path: Path) -> None:
    recover(path, tmp_path / "new")
    with QTable(tmp_path / "new") as table:
        assert table.note("patterns") == TEXT


def test_exported_and_read_again(path: Path) -> None:
    file = io.StringIO(newline="")
    with QTable(path) as table, QTable.in_memory(settings={"a": 1}) as other:
        export_rows(table, file, "jsonl")
        file.seek(0)
        import_rows(other, file, "jsonl")
        assert other.note("patterns") == TEXT
        assert other.journal_length() == 1


def test_a_note_without_a_text_is_refused() -> None:
    with QTable.in_memory() as table, pytest.raises(TableError, match="line 1: a note has a name and a text"):
        import_rows(table, io.StringIO('{"note": "patterns"}\n', newline=""), "jsonl")


def test_merged_into_an_empty_table_and_kept_by_one_that_has_learned(path: Path) -> None:
    with (
        QTable(path) as table,
        QTable.in_memory(settings={"a": 1}) as empty,
        QTable.in_memory(settings={"a": 1}) as other,
    ):
        merge(empty, table)
        assert empty.note("patterns") == TEXT
        other.record({}, [JournalLine("two", "text")])
        other.set_note("patterns", "own")
        merge(other, table)
        assert other.note("patterns") == "own"


def test_lines_are_skipped(path: Path) -> None:
    with QTable(path) as table:
        table.record({}, [JournalLine("two", "text"), JournalLine("three", "text")])
        assert [line.id for line in table.journal(skip=1)] == ["two", "three"]
        assert [*table.journal(skip=3)] == [*table.journal(skip=9)] == []
