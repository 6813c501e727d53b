"""A table that may be missing still: reading does not make it, writing does."""

import threading
from collections.abc import Callable
from pathlib import Path

from qtable import QTable
from qtable.errors import TableClosed
from qtable.file import read_header


class LazyTable:
    """The table at a path where there was none when this object was made.

    Whatever opening it raises is raised by `found` and `made`. Threads share it.
    """

    is_readonly = False

    def __init__(self, path: Path, open_table: Callable[[], QTable]) -> None:
        self._path = path
        self._open_table = open_table
        self._lock = threading.Lock()
        self._table: QTable | None = None
        self._is_closed = False

    def found(self) -> QTable | None:
        """The table, if it is there by now: another process may have made it."""
        is_missing = self._table is None and read_header(self._path) is None
        return None if is_missing else self.made()

    def made(self) -> QTable:
        """The table, made if it is still missing."""
        with self._lock:
            if self._table is None:
                if self._is_closed:
                    raise TableClosed(f"{self._path} was closed")
                self._table = self._open_table()
            return self._table

    def close(self) -> None:
        """Close the table if it was opened, and never open it again."""
        with self._lock:
            self._is_closed = True
            if self._table is not None:
                self._table.close()
