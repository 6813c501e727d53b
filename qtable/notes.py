"""Notes: texts about a table as a whole, kept beside its settings, each with a stamp that is its checksum.

What is worked out of all games together is a note, for instance: entries are about one state each.
"""

import sqlite3
import zlib

_NOTE, _STAMP = "note ", "stamp of note "


def names(connection: sqlite3.Connection) -> list[str]:
    """The names of all notes, in the order of their names."""
    found = connection.execute("SELECT name FROM metadata ORDER BY name").fetchall()
    return [name.removeprefix(_NOTE) for (name,) in found if name.startswith(_NOTE)]


def read(connection: sqlite3.Connection, name: str) -> str | None:
    """The text of a note, None where there is none; raises ValueError for one that is damaged."""
    text = _value(connection, _NOTE + name)
    if (None if text is None else stamp_of(text)) != _value(connection, _STAMP + name):
        raise ValueError(f"the checksum of the note {name!r} is wrong")
    return text


def stamp(connection: sqlite3.Connection, name: str) -> str | None:
    """What changes whenever the note does, without reading it; raises ValueError where it was lost."""
    found = _value(connection, _STAMP + name)
    if found is None and _value(connection, _NOTE + name) is not None:
        raise ValueError(f"the checksum of the note {name!r} is gone")
    return found


def stamp_of(text: str) -> str:
    """CRC-32 and length of a note's text."""
    return f"{zlib.crc32(text.encode()):08x}-{len(text)}"


def write(connection: sqlite3.Connection, name: str, text: str | None) -> None:
    """Write a note, or take it away with None; the caller has a transaction."""
    for row in (_NOTE + name, _STAMP + name):
        connection.execute("DELETE FROM metadata WHERE name = ?", (row,))
    if text is not None:
        rows = [(_NOTE + name, text), (_STAMP + name, stamp_of(text))]
        connection.executemany("INSERT INTO metadata VALUES (?, ?)", rows)


def note_of_row(name: str) -> str | None:
    """Which note a row of this name in the metadata holds; None for other rows. For recovery."""
    return name.removeprefix(_NOTE) if name.startswith(_NOTE) else None


def stamp_of_row(name: str) -> str | None:
    """Of which note a row of this name holds the stamp."""
    return name.removeprefix(_STAMP) if name.startswith(_STAMP) else None


def _value(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT value FROM metadata WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])
