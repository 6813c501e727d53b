"""The engine's memory: a table, and what could not be written to it yet.

A search must never wait or fail because of a table. So what a busy, full or read-only table does not take
is kept here and offered again with the next change; the failure is reported once.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping

from heatmap_engine.memory.lazy_table import LazyTable
from heatmap_engine.memory.tables import WRITE_TIMEOUT_S
from heatmap_engine.memory.views import merge_into
from qtable import Entry, JournalLine, QTable
from qtable.errors import TableBusy, TableError, TableFull, TableReadOnly

# How long `flush` and learning try again.
_FLUSH_TIMEOUT_S = 10.0

# Entries kept while the table takes none; about 100 MiB. Above this all of them are dropped.
_MOST_PENDING = 300_000


class Memory:
    """Reads a table for searches and records what they found; knows nothing at all without a table.

    One thread may read while another one writes. What is being written can be read all the time.
    """

    def __init__(self, table: QTable | LazyTable | None, report: Callable[[str], None]) -> None:
        self._table = table
        self._may_pass = False
        self._report = report
        self._reported: set[type[TableError]] = set()
        self._lock = threading.Lock()
        self._pending: dict[str, Entry] = {}
        self._being_written: dict[str, Entry] = {}

    @property
    def has_table(self) -> bool:
        """Whether there is a table, be it one that is made when there is something to write."""
        return self._table is not None

    @property
    def table(self) -> QTable | None:
        """The table, made now if it is still missing."""
        return self._table.made() if isinstance(self._table, LazyTable) else self._table

    @property
    def table_to_read(self) -> QTable | None:
        """The table, unless it is still missing."""
        return self._table.found() if isinstance(self._table, LazyTable) else self._table

    def close(self) -> None:
        """Close the table if it was opened."""
        if self._table is not None:
            self._table.close()

    def values(self, keys: Iterable[str]) -> dict[str, float]:
        """What the table knows of these positions; nothing, and a report, if it cannot be read."""
        if self._table is None:
            return {}
        wanted = list(keys)
        with self._lock:
            unwritten = [entries for entries in (self._being_written, self._pending) if entries]
            news = {key: entries[key].value for entries in unwritten for key in wanted if key in entries}
        try:
            table = self.table_to_read
            found = {} if table is None else table.values(wanted)
        except TableError as error:
            self._report_once(error)
            found = {}
        found.update(news)
        return found

    def note(self, name: str) -> str | None:
        """A note of the table; none, and a report, if it cannot be read."""
        return self._noted(lambda table: table.note(name))

    def note_stamp(self, name: str) -> str | None:
        return self._noted(lambda table: table.note_stamp(name))

    def refuse_note(self, name: str, reason: str) -> None:
        """Report a note that cannot be used; searches go on without it."""
        try:
            table = self.table_to_read
            if table is not None:
                table.refuse_note(name, reason)
        except TableError as error:
            self._report_once(error)

    def _noted(self, read: Callable[[QTable], str | None]) -> str | None:
        try:
            table = self.table_to_read
            return None if table is None else read(table)
        except TableError as error:
            self._report_once(error)
            return None

    def get_many(self, keys: Iterable[str]) -> dict[str, Entry]:
        """As `values`, but whole entries."""
        try:
            return self.entries(keys)
        except TableError as error:
            self._report_once(error)
            return {}

    def entries(self, keys: Iterable[str]) -> dict[str, Entry]:
        """What is known of these positions, in full; unlike `values` it raises TableError.

        What another thread is writing at this moment may count its visits twice.
        """
        if self._table is None:
            return {}
        wanted = list(keys)
        with self._lock:
            unwritten = [self._being_written, self._pending]
            news = [{key: entries[key] for key in wanted if key in entries} for entries in unwritten]
        table = self.table_to_read
        found = {} if table is None else table.get_many(wanted)
        for entries in news:
            merge_into(found, entries)
        return found

    def remember(self, entries: Mapping[str, Entry]) -> None:
        """Record entries, now or as soon as the table takes them."""
        if self._table is None or self._table.is_readonly:
            return
        with self._lock:
            merge_into(self._pending, entries)
        self._write()

    def flush(self) -> None:
        """Write what is pending, waiting for other writers; reports what the table does not take."""
        deadline = time.monotonic() + _FLUSH_TIMEOUT_S
        while self._pending and not self._write() and self._may_pass and time.monotonic() < deadline:
            time.sleep(WRITE_TIMEOUT_S)  # a full disk fails at once

    def learn(
        self,
        entries: Mapping[str, Entry],
        line: JournalLine,
        keep_going: Callable[[int], None],
        *,
        replace: bool,
    ) -> None:
        """Record a game's entries together with its line in the journal, or raise TableError.

        `keep_going` may raise to give up waiting for another writer.
        """
        table = self.table
        assert table is not None
        deadline = time.monotonic() + _FLUSH_TIMEOUT_S
        while True:
            try:
                table.record(entries, journal=[line], replace=replace)
                return
            except TableBusy:
                if time.monotonic() > deadline:
                    raise
                keep_going(0)

    def _write(self) -> bool:
        """Write what is pending; what the table does not take is pending again."""
        with self._lock:
            self._being_written, self._pending = self._pending, {}
        try:
            table = self.table
            assert table is not None
            table.record(self._being_written)
        except TableError as error:
            self._report_once(error)
            self._take_back(is_lost=isinstance(error, TableReadOnly))
            return False
        with self._lock:
            self._being_written = {}
        return True

    def _take_back(self, *, is_lost: bool) -> None:
        with self._lock:
            entries, self._being_written = self._being_written, {}
            merge_into(entries, self._pending)
            self._pending = {} if is_lost or len(entries) > _MOST_PENDING else entries

    def _report_once(self, error: TableError) -> None:
        self._may_pass = isinstance(error, (TableBusy, TableFull))  # a damaged or closed table stays so
        if type(error) not in self._reported:
            self._reported.add(type(error))
            self._report(str(error))
