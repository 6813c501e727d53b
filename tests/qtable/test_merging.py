"""Merging: the rule of `record`, the journals together, all or nothing."""

from pathlib import Path

import pytest

from qtable import Entry, JournalLine, QTable
from qtable.errors import DuplicateJournalLine, TableError, TableMismatch
from qtable.merging import merge


def _table(entries: dict[str, Entry], *games: str) -> QTable:
    table = QTable.in_memory(clock=lambda: 500)
    table.record(entries, [JournalLine(game, f"line of {game}", 7) for game in games])
    return table


def test_merge_combines_entries_and_joins_journals() -> None:
    target = _table({"a": Entry(1.0, 2, wins=1, updated=10), "b": Entry(1.0, 1, updated=10)}, "game 1")
    one = _table({"a": Entry(2.0, 1, wins=2, updated=20), "c": Entry(3.0, updated=5)}, "game 2")
    two = _table({"b": Entry(9.0, 1, losses=1, updated=11)}, "game 3")
    merge(target, one, two)
    assert dict(target) == {
        "a": Entry(1.0, 2, 2, wins=3, updated=20),
        "b": Entry(9.0, 1, 2, losses=1, updated=11),
        "c": Entry(3.0, updated=5),
    }
    assert [line.id for line in target.journal()] == ["game 1", "game 2", "game 3"]
    assert target.check() == []


def test_game_known_to_both_stops_the_whole_merge() -> None:
    target = _table({"a": Entry(1.0, updated=1)}, "game 1")
    new = _table({"b": Entry(1.0, updated=1)}, "game 2")
    known = _table({"c": Entry(1.0, updated=1)}, "game 1", "game 3")
    with pytest.raises(DuplicateJournalLine, match=r"1 of the 2 journal lines .* --allow-duplicates"):
        merge(target, new, known)
    assert [key for key, _ in target] == ["a"]
    assert target.journal_length() == 1
    merge(target, new, known, allow_duplicates=True)
    assert [key for key, _ in target] == ["a", "b", "c"]
    assert [line.id for line in target.journal()] == ["game 1", "game 2", "game 3"]


def test_table_of_other_meaning_is_refused() -> None:
    target = QTable.in_memory(settings={"depth": 1})
    with pytest.raises(TableMismatch, match=r"made with depth=2, expected depth=1"):
        merge(target, QTable.in_memory(settings={"depth": 2}))


def test_table_cannot_be_merged_into_itself(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with QTable(path) as table, QTable(path, readonly=True) as same:
        table.record({"a": Entry(1.0)})
        with pytest.raises(TableError, match="into itself"):
            merge(table, same)


def test_merge_that_is_stopped_leaves_the_target_as_it_was() -> None:
    target = _table({"a": Entry(1.0, updated=1)})
    source = _table({f"{number}": Entry(1.0) for number in range(25_000)})

    def stop(done: int, _total: int) -> None:
        if done == 20_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        merge(target, source, progress=stop)
    assert dict(target) == {"a": Entry(1.0, updated=1)}
    assert len(target) == 1
