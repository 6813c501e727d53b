"""Sources of values: a table, or a view, which is a table with changes that it does not have yet."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from qtable import Entry, combine


class ValueSource(Protocol):
    """A source of values of positions, each for the side to move."""

    def values(self, keys: Iterable[str]) -> dict[str, float]: ...


class NoteSource(Protocol):
    """A source of notes: texts about a table as a whole."""

    def note(self, name: str) -> str | None: ...

    def note_stamp(self, name: str) -> str | None:
        """What changes whenever the note does; None where there is none."""
        ...

    def refuse_note(self, name: str, reason: str) -> None:
        """Say that a note cannot be used; may raise TableError."""
        ...


class EntrySource(ValueSource, NoteSource, Protocol):
    """A table, or what stands for one: values, the whole entries, and notes."""

    def get_many(self, keys: Iterable[str]) -> dict[str, Entry]: ...


class View:
    """A table's values, over them changes that it does not have yet, and entries that it will never have."""

    def __init__(self, table: EntrySource) -> None:
        self.below = table
        self.changes: dict[str, Entry] = {}
        self._passing: dict[str, Entry] = {}

    def values(self, keys: Iterable[str]) -> dict[str, float]:
        wanted = keys if isinstance(keys, set) else set(keys)
        found = self.below.values(wanted)
        for known in (self._passing, self.changes):
            for key in known.keys() & wanted:
                found[key] = known[key].value
        return found

    def note(self, name: str) -> str | None:
        return self.below.note(name)

    def note_stamp(self, name: str) -> str | None:
        return self.below.note_stamp(name)

    def refuse_note(self, name: str, reason: str) -> None:
        self.below.refuse_note(name, reason)

    def get_many(self, keys: Iterable[str]) -> dict[str, Entry]:
        wanted = list(keys)
        found = self.below.get_many(wanted)
        merge_into(found, {key: self._passing[key] for key in wanted if key in self._passing})
        merge_into(found, {key: self.changes[key] for key in wanted if key in self.changes})
        return found

    def record(self, entries: Mapping[str, Entry]) -> None:
        merge_into(self.changes, entries)

    def pass_on(self, entries: Mapping[str, Entry]) -> None:
        """Know these entries as long as the view lives, without counting them among its changes."""
        merge_into(self._passing, entries)


def merge_into(known: dict[str, Entry], entries: Mapping[str, Entry]) -> None:
    """Record `entries` over `known` by the table's own rule."""
    for key, entry in entries.items():
        old = known.get(key)
        known[key] = entry if old is None else combine(old, entry)
