"""Salvages what can be read of a damaged table, page by page, without asking SQLite where anything is.

SQLite finds rows by walking down from the schema: one bad page near the top and everything below is lost to
it. Every page that holds rows says so itself, so all of them are read in the order of the file. The layout
of pages and records: https://www.sqlite.org/fileformat.html, sections 1.5, 1.6 and 2.
"""

import mmap
import os
import shutil
import sqlite3
import struct
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from qtable import notes, schema
from qtable.drafts import draft_of
from qtable.entry import decode, encode
from qtable.errors import CorruptEntry, NotATable, TableMissing
from qtable.file import (
    APPLICATION_ID,
    Header,
    beside,
    has_log,
    parse_header,
    read_first_bytes,
    require_absent,
)
from qtable.journal import line_checksum
from qtable.older_rows import decode_older
from qtable.progress import Progress, counted
from qtable.schema import Settings

_INDEX_INNER, _INDEX_LEAF, _TABLE_LEAF = 0x02, 0x0A, 0x0D
_ROWS_PER_WRITE = 10_000
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}

_Column = int | float | str | bytes | None


class _NoRow(Exception):
    """These bytes are no row."""


# What reading of arbitrary bytes as a row may end in.
_DAMAGE = (_NoRow, IndexError, struct.error, UnicodeDecodeError)


@dataclass
class Recovery:
    """What came out of a damaged file."""

    entries: int = 0
    journal_lines: int = 0
    damaged_pages: int = 0
    expected: int | None = None
    settings: Settings | None = None
    notes: dict[str, str] = field(default_factory=dict)
    """The notes that were found, sound or not."""
    stamps: dict[str, str] = field(default_factory=dict)

    @property
    def lost_notes(self) -> list[str]:
        """The notes that were damaged."""
        return sorted(
            name
            for name in {*self.notes, *self.stamps}
            if name not in self.notes or self.stamps.get(name) != notes.stamp_of(self.notes[name])
        )

    @property
    def lost(self) -> int | None:
        """How many entries could not be read; None if the file no longer says how many it had."""
        return None if self.expected is None else max(0, self.expected - self.entries)


