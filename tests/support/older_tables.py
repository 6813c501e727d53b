"""Tables as older versions left them: rows without checksums, in the layouts 1 and 2."""

import sqlite3
import struct
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from qtable import SOURCES, Entry, JournalLine
from qtable.schema import Settings, lay_out, transaction

_NARROW = struct.Struct(">BBHdIIHHH")
_WIDE = struct.Struct(">BBxxdqqqqqq")


def older_row(entry: Entry) -> bytes:
    """The entry as the layouts 1 and 2 kept it."""
    value, depth, visits, source, wins, draws, losses, updated = entry
    code = SOURCES.index(source)
    try:
        return _NARROW.pack(1, code, depth, value, updated, visits, wins, draws, losses)
    except struct.error:
        return _WIDE.pack(2, code, value, depth, updated, visits, wins, draws, losses)


def make_older_table(
    path: Path,
    entries: Mapping[str, Entry],
    journal: list[JournalLine] | None = None,
    *,
    settings: Settings | None = None,
    version: int = 2,
) -> None:
    """A table of that layout; layout 1 has no journal."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with transaction(connection):
            lay_out(connection, settings or {}, now=5, version=version)
            rows = [(key, older_row(entry)) for key, entry in sorted(entries.items())]
            connection.executemany("INSERT INTO entries (key, value) VALUES (?, ?)", rows)
            lines = [(line.id, line.text, line.added) for line in journal or []]
            if lines:
                connection.executemany("INSERT INTO journal (id, line, added) VALUES (?, ?, ?)", lines)
        connection.execute("PRAGMA journal_mode = WAL")
