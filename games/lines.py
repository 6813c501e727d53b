"""A file of lines that one process appends to, and that a killed writer cannot spoil."""

import errno
import io
import os
from collections.abc import Iterator
from pathlib import Path

from games.durable import encoded
from qtable.json_input import open_regular

_BLOCK_BYTES = 1 << 16


class LineFile:
    """An append-only text file of which only whole lines count; it is made with its first line.

    Opening it to write cuts off a last line without its end, of which nobody can tell what it was to be.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def repair(self) -> int:
        """Cut off a half-written last line; returns how many bytes that were."""
        if not self.path.exists():
            return 0
        with open(self.path, "r+b", opener=open_regular) as file:
            size = file.seek(0, os.SEEK_END)
            end = _whole_end(file.fileno(), size)
            if end < size:
                file.truncate(end)
        return size - end

    def append(self, line: str) -> None:
        """Append a line, or nothing; it outlives this process when this returns.

        An OSError, as of a full disk, names the file.
        """
        with open(self.path, "ab", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            try:
                _write(file, encoded(f"{line}\n"))
            except OSError as error:
                file.truncate(end)
                raise OSError(error.errno, error.strerror, str(self.path)) from error

    def __iter__(self) -> Iterator[str]:
        """The whole lines; a last one that is still being written is left out."""
        if not self.path.exists():
            return
        with open(self.path, encoding="utf-8", newline="\n", opener=open_regular) as file:
            try:
                for line in file:
                    if line.endswith("\n"):
                        yield line[:-1]
            except UnicodeDecodeError as error:
                raise OSError(errno.EILSEQ, f"it is no text in UTF-8: {error}", str(self.path)) from error


def _write(file: io.FileIO, data: bytes) -> None:
    """All of it: a disk that has room for a part takes that part first."""
    while data:
        data = data[file.write(data) :]


def _whole_end(descriptor: int, size: int) -> int:
    """Where the last whole line ends."""
    stop = size
    while stop > 0:
        start = max(0, stop - _BLOCK_BYTES)
        found = os.pread(descriptor, stop - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        stop = start
    return 0
