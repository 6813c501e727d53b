"""Tells a table's file from any other by its first bytes, and says what stands in the way of opening it.

Nothing here opens the file with SQLite, so nothing here can change a stranger's file or leave one beside it.
"""

import os
import shlex
import stat
import struct
import threading
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from qtable.errors import NotATable, TableCorrupt, TableError, TableExists, TableMissing, TableReadOnly

# In the header of every table: "QTBL". See https://www.sqlite.org/fileformat.html, section 1.3.
APPLICATION_ID = 0x5154424C

_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100


class Header(NamedTuple):
    """What the first 100 bytes of a SQLite file say."""

    page_size: int
    reserved_bytes: int
    pages: int
    first_free_page: int
    version: int
    application_id: int


def parse_header(first_bytes: bytes) -> Header | None:
    """The header in a file's first bytes, or None if they are not those of a SQLite file."""
    if len(first_bytes) < _HEADER_BYTES or not first_bytes.startswith(_MAGIC):
        return None
    page_size, reserved = struct.unpack_from(">HxxB", first_bytes, 16)
    pages, first_free_page = struct.unpack_from(">II", first_bytes, 28)
    (version,) = struct.unpack_from(">I", first_bytes, 60)
    (application_id,) = struct.unpack_from(">I", first_bytes, 68)
    return Header(
        65536 if page_size == 1 else page_size, reserved, pages, first_free_page, version, application_id
    )


def read_header(path: Path) -> Header | None:
    """The header of the table at `path`; None if there is no file yet or a file of zero bytes.

    Raises NotATable for anything else than a table, TableCorrupt for one that was cut short.
    """
    first_bytes, size = read_first_bytes(path)
    if size == 0:
        return None
    header = parse_header(first_bytes)
    if header is None:
        raise NotATable(f"{path} is not a Q-table: it does not begin like a SQLite file")
    if header.application_id != APPLICATION_ID:
        raise NotATable(f"{path} is not a Q-table: it is a SQLite file of another program")
    if size < header.pages * header.page_size and not has_log(path):
        raise corrupt(
            path, f"was cut short: it should have {header.pages * header.page_size} bytes and has {size}"
        )
    return header


def read_first_bytes(path: Path) -> tuple[bytes, int]:
    """A file's first 100 bytes and its size; nothing and 0 if there is no file."""
    try:
        require_regular(path)
        with _guard:
            return _read_first_bytes(path)
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise TableMissing(f"the folder of {path} does not exist") from None
        return b"", 0
    except NotADirectoryError:
        raise TableMissing(f"the folder of {path} is not a folder") from None
    except PermissionError:
        raise TableError(f"{path} may not be read by this user") from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None


def _read_first_bytes(path: Path) -> tuple[bytes, int]:
    kept = _kept_open.get(_file_at(path))
    if kept:
        return os.pread(kept[0], _HEADER_BYTES, 0), os.fstat(kept[0]).st_size
    # Should the file have become a FIFO since it was looked at, this does not wait for somebody to write.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    found = os.fstat(descriptor)
    try:
        return os.pread(descriptor, _HEADER_BYTES, 0), found.st_size
    finally:
        file = found.st_dev, found.st_ino
        if _connections_to[file]:
            _kept_open[file].append(descriptor)
        else:
            os.close(descriptor)


def _file_at(path: Path) -> "_File":
    found = path.stat()
    return found.st_dev, found.st_ino


# Closing a file drops all locks that this process holds on it, those of SQLite too. Another process would
# then take the table for unused, and delete the log that this one goes on writing to. So what was opened to
# look at a file stays open for as long as this process has a connection to the file.
_File = tuple[int, int]
# Not a plain lock: whatever is collected while it is held may be a connection, which says that it is closed.
_guard = threading.RLock()
_connections_to: Counter[_File] = Counter()
_kept_open: defaultdict[_File, list[int]] = defaultdict(list)
# No thread may hold it in a child that has only one.
os.register_at_fork(before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_guard.release)


def connecting_to(path: Path) -> _File:
    """Say that a connection to this file is about to be made; `disconnected_from` takes what comes back."""
    with _guard:
        file = _file_at(path)
        _connections_to[file] += 1
        return file


def disconnected_from(file: _File) -> None:
    """Say that a connection to this file was closed."""
    with _guard:
        _connections_to[file] -= 1
        if not _connections_to[file]:
            del _connections_to[file]
            for descriptor in _kept_open.pop(file, ()):
                os.close(descriptor)


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISFIFO, "a FIFO (a named pipe)"),
    (stat.S_ISSOCK, "a socket"),
)


def kind_of(path: Path) -> str | None:
    """What `path` leads to, in words, if it is something else than a file; None if it is one.

    Asks without opening: to open a FIFO waits, and to open a device may do anything.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return None
    return next((name for is_one, name in _KINDS if is_one(mode)), "something special")


def require_regular(path: Path) -> None:
    """Raise TableError, which says what it is, for what can be no table: a device, a FIFO, a folder."""
    kind = kind_of(path)
    if kind is not None:
        raise TableError(f"{path} is {kind}, not a file; expected a file or a name that is free")


def corrupt(path: Path | None, reason: str) -> TableCorrupt:
    """The error to raise for a damaged table; its message ends in a command that a shell can run as it is."""
    if path is None:
        return TableCorrupt(f"the table in memory {reason}")
    recovery = f"heatmap-engine table recover {shlex.quote(str(path))} NEW_FILE"
    return TableCorrupt(f"{path} {reason}; save what is left with: {recovery}")


def has_log(path: Path) -> bool:
    """Whether changes are waiting in the write-ahead log beside the file."""
    try:
        return beside(path, "-wal").stat().st_size > 0
    except OSError:
        return False


def beside(path: Path, suffix: str) -> Path:
    """The file beside `path` whose name is longer by `suffix`."""
    return path.with_name(path.name + suffix)


def require_absent(path: Path, overwrite: bool, source: Path | None = None) -> None:
    """Raise TableExists for a file that may not be overwritten, TableMissing if it has no folder to be in.

    Never overwritten are `source`, whatever is no file (a folder, a device) and a table that is in use.
    TableReadOnly is for a folder that may not be written, because the draft of a file is made there.
    """
    if not path.parent.is_dir():
        raise TableMissing(f"the folder of {path} does not exist")
    if path.exists():
        kind = kind_of(path)
        if kind is not None:
            raise TableExists(f"{path} is {kind}, not a file, and was left alone")
        if not overwrite:
            raise TableExists(f"{path} is already there and was left alone")
        if source is not None and source.exists() and path.samefile(source):
            raise TableExists(f"{path} is the file to be read and was left alone")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise TableReadOnly(f"{path} cannot be written: its folder may not be written by this user")
    require_no_log(path)


def require_no_log(path: Path) -> None:
    """Raise TableExists if a log lies where a new file is to be: SQLite would apply it to that file."""
    log = beside(path, "-wal")
    if log.exists():
        raise TableExists(
            f"{log} belongs to a table that is in use or was not closed, and would damage a new file "
            f"at {path}; nothing was written; close that table, or remove the log if the table is gone"
        )


def require_writable(path: Path) -> None:
    """Raise TableReadOnly unless the file, or its folder for a file that is to be made, may be written.

    The folder counts in both cases, because SQLite keeps its log beside the file.
    """
    hint = "it can only be opened to be read (readonly=True)"
    if path.exists() and not os.access(path, os.W_OK):
        raise TableReadOnly(f"{path} may not be written by this user; {hint}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise TableReadOnly(f"the folder of {path} may not be written by this user; {hint}")
