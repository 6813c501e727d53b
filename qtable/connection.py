"""SQLite connections to one file: one per thread and process, and errors in the user's words.

Why a connection must not be carried over a fork: SQLite remembers which locks the *process* holds, a child
inherits that memory but not the locks, and the parent may then delete the log that the child writes to. So
every idle connection is closed before a fork, and both sides open new ones when they next need one.
"""

import os
import shutil
import sqlite3
import sys
import threading
import urllib.parse
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from qtable.errors import TableBusy, TableClosed, TableError, TableFull, TableReadOnly
from qtable.file import beside, connecting_to, corrupt, disconnected_from, has_log

# 32 MiB hold the inner pages of a table of 10 million rows; more did not make random reads faster.
CACHE_KIB = 32 * 1024
# What stays of the log after a large transaction, in bytes.
_LOG_LIMIT = 64 * 1024 * 1024
# The -shm file's first part, without which there is no log.
_LEAST_LOG = 32 * 1024
# In the -shm file, the byte whose lock means "I am the writer": https://www.sqlite.org/walformat.html
_WRITER_LOCK_BYTE = 120


class Handle:
    """One thread's connection; `lock` is held while it works, and while the process forks."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.connection: sqlite3.Connection | None = None

    def close(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()

    def __del__(self) -> None:
        self.close()


class Connections:
    """The connections of one table; every use goes through `using()`."""

    def __init__(self, path: Path | None, open_one: Callable[[], sqlite3.Connection]) -> None:
        self._path = path
        self._open_one = open_one
        self._threads = threading.local()
        self._handles: weakref.WeakSet[Handle] = weakref.WeakSet()
        self._register = threading.Lock()
        self._shared = Handle() if path is None else None
        self._is_closed = False
        _every_connections.add(self)

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection, for as long as the block runs; SQLite's errors become ours."""
        handle = self._handle()
        with handle.lock:
            if self._is_closed:
                raise TableClosed(f"{self._path or 'the table in memory'} was closed")
            try:
                if handle.connection is None:
                    handle.connection = self._open_one()
                yield handle.connection
            except sqlite3.Error as error:
                raise translated(error, self._path) from error

    def _handle(self) -> Handle:
        handle: Handle | None = self._shared or getattr(self._threads, "handle", None)
        if handle is None:
            handle = self._threads.handle = Handle()
            with self._register:
                self._handles.add(handle)
        return handle

    def close(self) -> None:
        """Close every thread's connection, each as soon as it has finished what it is doing."""
        self._is_closed = True
        for handle in self._all_handles():
            with handle.lock:
                handle.close()

    def _all_handles(self) -> list[Handle]:
        with self._register:
            return [*self._handles] if self._shared is None else [self._shared]

    def prepare_fork(self) -> list[Handle]:
        """Close the idle connections and keep them shut; the caller releases the locks after the fork."""
        handles = self._all_handles()
        for handle in handles:
            handle.lock.acquire()
            # A table in memory lives in its connection, which holds no lock on any file. One inside a
            # transaction belongs to the thread that forks: closing it would take the transaction away.
            connection = handle.connection
            if self._shared is None and connection is not None and not connection.in_transaction:
                handle.close()
        return handles


_every_connections: weakref.WeakSet[Connections] = weakref.WeakSet()
_held_over_fork: list[Handle] = []


def _before_fork() -> None:
    for connections in list(_every_connections):
        _held_over_fork.extend(connections.prepare_fork())


def _after_fork() -> None:
    while _held_over_fork:
        _held_over_fork.pop().lock.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


