"""Lines in and lines out, whatever comes and whoever has gone away."""

import io
import os
import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO

# A game of 20,000 moves has 100 kB. What is longer is not kept in memory, but skipped to its end.
_LONGEST_LINE = 4 * 1024 * 1024
_LONGEST_STRING = 1000


def read_lines(stream: BinaryIO | io.BufferedIOBase, complain: Callable[[str], None]) -> Iterator[str]:
    """The lines of a stream without their ends, bytes that are no text replaced."""
    while line := stream.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(_LONGEST_LINE)
            complain(f"expected a line of at most {_LONGEST_LINE:,} bytes, got a longer one")
            continue
        yield line.decode("utf-8", "replace").rstrip("\r\n")


class Output:
    """Where the lines go, each flushed at once; lines of several threads are never mixed.

    When nobody reads any more, `is_closed` says so and lines go nowhere.
    """

    def __init__(self, stream: BinaryIO | io.BufferedIOBase) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._held: list[str] = []
        self.is_closed = False

    def lines(self, *lines: str) -> None:
        """Write whole lines, with nothing of another thread between them."""
        text = "".join(f"{line}\n" for line in lines)
        with self._lock:
            if self.is_closed:
                return
            try:
                self._stream.write(text.encode("utf-8", "replace"))
                self._stream.flush()
            except (OSError, ValueError):  # ValueError: the stream was closed on our side
                self._close()

    def string(self, message: str) -> None:
        """Tell the user something now."""
        self.lines(_as_string(message))

    def hold(self, message: str) -> None:
        """Tell the user something at the next command: between `bestmove` and that, GUIs expect nothing."""
        with self._lock:
            self._held.append(_as_string(message))

    def release(self) -> None:
        """Write what was held."""
        with self._lock:
            held, self._held = self._held, []
        if held:
            self.lines(*held)

    def _close(self) -> None:
        self.is_closed = True
        try:
            descriptor = self._stream.fileno()
        except (OSError, ValueError):
            return  # not a file: nothing is flushed when the interpreter ends
        # Python flushes standard output at its end, and would complain on stderr that the pipe is gone.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, descriptor)
        os.close(null)


def _as_string(message: str) -> str:
    """One line that cannot be taken for anything else, of printable characters only."""
    words = "".join(character if character.isprintable() else " " for character in message).split()
    return f"info string {' '.join(words)[:_LONGEST_STRING]}"