def recover(
    path: str | PathLike[str],
    target: str | PathLike[str],
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Recovery:
    """Make a new table at `target` of every row that can be read in the file at `path`, which is not changed.

    Raises NotATable if there is not a single one. If the settings cannot be read, the new table has none.
    `progress` hears of pages, not of rows.
    """
    source, destination = Path(os.path.realpath(path)), Path(target)
    read_first_bytes(source)  # says what is wrong with a path that cannot be read at all
    if not source.exists():
        raise TableMissing(f"there is no file at {source}")
    require_absent(destination, overwrite, source)
    with (
        draft_of(destination, overwrite=overwrite) as draft,
        _with_log_applied(source, draft.parent) as whole,
        _mapped(whole) as pages,
        closing(sqlite3.connect(draft, isolation_level=None)) as connection,
    ):
        schema.create(connection, {}, int(time.time()))
        found = _salvage(pages, connection, progress)
        if not found.entries and not found.journal_lines:
            raise NotATable(f"{source} has nothing in it that can be read as an entry of a Q-table")
        connection.execute("PRAGMA journal_mode = WAL")
    return found


def _salvage(pages: "_Pages", connection: sqlite3.Connection, progress: Progress | None) -> Recovery:
    found = Recovery()
    # A page that was freed may hold older copies of rows. If the list of free pages is lost as well, the copy
    # with more visits is the later one: they only grow.
    connection.create_function("visits", 2, lambda key, blob: decode(key, blob).visits, deterministic=True)
    keep = (
        "INSERT INTO entries (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE "
        "SET value = excluded.value WHERE visits(key, excluded.value) > visits(key, value)"
    )
    rows = _sorted_out(pages, connection, found, progress)
    with schema.transaction(connection):
        while batch := list(islice(rows, _ROWS_PER_WRITE)):
            connection.executemany(keep, batch)
        schema.write_settings(connection, found.settings or {})
        for name, text in found.notes.items():
            if name not in found.lost_notes:
                notes.write(connection, name, text)
        (found.entries,) = connection.execute("SELECT count FROM counters").fetchone()
        (found.journal_lines,) = connection.execute("SELECT count(*) FROM journal").fetchone()
    return found


def _sorted_out(
    pages: "_Pages", connection: sqlite3.Connection, found: Recovery, progress: Progress | None
) -> Iterator[tuple[str, bytes]]:
    """The entries among all rows; what else is worth keeping is put where it belongs on the way."""
    numbers = counted(range(1, pages.count + 1), pages.count, progress)
    for number in numbers:
        for row in pages.rows(number, found):
            match row.columns:
                case (str(key), bytes(blob)):
                    with suppress(CorruptEntry):
                        yield key, _sound_row(key, blob, pages.may_be_older)
                case ("entries", int(count)):
                    found.expected = count
                case ("settings", str(text)):
                    with suppress(ValueError):
                        found.settings = _sound_settings(text, pages.may_be_older)
                case (str(name), str(text)) if (note := notes.note_of_row(name)) is not None:
                    found.notes[note] = text
                case (str(name), str(text)) if (note := notes.stamp_of_row(name)) is not None:
                    found.stamps[note] = text
                case (None, str(line_id), str(line), int(added), *rest) if _is_sound(
                    line_checksum(line_id, line, added), rest, pages.may_be_older
                ):
                    connection.execute(
                        "INSERT OR IGNORE INTO journal VALUES (?, ?, ?, ?, ?)",
                        (row.number, line_id, line, added, line_checksum(line_id, line, added)),
                    )


def _sound_row(key: str, blob: bytes, may_be_older: bool) -> bytes:
    """The row in its present form; raises CorruptEntry for a damaged one."""
    try:
        decode(key, blob)
        return blob
    except CorruptEntry:
        if not may_be_older:
            raise
        return encode(key, decode_older(blob))


def _sound_settings(text: str, may_be_older: bool) -> dict[str, schema.Setting]:
    try:
        return schema.parsed_settings(text)
    except ValueError:
        if not may_be_older:
            raise
        return schema.parsed_older_settings(text)


def _is_sound(expected: int | None, found: list[_Column], may_be_older: bool) -> bool:
    """Whether a journal line may be kept: its checksum is right, or it is so old that it has none."""
    return found == [expected] or (found in ([], [None]) and may_be_older)


@contextmanager
def _with_log_applied(path: Path, folder: Path) -> Iterator[Path]:
    """The file itself, or, if changes wait in its log, a copy that has them, as far as SQLite gets."""
    if not has_log(path):
        yield path
        return
    with tempfile.TemporaryDirectory(dir=folder, prefix=".recover-") as room:
        copy = Path(room) / path.name
        shutil.copyfile(path, copy)
        shutil.copyfile(beside(path, "-wal"), beside(copy, "-wal"))
        # Past the log, the file is still worth reading: an older state of every row.
        with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(copy)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        yield copy


@contextmanager
def _mapped(path: Path) -> Iterator["_Pages"]:
    header = parse_header(read_first_bytes(path)[0])
    if header is not None and header.application_id != APPLICATION_ID:
        raise NotATable(f"{path} is not a Q-table: it is a SQLite file of another program")
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            raise NotATable(f"{path} is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            yield _Pages(content, header)


class _Row(NamedTuple):
    number: int
    columns: tuple[_Column, ...]


class _Pages:
    """A file's pages, and the rows in each."""

    def __init__(self, content: mmap.mmap, header: Header | None) -> None:
        self._content = content
        self._size = header.page_size if header is not None and header.page_size >= 512 else 4096
        self._usable = self._size - (header.reserved_bytes if header is not None else 0)
        self.count = len(content) // self._size
        # Without a header nobody knows, and a row says of itself which form it has.
        self.may_be_older = header is None or header.version < schema.CHECKSUMS_SINCE
        self._free = set(self._free_pages(header.first_free_page)) if header is not None else set()

    def _page(self, number: int) -> bytes:
        if not 1 <= number <= self.count:
            raise _NoRow(f"there is no page {number}")
        return self._content[(number - 1) * self._size : number * self._size]

    def _free_pages(self, trunk: int) -> Iterator[int]:
        """The list of free pages, as far as it makes sense."""
        trunks: set[int] = set()
        while 1 <= trunk <= self.count and trunk not in trunks:
            trunks.add(trunk)
            yield trunk
            page = self._page(trunk)
            following, length = struct.unpack_from(">II", page)
            if length > self._size // 4 - 2:
                return
            yield from struct.unpack_from(f">{length}I", page, 8)
            trunk = following

    def rows(self, number: int, found: Recovery) -> Iterator[_Row]:
        """The rows that a page holds; a page with some that make no sense is counted in `found`."""
        page = self._page(number)
        start = 100 if number == 1 else 0
        kind = page[start]
        if number in self._free or kind not in (_INDEX_INNER, _INDEX_LEAF, _TABLE_LEAF):
            return
        (length,) = struct.unpack_from(">H", page, start + 3)
        pointers_at = start + (12 if kind == _INDEX_INNER else 8)
        is_damaged = False
        for pointer_at in range(pointers_at, min(pointers_at + 2 * length, self._usable - 1), 2):
            try:
                (cell,) = struct.unpack_from(">H", page, pointer_at)
                yield self._row(page, kind, cell)
            except _DAMAGE:
                is_damaged = True
        found.damaged_pages += is_damaged

    def _row(self, page: bytes, kind: int, position: int) -> _Row:
        if kind == _INDEX_INNER:
            position += 4  # past the number of the page below
        length, position = _varint(page, position)
        number = 0
        if kind == _TABLE_LEAF:
            number, position = _varint(page, position)
        return _Row(number, _columns(self._payload(page, position, length, kind)))

    def _payload(self, page: bytes, position: int, length: int, kind: int) -> bytes:
        """A cell's bytes, which go on in a chain of further pages if they are many (section 1.6)."""
        least = (self._usable - 12) * 32 // 255 - 23
        most = self._usable - 35 if kind == _TABLE_LEAF else (self._usable - 12) * 64 // 255 - 23
        here = length
        if length > most:
            here = least + (length - least) % (self._usable - 4)
            here = here if here <= most else least
        if position + here > self._usable or length > len(self._content):
            raise _NoRow("longer than its page")
        payload = page[position : position + here]
        following = position + here
        while len(payload) < length:
            (number,) = struct.unpack_from(">I", page, following)
            page, following = self._page(number), 0
            payload += page[4 : min(self._usable, 4 + length - len(payload))]
        return payload


def _varint(content: bytes, position: int) -> tuple[int, int]:
    """A number of 1 to 9 bytes, and the position after it (section 1.6)."""
    number = 0
    for _ in range(8):
        byte = content[position]
        position += 1
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, position
    return number << 8 | content[position], position + 1


def _columns(record: bytes) -> tuple[_Column, ...]:
    """The columns of a record (section 2.1)."""
    header_length, position = _varint(record, 0)
    columns: list[_Column] = []
    content = header_length
    while position < header_length:
        kind, position = _varint(record, position)
        column, content = _column(record, kind, content)
        columns.append(column)
    return tuple(columns)


def _column(record: bytes, kind: int, start: int) -> tuple[_Column, int]:
    if kind in (0, 8, 9):
        return {0: None, 8: 0, 9: 1}[kind], start
    if kind in (10, 11):
        raise _NoRow("a kind of column that is never stored")
    length = 8 if kind == 7 else _INTEGER_BYTES.get(kind) or (kind - 12) // 2
    end = start + length
    content = record[start:end]
    if len(content) < length:
        raise _NoRow("longer than its record")
    if kind == 7:
        return struct.unpack(">d", content)[0], end
    if kind in _INTEGER_BYTES:
        return int.from_bytes(content, "big", signed=True), end
    return (content.decode() if kind % 2 else content), end
