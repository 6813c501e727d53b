"""New files: made under another name, moved into place when they are whole, and swept up if their maker died.

A draft lies in a room, a folder of its own beside the target, `.qtable-` and eight characters: no name beside
the target is surely free, and SQLite adds files to its own. Whoever makes a room holds its lock (flock) for
as long as it lives. So a room that anybody else can lock belongs to nobody, whatever process ids say.
"""

import errno
import fcntl
import os
import re
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from qtable.connection import full, translated
from qtable.errors import TableError, TableExists
from qtable.file import require_absent, require_no_log

_ROOM_PREFIX = ".qtable-"
_ROOM_NAME = re.compile(re.escape(_ROOM_PREFIX) + r"[a-z0-9_]{8}")
# What this package puts into a room. A folder that holds anything else was not made here.
_IN_A_ROOM = re.compile(r"draft(-wal|-shm|-journal)?|\.(recover|qtable)-[a-z0-9_]{8}")
# How file systems say that a file cannot have two names.
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}


class NameTaken(TableExists):
    """Somebody else made a file of this name while the draft was written; it was left alone."""


@contextmanager
def draft_of(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A path to write to; it becomes `target` when the block ends, and is gone if it raises.

    Raises NameTaken for a file that came into being meanwhile, unless it may `overwrite` any.
    """
    with _draft(target, _put_over if overwrite else _put_new) as draft:
        yield draft


@contextmanager
def draft_of_table(target: Path) -> Iterator[Path]:
    """The same for a table, whose name may belong to a file of zero bytes, but not to a log."""
    _require_no_stray_log(target)
    with _draft(target, _put_new_or_over_empty) as draft:
        yield draft


@contextmanager
def _draft(target: Path, put_in_place: Callable[[Path, Path], None]) -> Iterator[Path]:
    sweep(target.parent)
    try:
        with _room_in(target.parent) as room:
            draft = room / "draft"
            try:
                yield draft
            except TableError as error:
                raise _about(target, draft, error) from error
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            put_in_place(draft, target)
    except sqlite3.Error as error:
        raise translated(error, target) from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise full(target) from error
        raise


def _about(target: Path, draft: Path, error: TableError) -> TableError:
    """The error in the words of the caller, who never heard of a draft."""
    return type(error)(str(error).replace(str(draft), str(target)))


def _put_over(draft: Path, target: Path) -> None:
    # Once more: what may not be overwritten may have come while the draft was written.
    require_absent(target, overwrite=True)
    draft.replace(target)


def _put_new(draft: Path, target: Path) -> None:
    """Give the draft the name `target`, unless somebody else has it, be it only for a moment."""
    try:
        os.link(draft, target)  # unlike a rename, never takes the place of anything
    except FileExistsError:
        raise _taken(target) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _claim(target)
        _put_over_empty(draft, target)


def _claim(target: Path) -> None:
    try:
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise _taken(target) from None


def _put_new_or_over_empty(draft: Path, target: Path) -> None:
    _require_no_stray_log(target)
    try:
        _put_new(draft, target)
    except NameTaken:
        if target.stat().st_size > 0:
            raise
        shutil.copymode(target, draft)
        _put_over_empty(draft, target)


def _require_no_stray_log(target: Path) -> None:
    try:
        require_no_log(target)
    except TableExists:
        # A table is there before its log: if there is one by now, the log is its own.
        if target.exists() and target.stat().st_size > 0:
            raise _taken(target) from None
        raise


def _put_over_empty(draft: Path, target: Path) -> None:
    """Take the place of a file of zero bytes; of all who want to, the lock lets one through."""
    descriptor = os.open(target, os.O_RDWR | os.O_NONBLOCK)  # never waits, should it be a FIFO by now
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Whoever waited for the lock finds that the name means another file now.
        here, there = os.fstat(descriptor), target.stat()
        if (here.st_ino, here.st_size) != (there.st_ino, 0) or not stat.S_ISREG(here.st_mode):
            raise _taken(target)
        draft.replace(target)
    finally:
        os.close(descriptor)


def _taken(target: Path) -> NameTaken:
    return NameTaken(f"another process made {target} meanwhile, and it was left alone")


@contextmanager
def _room_in(folder: Path) -> Iterator[Path]:
    room, lock = _locked_room(folder)
    try:
        yield room
    finally:
        # What cannot be removed now is removed by the next who sweeps.
        shutil.rmtree(room, ignore_errors=True)
        os.close(lock)


def _locked_room(folder: Path) -> tuple[Path, int]:
    """A new room and the descriptor that holds its lock."""
    while True:
        room = Path(tempfile.mkdtemp(dir=folder, prefix=_ROOM_PREFIX))
        try:
            lock = os.open(room, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue  # swept up before it was locked
        # Where there are no locks nobody can sweep either.
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        if _is_still(room, lock):
            return room, lock
        os.close(lock)


def _is_still(room: Path, lock: int) -> bool:
    try:
        return room.stat().st_ino == os.fstat(lock).st_ino
    except FileNotFoundError:
        return False


def sweep(folder: Path) -> None:
    """Remove the rooms in `folder` that dead processes of this user left behind."""
    with suppress(OSError), os.scandir(folder) as found:
        rooms = [Path(entry) for entry in found if _ROOM_NAME.fullmatch(entry.name)]
        for room in rooms:
            with suppress(OSError):  # in use, somebody else's, no folder, or gone by now
                _remove_if_nobodys(room)


def _remove_if_nobodys(room: Path) -> None:
    lock = os.open(room, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_ours = os.fstat(lock).st_uid == os.geteuid()
        if is_ours and all(_IN_A_ROOM.fullmatch(name) for name in os.listdir(room)):
            shutil.rmtree(room)
    finally:
        os.close(lock)