@contextmanager
def looking(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that can neither change the file nor leave another beside it."""
    mode = "mode=ro" if has_log(path) else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(_uri(path, mode), uri=True)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise translated(error, path) from error
    except UnicodeDecodeError:  # what Python makes of SQLite's message about a damaged schema
        raise corrupt(path, "is damaged (its layout cannot be read)") from None


def _uri(path: Path, mode: str) -> str:
    return f"file:{urllib.parse.quote(os.fsencode(path.absolute()))}?{mode}"  # a name need not be UTF-8


class _TableConnection(sqlite3.Connection):
    """A connection that says when it is closed."""

    file: tuple[int, int] | None = None

    def close(self) -> None:
        super().close()
        file, self.file = self.file, None
        if file is not None:
            disconnected_from(file)


def open_file(path: Path, *, readonly: bool, timeout_s: float, durable: bool) -> sqlite3.Connection:
    """A new connection to an existing table's file."""
    mode = "mode=rw"
    if readonly and not _can_tidy_up(path):
        mode = "mode=ro" + ("&immutable=1" if _is_immutable(path) else "")
    file = connecting_to(path)
    try:
        # Other threads never use the connection, but the one that closes the table or forks must close it.
        connection = sqlite3.connect(
            _uri(path, mode),
            uri=True,
            timeout=timeout_s,
            isolation_level=None,
            check_same_thread=False,
            factory=_TableConnection,
        )
    except BaseException:
        disconnected_from(file)
        raise
    connection.file = file
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    if readonly:
        connection.execute("PRAGMA query_only = ON")
    else:
        connection.execute("PRAGMA journal_mode = WAL")
        # NORMAL: what was recorded outlives the process. FULL: it outlives the power supply as well.
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        connection.execute(f"PRAGMA journal_size_limit = {_LOG_LIMIT}")
    return connection


def _can_tidy_up(path: Path) -> bool:
    """Whether a reader may remove the empty log that reading makes: SQLite lets only a writer do that."""
    may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return may_write and not beside(path, "-wal").exists() and _has_room_for_log(path)


def _is_immutable(path: Path) -> bool:
    """Whether nobody can be writing: no log, and no way to make one.

    Only then may SQLite be told to read without locks; with a log, the file alone would be out of date.
    """
    is_possible = os.access(path.parent, os.W_OK) and _has_room_for_log(path)
    return not is_possible and not has_log(path)


def _has_room_for_log(path: Path) -> bool:
    return _free_bytes(path) >= _LEAST_LOG


def translated(error: sqlite3.Error, path: Path | None) -> BaseException:
    """The exception to raise instead of SQLite's own."""
    name = getattr(error, "sqlite_errorname", "")
    place = str(path) if path is not None else "the table in memory"
    if name == "SQLITE_INTERRUPT":  # only a progress callback interrupts, and only on Ctrl-C
        return KeyboardInterrupt()
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return TableBusy(f"{place} is being written by {_writer(path)}; wait for it and try again")
    if name == "SQLITE_FULL" or (name.startswith("SQLITE_IOERR") and _free_bytes(path) < 1_000_000):
        return full(path)
    if name.startswith("SQLITE_READONLY"):
        return TableReadOnly(f"{place} can only be read ({error})")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return corrupt(path, f"is damaged ({error})")
    if str(error).startswith("Could not decode to UTF-8"):  # Python's words, which carry no SQLite name
        return corrupt(path, f"is damaged ({error})")
    if name.startswith("SQLITE_CANTOPEN") and path is not None and has_log(path):
        return TableError(
            f"{place} cannot be opened ({error}): its latest changes are in {path.name}-wal, which needs a "
            "writable folder; copy both files to one"
        )
    return TableError(f"{place}: {error}")


def full(path: Path | None) -> TableFull:
    """The error to raise when the disk of this file has no room left."""
    place = path or "the table in memory"
    return TableFull(
        f"no room to write to {place}: {_free_bytes(path):,} bytes are free on its disk; nothing was written"
    )


def _free_bytes(path: Path | None) -> int:
    try:
        return shutil.disk_usage(path.parent if path is not None else ".").free
    except OSError:
        return sys.maxsize  # unknown must not be taken for full


def _writer(path: Path | None) -> str:
    """Who holds the writer's lock, as far as this system tells (Linux: in /proc/locks)."""
    process = _writer_process(path) if path is not None else None
    if process is None:
        return "another process"
    if process == os.getpid():
        return f"another thread of this process (pid {process})"
    try:
        command = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        command = ""
    return f"process {process} ({' '.join(command.split())[:100] or 'of unknown name'})"


def _writer_process(path: Path) -> int | None:
    # Asking with fcntl instead would mean to open and close the file, which drops this process's own locks.
    try:
        inode = beside(path, "-shm").stat().st_ino
        locks = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return None
    for line in locks:
        # 1: POSIX  ADVISORY  WRITE 4711 fe:00:1234567 120 120
        fields = line.split()
        if fields[3:4] != ["WRITE"] or not fields[5].endswith(f":{inode}") or fields[7] == "EOF":
            continue
        if int(fields[6]) <= _WRITER_LOCK_BYTE <= int(fields[7]):
            return int(fields[4])
    return None
