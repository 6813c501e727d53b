"""Files that are whole and have their names even after a power cut, and one writer at a time."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def put_in_place(draft: Path, path: Path) -> None:
    """Let a draft take the place of a file: its content is on the disk before its name is."""
    sync(draft)
    draft.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Have a file's content, or the names in a folder, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_at_once(path: Path, text: str) -> None:
    """Write a file that is whole whenever somebody reads it, even after a power cut.

    An OSError, as of a full disk, names it, or says that UTF-8 cannot hold the text.
    """
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_bytes(encoded(text))
        put_in_place(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def encoded(text: str) -> bytes:
    """The text as UTF-8; raises OSError if it holds a file's name, or another text, that is none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        part = error.object[max(0, error.start - 40) : error.end]
        raise OSError(errno.EILSEQ, f"expected names and texts in UTF-8, got {part!r}") from error


class BusyFolder(Exception):
    """Another process has the lock."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """While the block runs, no other process gets this lock; raises BusyFolder instead of waiting."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyFolder(str(path)) from None
        yield
    finally:
        os.close(descriptor)
