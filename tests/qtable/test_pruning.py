"""Pruning: what is worth the least goes first, and only what the limits allow."""

from pathlib import Path

import pytest

from qtable import Entry, JournalLine, QTable
from qtable.errors import TableError
from qtable.pruning import Limits, Pruning, prune, prune_to_size

_ENTRIES = {
    "often": Entry(0.0, 0, 9, updated=100),
    "deep": Entry(0.0, 5, 1, updated=100),
    "new": Entry(0.0, 0, 1, updated=200),
    "old": Entry(0.0, 0, 1, updated=50),
}


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        (Limits(visits_below=2), {"often"}),
        (Limits(depth_below=5), {"deep"}),
        (Limits(updated_before=100), {"often", "deep", "new"}),
        (Limits(visits_below=2, depth_below=1, updated_before=101), {"often", "deep", "new"}),
        (Limits(visits_below=1), set(_ENTRIES)),
    ],
)
def test_entries_below_every_given_limit_go(limits: Limits, left: set[str]) -> None:
    with QTable.in_memory() as table:
        table.record(_ENTRIES)
        expected = Pruning(4 - len(left), len(left))
        assert prune(table, limits, dry_run=True) == expected
        assert len(table) == 4
        assert prune(table, limits) == expected
        assert dict(table) == {key: _ENTRIES[key] for key in left}
        assert table.check() == []


def test_what_games_went_through_stays_where_that_is_wanted() -> None:
    with QTable.in_memory() as table:
        results = {name: Entry(0.0, updated=1, **{name: 1}) for name in ("wins", "draws", "losses")}
        table.record({**_ENTRIES, **results})
        assert prune(table, Limits(without_results=True, visits_below=2)) == Pruning(3, 4)
        assert {key for key, _ in table} == {*results, "often"}


def test_least_visited_then_shallowest_then_oldest_go_first() -> None:
    with QTable.in_memory() as table:
        table.record(_ENTRIES)
        gone = []
        for number in (3, 2, 1, 0):
            before = {key for key, _ in table}
            prune(table, Limits(), keep_at_most=number)
            gone += before - {key for key, _ in table}
    assert gone == ["old", "new", "deep", "often"]


def test_limits_hold_also_when_more_are_left_than_wished() -> None:
    with QTable.in_memory() as table:
        table.record(_ENTRIES)
        assert prune(table, Limits(depth_below=5), keep_at_most=0) == Pruning(3, 1)


def test_file_becomes_no_larger_than_wished_and_not_much_smaller(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with QTable(path) as table:
        table.record({f"{number * 7919 % 30011:032}": Entry(0.0, visits=number) for number in range(30_000)})
        estimate = prune_to_size(table, Limits(), 1_000_000, dry_run=True)
        assert 0 < estimate.kept < 30_000
        assert len(table) == 30_000
        done = prune_to_size(table, Limits(), 1_000_000)
        assert done.removed + done.kept == 30_000
        assert 900_000 < path.stat().st_size <= 1_000_000
        assert min(entry.visits for _, entry in table) == done.removed
        assert table.check() == []


def test_size_that_the_journal_exceeds_is_refused_before_anything_goes(tmp_path: Path) -> None:
    with QTable(tmp_path / "table.db") as table:
        table.record({"a": Entry(1.0)}, [JournalLine("game", "x" * 200_000)])
        with pytest.raises(TableError, match="cannot be made smaller than"):
            prune_to_size(table, Limits(), 100_000)
        assert len(table) == 1
