"""Export and import: what comes back is exactly what was there."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_strategies import entries, keys

from qtable import Entry, JournalLine, QTable
from qtable.errors import DuplicateJournalLine, TableError
from qtable.transfer import FORMATS, export_rows, import_rows, read_settings

_SETTINGS = {"preset": "cmhm2", "depth": 1, "discount": 0.1, "exact": True}


def _imported(text: str, form: str, table: QTable) -> int:
    return import_rows(table, io.StringIO(text, newline=""), form)


def _exported(table: QTable, form: str) -> str:
    file = io.StringIO(newline="")
    assert export_rows(table, file, form) == len(table)
    return file.getvalue()


@pytest.mark.parametrize("form", FORMATS)
@given(contents=st.dictionaries(keys, entries(), max_size=6), games=st.lists(keys, unique=True, max_size=3))
def test_every_table_survives_the_round_trip(form: str, contents: dict[str, Entry], games: list[str]) -> None:
    with QTable.in_memory(settings=_SETTINGS) as table, QTable.in_memory(settings=_SETTINGS) as copy:
        table.record(contents, [JournalLine(game, game * 2, 5) for game in games])
        text = _exported(table, form)
        assert _imported(text, form, copy) == len(contents)
        assert dict(copy) == dict(table) == contents
        assert [repr(entry) for _, entry in copy] == [repr(entry) for _, entry in table]  # -0.0 is not 0.0
        if form == "jsonl":
            assert list(copy.journal()) == list(table.journal())
            assert read_settings(io.StringIO(text), form) == _SETTINGS


def test_import_records_by_the_rule_and_counts_repeated_keys() -> None:
    with QTable.in_memory() as table:
        table.record({"a": Entry(1.0, 5, updated=1)})
        text = "value,key,depth,wins\n2.5,a,1,3\n3.5,b,0,1\n4.5,b,,1\n"
        assert _imported(text, "csv", table) == 3
        a, b = table.get("a"), table.get("b")
        assert a is not None
        assert b is not None
        assert (a.value, a.depth, a.visits, a.wins, a.source) == (1.0, 5, 2, 3, "search")
        assert (b.value, b.visits, b.wins, b.source) == (4.5, 2, 2, "import")


_GOOD = '{"key": "good", "value": 1}\n'


@pytest.mark.parametrize(
    ("form", "text", "reason"),
    [
        ("csv", "", "line 1: expected the columns key, value"),
        ("csv", "key,score\na,1\n", "line 1: expected the columns"),
        ("csv", "key,value\ngood,1\nbad,one\n", "line 3: .*'one'"),
        ("csv", "key,value\ngood,1\nbad,nan\n", "line 3: value must be a finite number"),
        ("csv", "key,value\ngood,1\nbad\n", "line 3: expected 2 fields"),
        ("csv", "key,value\ngood,1\nbad,1,2\n", "line 3: expected 2 fields"),
        ("csv", 'key,value\ngood,1\n"bad,1\n', "line 3: unexpected end of data"),
        ("csv", "key,value,depth\ngood,1,0\nbad,1,1.5\n", "line 3: expected a whole number, found '1.5'"),
        ("csv", "key,value,source\ngood,1,game\nbad,1,rumour\n", "line 3: source must be one of"),
        ("jsonl", _GOOD + "{\n", "line 2: it is no JSON"),
        ("jsonl", _GOOD + "[]\n", "line 2: expected an object"),
        ("jsonl", _GOOD + '{"key": 5, "value": 1}\n', "line 2: expected the fields"),
        ("jsonl", _GOOD + '{"key": "a", "value": 1, "colour": 2}\n', "line 2: expected the fields"),
        ("jsonl", _GOOD + '{"key": "a", "value": 1, "wins": -1}\n', "line 2: wins must be from 0"),
        ("jsonl", _GOOD + '{"settings": {}}\n', "line 2: expected a key, a note, a journal line"),
        ("jsonl", _GOOD + '{"journal": "a"}\n', "line 2: a journal line has an id, a line"),
    ],
)
def test_row_that_makes_no_sense_is_named_and_nothing_imported(form: str, text: str, reason: str) -> None:
    with QTable.in_memory() as table:
        with pytest.raises(TableError, match=reason):
            _imported(text, form, table)
        assert len(table) == 0


def test_known_journal_line_stops_the_import_unless_it_may_be_replaced() -> None:
    text = '{"key": "a", "value": 1}\n{"journal": "game", "line": "second", "added": 5}\n'
    with QTable.in_memory() as table:
        table.record({}, [JournalLine("game", "first", 1)])
        with pytest.raises(DuplicateJournalLine):
            _imported(text, "jsonl", table)
        assert len(table) == 0
        import_rows(table, io.StringIO(text), "jsonl", replace=True)
        assert list(table.journal()) == [JournalLine("game", "second", 5)]
