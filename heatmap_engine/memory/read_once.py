"""A table as one game sees it: what has been asked once is not asked again.

The walk of a game asks for nearly all the keys that its players asked for, and nearly none of them has an
entry.
"""

from collections.abc import Iterable

from heatmap_engine.memory.views import EntrySource
from qtable import Entry

# Keys that are remembered, some 100 bytes each. A long game asks for a hundred thousand.
_MOST_KEYS = 250_000


class ReadOnce:
    """The values of a table, each as it was when it was first asked for. Entries are read anew each time."""

    def __init__(self, table: EntrySource) -> None:
        self._table = table
        self._asked: set[str] = set()
        self._found: dict[str, float] = {}

    def values(self, keys: Iterable[str]) -> dict[str, float]:
        wanted = keys if isinstance(keys, set) else set(keys)
        new = wanted - self._asked
        if new:
            self._ask(new)
        found = self._found
        return {key: found[key] for key in found.keys() & wanted}

    def _ask(self, new: set[str]) -> None:
        if len(self._asked) > _MOST_KEYS:
            # What was found stays: it must not change while the game goes on.
            self._asked = set(self._found)
        self._found |= self._table.values(new)
        self._asked |= new

    def get_many(self, keys: Iterable[str]) -> dict[str, Entry]:
        return self._table.get_many(keys)

    def note(self, name: str) -> str | None:
        return self._table.note(name)

    def note_stamp(self, name: str) -> str | None:
        return self._table.note_stamp(name)

    def refuse_note(self, name: str, reason: str) -> None:
        self._table.refuse_note(name, reason)
