"""The layout of a table's file: how it is made, and how an older one becomes the present one.

    entries      key TEXT PRIMARY KEY, value BLOB     one row per key, see entry.py
    counters     name, count                          how many entries there are, and whether triggers count
    metadata     name, value                          what the values mean, and a checksum of this layout
    migrations   name, applied                        which steps below made this layout, and when
    journal      number, id, line, added, checksum    see journal.py

`entries` is what a SqliteDict of that name reads and writes. It has no rowid, which saves the second copy of
every key in an index (73 instead of 113 bytes for a key of 32 characters) and one of two searches per read;
the generated column of that name costs no byte and is there because SqliteDict sorts by it.
"""

import filecmp
import json
import os
import shlex
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from qtable.drafts import NameTaken, draft_of, draft_of_table
from qtable.errors import NotATable, TableError, TableMismatch, TableReadOnly, TableVersion
from qtable.file import APPLICATION_ID, Header, beside, corrupt
from qtable.journal import line_checksum
from qtable.json_input import parse_json_object
from qtable.older_rows import brought_up_to_date

Setting = str | int | float | bool
Settings = Mapping[str, Setting]


def entries_and_metadata(connection: sqlite3.Connection) -> None:
    """The first layout: entries that SqliteDict can use, their number, and what they mean."""
    connection.execute(
        "CREATE TABLE entries (key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL, "
        "rowid ANY GENERATED ALWAYS AS (key) VIRTUAL) WITHOUT ROWID"
    )
    connection.execute("CREATE TABLE counters (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID")
    connection.execute("INSERT INTO counters VALUES ('entries', 0), ('triggers', 1)")
    connection.execute("CREATE TABLE metadata (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    # Triggers, so that rows written through SqliteDict count as well. Before the insert, because its
    # REPLACE of an existing key runs insert triggers but no delete triggers. They cost 1 µs per new row, so
    # a transaction that counts its new rows itself turns 'triggers' to 0 meanwhile, which no other ever sees.
    connection.execute(
        "CREATE TRIGGER entry_added BEFORE INSERT ON entries "
        "WHEN (SELECT count FROM counters WHERE name = 'triggers') "
        "AND NOT EXISTS (SELECT 1 FROM entries WHERE key = NEW.key) "
        "BEGIN UPDATE counters SET count = count + 1 WHERE name = 'entries'; END"
    )
    connection.execute(
        "CREATE TRIGGER entry_deleted AFTER DELETE ON entries "
        "BEGIN UPDATE counters SET count = count - 1 WHERE name = 'entries'; END"
    )


def journal(connection: sqlite3.Connection) -> None:
    """Adds the journal of what was learned."""
    connection.execute(
        "CREATE TABLE journal (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, line TEXT NOT NULL, "
        "added INTEGER NOT NULL)"
    )


def checksums(connection: sqlite3.Connection) -> None:
    """Gives every entry, every journal line and the settings a checksum, so that damage is noticed."""
    connection.create_function("brought_up_to_date", 2, brought_up_to_date, deterministic=True)
    connection.execute("UPDATE entries SET value = brought_up_to_date(key, value)")
    connection.execute("ALTER TABLE journal ADD COLUMN checksum INTEGER")
    connection.create_function("line_checksum", 3, line_checksum, deterministic=True)
    connection.execute("UPDATE journal SET checksum = line_checksum(id, line, added)")
    connection.create_function("sealed_settings", 1, _sealed_settings, deterministic=True)
    connection.execute("UPDATE metadata SET value = sealed_settings(value) WHERE name = 'settings'")


# The layout's version is how many of these a file has seen. Only ever append.
MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (entries_and_metadata, journal, checksums)
# The number of today's layout.
LAYOUT = len(MIGRATIONS)
# The first layout with checksums: in older ones damage cannot be told from what was written.
CHECKSUMS_SINCE = MIGRATIONS.index(checksums) + 1


_OURS = {"entries", "counters", "metadata", "migrations", "journal", "entry_added", "entry_deleted"}


def create(connection: sqlite3.Connection, settings: Settings, now: int) -> None:
    """Lay out an empty database as a table of the present version."""
    with transaction(connection):
        lay_out(connection, settings, now)


def lay_out(connection: sqlite3.Connection, settings: Settings, now: int, version: int | None = None) -> None:
    """Apply the first `version` migrations, or all, to an empty database, inside the caller's transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(
        "CREATE TABLE migrations (name TEXT PRIMARY KEY, applied INTEGER NOT NULL) WITHOUT ROWID"
    )
    for number in range(len(MIGRATIONS[:version])):
        _apply(connection, number, now)
        if number == 0:  # in the form of the first layout, which the steps after it change
            connection.execute("INSERT INTO metadata VALUES ('settings', ?)", (_settings_text(settings),))


def _apply(connection: sqlite3.Connection, number: int, now: int) -> None:
    migration = MIGRATIONS[number]
    migration(connection)
    connection.execute("INSERT INTO migrations VALUES (?, ?)", (migration.__name__, now))
    if number + 1 >= CHECKSUMS_SINCE:
        write = "INSERT OR REPLACE INTO metadata VALUES ('layout', ?)"
        connection.execute(write, (_layout_checksum(connection),))
    connection.execute(f"PRAGMA user_version = {number + 1}")


def _layout_checksum(connection: sqlite3.Connection) -> str:
    """Of the statements that made our own tables and triggers; what others added to the file is theirs.

    One letter changed in them, and a table may seem empty or be read by another rule.
    """
    found = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    text = "\n".join(sql for name, sql in found if name in _OURS)
    return f"{zlib.crc32(text.encode()):08x}"


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing: the writer's lock is taken at once; the block is kept, or undone if it raises.

    Inside another transaction it is a savepoint, so that the outer one may catch the error and go on.
    """
    begin, keep, undo = "BEGIN IMMEDIATE", "COMMIT", ["ROLLBACK"]
    if connection.in_transaction:
        begin, keep, undo = "SAVEPOINT nested", "RELEASE nested", ["ROLLBACK TO nested", "RELEASE nested"]
    connection.execute(begin)
    try:
        yield
        connection.execute(keep)
    except BaseException:
        if connection.in_transaction:  # a full disk makes SQLite roll back by itself
            for statement in undo:
                connection.execute(statement)
        raise


def create_file(path: Path, settings: Settings, now: int) -> None:
    """Make the table at `path`, unless another process just did; nobody ever sees half of it."""
    try:
        with suppress(NameTaken), draft_of_table(path) as draft:
            draft.touch(0o666)  # the rights of any new file; SQLite would give it fewer
            with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
                create(connection, settings, now)
                connection.execute("PRAGMA journal_mode = WAL")
    except OSError as error:
        raise TableReadOnly(f"{path} cannot be made: {error.strerror}") from error


def migrate(connection: sqlite3.Connection, path: Path, now: int) -> None:
    """Bring an older layout up to date, all steps or none, after a backup beside the file."""
    if _version(connection) >= len(MIGRATIONS):  # asked without the lock: to open must not wait for a writer
        return
    with transaction(connection):
        version = _version(connection)
        if version >= len(MIGRATIONS):
            return
        _keep_copy(path, version)
        for number in range(version, len(MIGRATIONS)):
            _apply(connection, number, now)
    # Pages that were full have been split to hold longer rows. A table that others use can stay so.
    with suppress(sqlite3.OperationalError):
        connection.execute("VACUUM")


def _keep_copy(path: Path, version: int) -> None:
    """Copy the table as it is, beside it; the caller holds the writer's lock, so it cannot change."""
    base = beside(path, f"-layout-{version}")
    # Through a second connection: SQLite does not copy through one that is writing.
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        back_up(reader, _unused(base))
    _remove_repeated(base)


def _remove_repeated(base: Path) -> None:
    """Remove copies that are the same byte for byte as an earlier one.

    A migration that is killed leaves its copy and the table as they were, so that the next one makes the
    same copy again. One that differs may be somebody's, and stays.
    """
    kept: list[Path] = []
    for copy in _copies(base):
        if any(filecmp.cmp(copy, earlier, shallow=False) for earlier in kept):
            copy.unlink()
        else:
            kept.append(copy)


def _copies(base: Path) -> list[Path]:
    """The copies of this layout in the order of their numbers; not those in use as a table."""
    numbered = ((base, 1), *((beside(base, f"-{number}"), number) for number in _numbers(base)))
    ordered = (copy for copy, _ in sorted(numbered, key=lambda pair: pair[1]))
    return [copy for copy in ordered if copy.is_file() and not beside(copy, "-wal").exists()]


def _numbers(base: Path) -> Iterator[int]:
    for name in os.listdir(base.parent):
        number = name.removeprefix(f"{base.name}-")
        if name != number and number.isascii() and number.isdecimal() and str(int(number)) == number:
            yield int(number)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _unused(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = beside(path, f"-{number}")
    return free


def back_up(
    connection: sqlite3.Connection,
    target: Path,
    progress: Callable[[int, int], None] | None = None,
    *,
    overwrite: bool = False,
) -> None:
    """Copy a database of which one moment is being read; `progress` hears of pages done and in all."""

    def report(_status: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    with draft_of(target, overwrite=overwrite) as draft, closing(sqlite3.connect(draft)) as copy:
        connection.backup(copy, pages=1000, progress=report)
        copy.execute("PRAGMA journal_mode = WAL")


def write_settings(connection: sqlite3.Connection, settings: Settings) -> None:
    """Say what the values of this table mean."""
    text = _sealed_settings(_settings_text(settings))
    connection.execute("INSERT OR REPLACE INTO metadata VALUES ('settings', ?)", (text,))


def _settings_text(settings: Settings) -> str:
    return json.dumps(dict(settings), sort_keys=True)


def _sealed_settings(text: str) -> str:
    """The text behind its checksum: `1a2b3c4d {"depth": 1}`."""
    return f"{zlib.crc32(text.encode()):08x} {text}"


def read_settings(connection: sqlite3.Connection) -> dict[str, Setting]:
    """What the values of this table mean; raises ValueError if that cannot be read."""
    row = connection.execute("SELECT value FROM metadata WHERE name = 'settings'").fetchone()
    return parsed_settings(row[0] if row is not None else "")


def parsed_settings(sealed: str) -> dict[str, Setting]:
    """The settings that were written as `sealed`; raises ValueError for any other text."""
    _, _, text = sealed.partition(" ")
    if sealed != _sealed_settings(text):
        raise ValueError(f"expected settings whose checksum is right, found {sealed!r:.80}")
    return parsed_older_settings(text)


def parsed_older_settings(text: str) -> dict[str, Setting]:
    """The settings that a layout without checksums has as `text`; raises ValueError for any other text."""
    return parse_json_object(text)


def checked_settings(settings: Settings) -> dict[str, Setting]:
    """The settings as they will be read back; raises TableError for anything that would not be."""
    for name, value in settings.items():
        if not isinstance(name, str) or not isinstance(value, Setting) or value != value:
            raise TableError(
                f"a setting is a name and a text, a number or a truth value, not {name!r}: {value!r}"
            )
    return dict(settings)


def require_settings(path: Path | None, stored: Settings, expected: Settings) -> None:
    """Raise TableMismatch unless the values of the table mean what the caller expects."""
    if dict(stored) == dict(expected):
        return
    raise TableMismatch(
        f"{path or 'the table in memory'} was made with {describe(stored)}, expected {describe(expected)}; "
        f"use another file for a new table, or, if you know that the values still hold, move them: "
        f"heatmap-engine table export {shlex.quote(str(path))} FILE.csv, "
        "then heatmap-engine table import NEW_TABLE FILE.csv"
        + "".join(
            f" --setting {shlex.quote(f'{name}={json.dumps(value)}')}"
            for name, value in sorted(expected.items())
        )
    )


def describe(settings: Settings) -> str:
    """The settings in one line for people."""
    return (
        ", ".join(f"{name}={json.dumps(value)}" for name, value in sorted(settings.items())) or "no settings"
    )


def require_layout(connection: sqlite3.Connection, path: Path, header: Header, *, readonly: bool) -> None:
    """Raise unless this program can use the layout, which it may not change if `readonly`."""
    if header.version > len(MIGRATIONS):
        raise TableVersion(
            f"{path} has layout {header.version}, this program knows up to {len(MIGRATIONS)}; "
            "use a newer version of the program"
        )
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    missing = {"entries", "counters", "metadata", "migrations"} - names
    if missing:
        raise NotATable(f"{path} is not a whole Q-table: it has no {', '.join(sorted(missing))}")
    if readonly and header.version < len(MIGRATIONS):
        raise TableVersion(
            f"{path} has layout {header.version}, reading needs {len(MIGRATIONS)}; bring it up to date with: "
            f"heatmap-engine table migrate {shlex.quote(str(path))}"
        )
    if header.version == len(MIGRATIONS) and not _is_whole(connection):
        raise corrupt(path, "is damaged (the description of its layout has changed)")


def _is_whole(connection: sqlite3.Connection) -> bool:
    row = connection.execute("SELECT value FROM metadata WHERE name = 'layout'").fetchone()
    return row is not None and bool(row[0] == _layout_checksum(connection))
