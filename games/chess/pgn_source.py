"""Opens what holds PGN: a file, plain or compressed as its first bytes tell, or standard input."""

import bz2
import gzip
import importlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from games.chess.errors import UnreadableFile

_COMPRESSED_CHUNK = 4096  # a chunk's text is held at once, and a hostile one is 30,000 times as long


class _CountedInput(io.RawIOBase):
    """A file's own bytes, of which `count` have been taken, before anything is decompressed."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self.count = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._source.seekable())

    def readinto(self, buffer: Any, /) -> int:
        size: int = self._source.readinto1(buffer)
        self.count += size
        return size

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self.count = self._source.seek(offset, whence)
        return self.count

    def close(self) -> None:
        if self._source is not sys.stdin.buffer:
            self._source.close()
        super().close()


class Source:
    """A stream of PGN bytes; `bytes_read` of `bytes_total` of the file's own bytes are consumed."""

    def __init__(self, path: str | Path) -> None:
        self.name = "standard input" if str(path) == "-" else str(path)
        with self.explained():
            opened = sys.stdin.buffer if str(path) == "-" else open(path, "rb")  # noqa: SIM115 closed by close()
            self.bytes_total = None if opened is sys.stdin.buffer else _regular_size(opened)
            self._counted = _CountedInput(opened)
            self._buffered = io.BufferedReader(self._counted, 1 << 16)
            try:
                self.stream = self._decompressed()
            except BaseException:
                self._buffered.close()
                raise

    @property
    def bytes_read(self) -> int:
        return self._counted.count

    def close(self) -> None:
        self.stream.close()
        self._buffered.close()

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turns what the system and the decompressors raise into one error of ours."""
        try:
            yield
        except (OSError, EOFError, zlib.error) as error:
            raise UnreadableFile(f"{self.name}: cannot be read: {error}") from error

    def skip_to(self, offset: int) -> None:
        """Go forward to an offset in the uncompressed bytes."""
        if self.stream is self._buffered and self.bytes_total is not None:
            self._buffered.seek(offset)
            missing = offset - self.bytes_total
        else:
            missing = offset
            while missing > 0 and (data := self.stream.read(min(missing, 1 << 16))):
                missing -= len(data)
        if missing > 0:
            raise UnreadableFile(
                f"{self.name}: expected at least {offset} bytes, got {offset - missing}: the file was changed"
            )

    def _decompressed(self) -> BinaryIO:
        magic = self._buffered.peek(4)[:4]
        if magic.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise UnreadableFile(
                f"{self.name}: expected UTF-8 or Latin-1 text, got UTF-16; convert it with: iconv -t UTF-8"
            )
        if magic.startswith(b"\x1f\x8b"):
            return gzip.open(self._buffered)  # type: ignore[return-value] # a GzipFile reads as a BinaryIO does
        if magic.startswith(b"BZh"):
            return bz2.open(self._buffered)  # type: ignore[return-value] # as above
        if magic == b"\x28\xb5\x2f\xfd":
            return io.BufferedReader(_ZstandardInput(self._buffered, self.name), 1 << 16)
        return self._buffered


class _ZstandardInput(io.RawIOBase):
    """Decompressed bytes of one or more frames; zstandard's own reader takes a cut file for a whole one."""

    def __init__(self, source: "io.BufferedReader[Any]", name: str) -> None:
        self._source = source
        self._error, self._new_decompressor = _zstandard(name)
        self._decompressor = self._new_decompressor()
        self._in_frame = False
        self._text = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._text:
            if not self._take_chunk():
                return 0
        size = min(len(buffer), len(self._text))
        buffer[:size] = self._text[:size]
        self._text = self._text[size:]
        return size

    def _take_chunk(self) -> bool:
        data = self._decompressor.unused_data if self._decompressor.eof else b""
        if self._decompressor.eof:
            self._decompressor = self._new_decompressor()
        data = data or self._source.read1(_COMPRESSED_CHUNK)
        if not data:
            if self._in_frame:
                raise EOFError("the compressed file ends early")
            return False
        try:
            self._text = memoryview(self._decompressor.decompress(data))
        except self._error as error:
            raise OSError(f"the compressed file is damaged: {error}") from error
        self._in_frame = not self._decompressor.eof
        return True


def _zstandard(name: str) -> tuple[type[Exception], Any]:
    """The error and the maker of decompressors of Python's own module (3.14) or of the zstandard package."""
    try:
        module = importlib.import_module("compression.zstd")
        return module.ZstdError, module.ZstdDecompressor
    except ImportError:
        pass
    try:
        module = importlib.import_module("zstandard")
    except ImportError as error:
        raise UnreadableFile(
            f"{name}: .zst needs zstandard, which is not installed; "
            'in the folder of Heatmap Engine, run: pip install ".[zst]"'
        ) from error
    return module.ZstdError, lambda: module.ZstdDecompressor().decompressobj()


def _regular_size(opened: BinaryIO) -> int | None:
    """A file's size; None for what is not on a disk, a named pipe for instance."""
    status = os.fstat(opened.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None
