"""A table as a dictionary: a SqliteDict whose values are entries, for those who know sqlitedict.

    entries["start"] = Entry(0.5)      sets the entry as it is; `QTable.record` combines it with the old one

What is different from a plain SqliteDict, and why:

- Values are encoded by `qtable.encode`. Its own encoding is pickle, which runs what a stranger's file says.
- The file must be a table. A plain one makes a missing file, and adds its own table to anybody's.
- Every change is a transaction of its own, `update` one for all, and other processes see it at once. A plain
  one holds the writer's lock from the first change to `commit()`, and forgets changes that nobody commits.
- It works on a connection of QTable, in the caller's thread: what was written outlives a power failure in
  one piece, errors are raised where they arise, and it may be used after a fork.
- `len` and `bool` read the table's counter instead of all rows, and iteration reads page by page.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from sqlitedict import SqliteDict

from qtable.entry import Entry, decode, encode
from qtable.errors import InvalidEntry, TableError
from qtable.file import read_header
from qtable.schema import Settings
from qtable.table import QTable, require_keys


class TableDict(SqliteDict):  # type: ignore[misc] # sqlitedict ships no type hints
    """The entries of the table at `path`, which must be there, by their keys.

    `settings`, `readonly` and `timeout_s` mean what they mean to QTable, which is behind it as `table`.
    """

    table: QTable

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        settings: Settings | None = None,
        readonly: bool = False,
        timeout_s: float = 10.0,
    ) -> None:
        self._open = partial(
            QTable, path, settings=settings, readonly=readonly, must_exist=True, timeout_s=timeout_s
        )
        self.conn: Any = None  # what close() and __del__ look at, should the next line raise
        self.in_temp = False
        place = Path(os.path.realpath(path))
        read_header(place)  # says what is wrong with the path in our words, before SqliteDict does in its own
        super().__init__(
            str(place), "entries", autocommit=True, journal_mode="WAL", encode=encode, decode=decode
        )

    def _new_conn(self) -> "_Connection":
        self.table = self._open()
        return _Connection(self.table)

    # Encoding: a row's checksum is over its key as well, which SqliteDict does not tell its encoders.

    def __getitem__(self, key: str) -> Entry:
        require_keys([key])
        row = self.conn.select_one("SELECT value FROM entries WHERE key = ?", (key,))
        if row is None:
            raise KeyError(key)
        return decode(key, row[0])

    def __setitem__(self, key: str, entry: Entry) -> None:
        self.update({key: entry})

    def update(
        self, entries: Mapping[str, Entry] | Iterable[tuple[str, Entry]] = (), /, **more: Entry
    ) -> None:
        """Set all these entries in one transaction, or none if it raises."""
        rows = [(key, _encoded(key, entry)) for key, entry in dict(entries, **more).items()]
        self.conn.executemany("REPLACE INTO entries (key, value) VALUES (?, ?)", rows)

    def iterkeys(self) -> Iterator[str]:
        """Every key, in the order of keys."""
        return (key for key, _ in self.table)

    def itervalues(self) -> Iterator[Entry]:
        """Every entry, in the order of keys."""
        return (entry for _, entry in self.table)

    def iteritems(self) -> Iterator[tuple[str, Entry]]:
        """Every key with its entry, in the order of keys."""
        return iter(self.table)

    # What would be slow or dangerous

    def __contains__(self, key: object) -> bool:
        return key in self.table

    def __len__(self) -> int:
        return len(self.table)

    def __bool__(self) -> bool:
        return len(self.table) > 0

    def clear(self) -> None:
        """Delete all entries in one transaction; the journal and the settings stay."""
        self.conn.execute("DELETE FROM entries")

    def terminate(self) -> None:
        """Refused: others may be using the file, and its log would damage the next table of this name."""
        raise TableError(f"{self.filename} is left alone: close all that use it and remove it by hand")


def _encoded(key: str, entry: Entry) -> bytes:
    require_keys([key])
    if not isinstance(entry, Entry):
        raise InvalidEntry(f"expected an Entry for the key {key!r}, not {entry!r:.80}")
    return encode(key, entry)


class _Connection:
    """What SqliteDict takes for its connection, with the methods of its SqliteMultithread."""

    autocommit = True

    def __init__(self, table: QTable) -> None:
        self._table = table

    def execute(self, request: str, arguments: tuple[Any, ...] | None = None) -> None:
        with self._table.connection() as connection:
            connection.execute(request, arguments or ())

    def executemany(self, request: str, items: Iterable[tuple[Any, ...]]) -> None:
        with self._table.transaction(), self._table.connection() as connection:
            connection.executemany(request, items)

    def select_one(self, request: str, arguments: tuple[Any, ...] | None = None) -> Any:
        with self._table.connection() as connection:
            return connection.execute(request, arguments or ()).fetchone()

    def commit(self, blocking: bool = True) -> None:
        """Nothing is left to do: every change was a transaction."""

    def close(self, force: bool = False) -> None:
        self._table.close()
