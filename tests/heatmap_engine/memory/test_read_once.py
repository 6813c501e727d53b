"""A table as one game sees it: asked once for each key, and unchanged while the game goes on."""

import pytest

from heatmap_engine.memory import read_once
from heatmap_engine.memory.read_once import ReadOnce
from heatmap_engine.memory.views import View
from qtable import Entry, QTable


class Counting(View):
    """A table that says what it was asked."""

    def __init__(self, table: QTable) -> None:
        super().__init__(table)
        self.asked: list[str] = []

    def values(self, keys: object) -> dict[str, float]:
        wanted = set(keys)  # type: ignore[call-overload] # of strings
        self.asked += sorted(wanted)
        return super().values(wanted)


KEYS = [letter * 22 for letter in "abcd"]


def test_each_key_is_asked_once_and_keeps_its_value() -> None:
    with QTable.in_memory() as table:
        table.record({KEYS[0]: Entry(1.0, depth=2), KEYS[1]: Entry(2.0, depth=2)})
        below = Counting(table)
        once = ReadOnce(below)
        assert once.values([KEYS[0], KEYS[2]]) == {KEYS[0]: 1.0}
        table.record({KEYS[0]: Entry(5.0, depth=2), KEYS[2]: Entry(6.0, depth=2)})
        assert once.values(KEYS) == {KEYS[0]: 1.0, KEYS[1]: 2.0}
        assert once.values(iter(KEYS)) == {KEYS[0]: 1.0, KEYS[1]: 2.0}
        assert below.asked == [KEYS[0], KEYS[2], KEYS[1], KEYS[3]]
        assert once.get_many(KEYS[:1])[KEYS[0]].value == 5.0  # entries are what the table has now


def test_it_forgets_what_was_not_there_before_it_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_once, "_MOST_KEYS", 2)
    with QTable.in_memory() as table:
        table.record({KEYS[0]: Entry(1.0, depth=2)})
        below = Counting(table)
        once = ReadOnce(below)
        once.values(KEYS[:3])
        table.record({KEYS[0]: Entry(5.0, depth=2)})
        assert once.values(KEYS) == {KEYS[0]: 1.0}
        assert once.values(KEYS[1:3]) == {}
        assert below.asked == [*KEYS[:3], KEYS[3], *KEYS[1:3]]
