"""The table on one thread: what is read is what was recorded."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_strategies import entries, keys

import qtable
from qtable import Entry, JournalLine, QTable
from qtable.errors import (
    CorruptEntry,
    InvalidEntry,
    InvalidKey,
    TableClosed,
    TableExists,
    TableMismatch,
    TableMissing,
    TableReadOnly,
)

NOW = 1_800_000_000


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now: float = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


@pytest.fixture
def table(path: Path) -> Iterator[QTable]:
    with QTable(path, clock=lambda: NOW) as table:
        yield table
        assert table.check() == []


def test_recorded_entry_is_read_back_with_its_time(table: QTable) -> None:
    table.record({"a": Entry(1.5, 2, 3, "game", 1, 2, 3)})
    assert table.get("a") == Entry(1.5, 2, 3, "game", 1, 2, 3, NOW)
    assert table.get("b") is None
    assert "a" in table
    assert "b" not in table
    assert 5 not in table
    assert len(table) == 1


def test_entries_outlive_the_table_object(path: Path) -> None:
    with QTable(path) as table:
        table.record({"a": Entry(1.5, updated=7)})
    with QTable(path) as table:
        assert list(table) == [("a", Entry(1.5, updated=7))]


@pytest.mark.parametrize("number", [0, 1, 2, 700, 2048, 2049, 5000])
def test_get_many_finds_exactly_those_that_are_there(table: QTable, number: int) -> None:
    present = {f"{index}": Entry(index, updated=1) for index in range(number)}
    table.record(present)
    wanted = [*present, *(f"missing {index}" for index in range(number)), *list(present)[:3]]
    assert table.get_many(wanted) == present
    assert table.values(iter(wanted)) == {key: entry.value for key, entry in present.items()}


def test_iteration_goes_past_a_page_in_the_order_of_keys(table: QTable) -> None:
    wanted = {f"{index:05}": Entry(index, updated=1) for index in range(12_000)}
    table.record(dict(reversed(wanted.items())))
    assert list(table) == list(wanted.items())
    assert len(table) == 12_000


def test_counter_follows_every_way_of_writing(table: QTable) -> None:
    table.record({"a": Entry(1), "b": Entry(2)})
    table.record({"b": Entry(3), "c": Entry(4)})
    assert len(table) == 3
    table.put({"a": Entry(9), "d": Entry(9)})
    assert len(table) == 4
    assert table.delete("a", "nothing", "d") == 2
    assert len(table) == 2
    assert bool(table)


def test_put_replaces_whatever_was_there(table: QTable) -> None:
    table.record({"a": Entry(1.0, 5, wins=3)})
    table.put({"a": Entry(2.0)})
    assert table.get("a") == Entry(2.0, updated=NOW)


def test_clock_that_was_set_back_does_not_make_a_recording_older(path: Path) -> None:
    clock = Clock()
    with QTable(path, clock=clock) as table:
        table.record({"a": Entry(1.0)})
        clock.now -= 1000
        table.record({"a": Entry(2.0)})
        assert table.get("a") == Entry(2.0, visits=2, updated=NOW)


_changes = st.dictionaries(st.sampled_from("abc"), entries(addable=True, timed=False), max_size=3)


def _apply_to_model(model: dict[str, dict[str, object]], key: str, new: Entry) -> None:
    """The rule once more, as plainly as it can be said."""
    fields = dict(new._asdict())
    if key not in model:
        model[key] = {**fields, "updated": NOW if new.updated is None else new.updated}
        return
    old = model[key]
    assert isinstance(old["updated"], int)
    assert isinstance(old["depth"], int)
    time = max(NOW, old["updated"]) if new.updated is None else new.updated
    if new.depth > old["depth"] or (new.depth == old["depth"] and time >= old["updated"]):
        for name in ("value", "depth", "source"):
            old[name] = fields[name]
    for name in ("visits", "wins", "draws", "losses"):
        old[name] = old[name] + fields[name]  # type: ignore[operator] # both are integers
    old["updated"] = max(old["updated"], time)


@given(st.lists(_changes, max_size=6))
def test_any_series_of_batches_ends_as_the_plain_rule_says(batches: list[dict[str, Entry]]) -> None:
    model: dict[str, dict[str, object]] = {}
    with QTable.in_memory(clock=lambda: NOW) as table:
        for batch in batches:
            table.record(batch)
            for key, entry in batch.items():
                _apply_to_model(model, key, entry)
        assert {key: dict(entry._asdict()) for key, entry in table} == model
        assert table.check() == []


@given(st.dictionaries(keys, entries(), max_size=8))
def test_any_text_can_be_a_key(wanted: dict[str, Entry]) -> None:
    with QTable.in_memory() as table:
        table.record(wanted)
        assert dict(table) == wanted
        assert table.get_many(wanted) == wanted
        assert table.delete(*wanted) == len(wanted)
        assert len(table) == 0


@pytest.mark.parametrize("key", [5, b"a", None, "\ud800"])
def test_key_that_is_no_text_is_refused_and_nothing_written(table: QTable, key: str) -> None:
    for action in (
        lambda: table.record({"good": Entry(1.0), key: Entry(1.0)}),
        lambda: table.put({"good": Entry(1.0), key: Entry(1.0)}),
        lambda: table.get(key),
        lambda: table.delete("good", key),
    ):
        with pytest.raises(InvalidKey, match="a key must be text"):
            action()
    assert len(table) == 0


def test_record_that_fails_writes_nothing_of_it(table: QTable) -> None:
    table.record({"full": Entry(0.0, visits=2**63 - 1)})
    with pytest.raises(InvalidEntry, match="would grow beyond"):
        table.record({"a": Entry(1.0), "full": Entry(1.0)}, [JournalLine("game", "{}")])
    assert "a" not in table
    assert list(table.journal()) == []


def test_transaction_is_all_or_nothing(table: QTable) -> None:
    def fail_late() -> None:
        with table.transaction():
            table.record({"a": Entry(1.0)})
            table.delete("a")
            table.record({"b": Entry(1.0)})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_late()
    assert len(table) == 0


def test_failed_record_inside_a_transaction_leaves_the_others(table: QTable) -> None:
    with table.transaction():
        table.record({"a": Entry(1.0, visits=2**63 - 1)})
        with pytest.raises(InvalidEntry):
            table.record({"b": Entry(1.0), "a": Entry(1.0)})
        table.record({"c": Entry(1.0)})
    assert [key for key, _ in table] == ["a", "c"]


def test_snapshot_stays_at_its_moment(path: Path, table: QTable) -> None:
    table.record({"a": Entry(1.0)})
    with QTable(path) as other, table.snapshot():
        other.record({"b": Entry(2.0)})
        assert [key for key, _ in table] == ["a"]
        assert len(table) == 1
        with table.snapshot():
            assert "b" not in table
    assert "b" in table


def test_snapshot_refuses_writing(table: QTable) -> None:
    with pytest.raises(TableReadOnly), table.snapshot():
        table.record({"a": Entry(1.0)})
    table.record({"b": Entry(1.0)})
    assert [key for key, _ in table] == ["b"]


def test_row_that_does_not_decode_is_an_error_that_names_the_key(path: Path) -> None:
    with QTable(path) as table:
        table.record({"good": Entry(1.0)})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO entries (key, value) VALUES ('bad one', x'00ff')")
    with QTable(path) as table:
        for read in (
            lambda: table.get("bad one"),
            lambda: table.values(["good", "bad one"]),
            lambda: list(table),
            lambda: table.record({"bad one": Entry(1.0)}),
        ):
            with pytest.raises(CorruptEntry, match="'bad one'"):
                read()
        assert len(table.check()) == 1
        assert "'bad one'" in table.check()[0]


def test_check_finds_a_counter_that_is_wrong(path: Path) -> None:
    with QTable(path) as table:
        table.record({"a": Entry(1.0)})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE counters SET count = 7")
    with QTable(path) as table:
        assert table.check() == ["the counter says 7 entries, there are 1"]


def test_journal_keeps_its_order_past_a_page(table: QTable) -> None:
    lines = [JournalLine(f"game {250 - index}", f"{{{index}}}", index) for index in range(250)]
    table.record({"a": Entry(1.0)}, lines)
    assert list(table.journal()) == lines
    assert table.journal_length() == 250
    assert table.journal_line("game 1") == lines[249]


def test_journal_line_gets_the_time_of_recording(table: QTable) -> None:
    table.record({}, [JournalLine("game", "{}")])
    assert table.journal_line("game") == JournalLine("game", "{}", NOW)


def test_known_journal_line_stops_the_whole_record(table: QTable) -> None:
    table.record({"a": Entry(1.0)}, [JournalLine("game", "first")])
    with pytest.raises(qtable.TableError, match=r"already has a line 'game'; nothing was recorded"):
        table.record(
            {"a": Entry(2.0), "b": Entry(1.0)}, [JournalLine("new", ""), JournalLine("game", "second")]
        )
    assert table.get("a") == Entry(1.0, updated=NOW)
    assert not table.has_journal_line("new")
    assert "b" not in table


def test_known_journal_line_can_be_replaced_in_its_place(table: QTable) -> None:
    table.record({}, [JournalLine("game", "first"), JournalLine("other", "")])
    table.record({}, [JournalLine("game", "second", 5)], replace=True)
    assert list(table.journal()) == [JournalLine("game", "second", 5), JournalLine("other", "", NOW)]


def test_forgotten_line_can_be_learned_again(table: QTable) -> None:
    table.record({}, [JournalLine("game", "first")])
    assert table.forget("game")
    assert not table.forget("game")
    table.record({}, [JournalLine("game", "second")])
    assert table.journal_length() == 1


def test_settings_are_those_the_table_was_made_with(path: Path) -> None:
    settings = {"preset": "cmhm2", "depth": 1, "discount": 0.5, "exact": True}
    with QTable(path, settings=settings) as table:
        assert table.settings == settings
    with QTable(path, settings=settings) as table:
        table.settings["preset"] = "changed copy"
        assert table.settings == settings
    with QTable(path) as table:
        assert table.settings == settings


@pytest.mark.parametrize("other", [{}, {"depth": 2}, {"depth": 1, "more": 1}, {"width": 1}])
def test_other_settings_are_refused_with_both_and_a_way_out(path: Path, other: dict[str, int]) -> None:
    QTable(path, settings={"depth": 1}).close()
    with pytest.raises(TableMismatch, match=r"made with depth=1, expected .*heatmap-engine table export"):
        QTable(path, settings=other)


def test_setting_that_would_not_be_read_back_is_refused(path: Path) -> None:
    with pytest.raises(qtable.TableError, match="a setting is"):
        QTable(path, settings={"weights": [1, 2]})  # type: ignore[dict-item] # that is the point
    assert not path.exists()


def test_readonly_table_reads_and_refuses_to_write(path: Path, table: QTable) -> None:
    table.record({"a": Entry(1.0)}, [JournalLine("game", "{}")])
    with QTable(path, readonly=True) as reader:
        assert dict(reader) == dict(table)
        for write in (
            lambda: reader.record({"b": Entry(1.0)}),
            lambda: reader.put({"b": Entry(1.0)}),
            lambda: reader.delete("a"),
            lambda: reader.forget("game"),
            lambda: reader.compact(),
        ):
            with pytest.raises(TableReadOnly, match="readonly=True"):
                write()


@pytest.mark.parametrize("options", [{"readonly": True}, {"must_exist": True}])
def test_question_does_not_make_a_table(path: Path, options: dict[str, bool]) -> None:
    with pytest.raises(TableMissing, match="no table at"):
        QTable(path, readonly=options.get("readonly", False), must_exist=options.get("must_exist", False))
    assert list(path.parent.iterdir()) == []


def test_closed_table_says_so(path: Path) -> None:
    table = QTable(path)
    table.close()
    table.close()
    with pytest.raises(TableClosed, match="was closed"):
        table.get("a")
    assert [file.name for file in path.parent.iterdir()] == ["table.db"]


def test_table_in_memory_is_a_whole_table(tmp_path: Path) -> None:
    with QTable.in_memory(settings={"depth": 1}) as table:
        table.record({"a": Entry(1.0)}, [JournalLine("game", "{}")])
        assert (len(table), table.settings, table.check()) == (1, {"depth": 1}, [])
        table.compact()
        table.backup(tmp_path / "copy.db")
        with QTable(tmp_path / "copy.db", settings={"depth": 1}) as copy:
            assert list(copy) == list(table)
            assert list(copy.journal()) == list(table.journal())


def test_backup_is_of_one_moment_and_overwrites_only_when_told(path: Path, table: QTable) -> None:
    target = path.with_name("copy.db")
    table.record({"a": Entry(1.0)})
    table.backup(target)
    table.record({"b": Entry(1.0)})
    with pytest.raises(TableExists, match="left alone"):
        table.backup(target)
    with QTable(target) as copy:
        assert [key for key, _ in copy] == ["a"]
    table.backup(target, overwrite=True)
    with QTable(target) as copy:
        assert dict(copy) == dict(table)
        assert copy.check() == []


def test_compact_gives_room_back_and_keeps_every_entry(table: QTable) -> None:
    table.record({f"{index:032}": Entry(index) for index in range(20_000)})
    table.delete(*(f"{index:032}" for index in range(0, 20_000, 2)))
    before, after = table.compact()
    assert after < before * 0.6
    assert table.path is not None
    assert table.path.stat().st_size == after
    assert len(table) == len(list(table)) == 10_000


def test_statistics_add_up(table: QTable) -> None:
    table.record(
        {
            "a": Entry(-7.0, 2, 5, "game", 1, 2, 3, 100),
            "b": Entry(0.0, 2, 1, "search", 0, 0, 1, 300),
            "c": Entry(1e9, 0, 0, "static", updated=200),
        },
        [JournalLine("game", "{}")],
    )
    found = table.stats()
    assert (found.entries, found.journal_lines, found.visits) == (3, 1, 6)
    assert (found.wins, found.draws, found.losses) == (1, 2, 4)
    assert (found.oldest, found.newest, found.lowest, found.highest) == (100, 300, -7.0, 1e9)
    assert found.by_source == {"game": 1, "search": 1, "static": 1}
    assert found.by_depth == {0: 1, 2: 2}
    assert sum(found.histogram) == 3
    assert found.histogram[-1] == 1
    assert found.bytes_per_entry == found.file_bytes / 3


def test_progress_hears_of_every_row_in_the_end(table: QTable) -> None:
    table.record({f"{index}": Entry(index) for index in range(2500)})
    heard: list[tuple[int, int]] = []
    table.stats(lambda done, total: heard.append((done, total)))
    assert heard == [(1000, 2500), (2000, 2500), (2500, 2500)]
