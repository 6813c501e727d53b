"""Cuts a stream of PGN into the bytes of its games, without looking at moves; holds one game at a time.

A blank line after the moves ends a game, and so does a tag pair at the start of a line. A comment that is
never closed would swallow the rest of the file; there an Event tag at a line's start begins the next game.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from games.chess.errors import UnreadableFile

MAX_GAME_BYTES = 4 << 20
# A game that is too long is passed over, but one whose end is not seen after so much is not waited for: a
# small compressed file can hold any number of headers or of empty lines.
MAX_SEARCHED_BYTES = 32 << 20
MAX_SEARCHED_LINES = 2_000_000
_MAX_LINE_BYTES = 1 << 20

_TAG_PAIR = re.compile(rb'\[[A-Za-z0-9][A-Za-z0-9_+#=:-]*\s+"')
_EVENT_TAG = b'[Event "'
_COMMENT_MARK = re.compile(rb"[{};]")


@dataclass(frozen=True, slots=True)
class RawGame:
    """The bytes of one game, None if there are too many, and where they stand in the uncompressed stream."""

    start: int
    end: int
    data: bytes | None


def split_games(stream: BinaryIO, offset: int = 0) -> Iterator[RawGame]:
    """The games of a stream that stands at `offset`, which is the beginning of a line.

    Raises UnreadableFile where no game ends within the bounds above.
    """
    game = _GrowingGame()
    start = last_end = offset
    lines = 0
    fresh_line = True
    while line := stream.readline(_MAX_LINE_BYTES):
        lines += 1
        if offset - last_end > MAX_SEARCHED_BYTES or lines > MAX_SEARCHED_LINES:
            raise _endless(start, offset)
        size = len(line)
        if offset == 0:
            line = line.removeprefix(codecs.BOM_UTF8)
        if fresh_line and game.ends_before(line):
            yield RawGame(start, offset, game.data())
            game = _GrowingGame()
            last_end, lines = offset, 0
        if not game.begun:
            start = offset
        game.add(line, fresh_line)
        offset += size
        fresh_line = line.endswith(b"\n")
    if game.begun:
        yield RawGame(start, offset, game.data())


def _endless(start: int, offset: int) -> UnreadableFile:
    return UnreadableFile(
        f"given up: what begins at byte {start:,} has no end after {offset - start:,} bytes, "
        f"expected a game of at most {MAX_GAME_BYTES:,}"
    )


class _GrowingGame:
    """The lines of the game that is being read, and whether the next line can be the next game's."""

    def __init__(self) -> None:
        self.begun = False
        self._data = bytearray()  # a list of short lines takes four times the room
        self._size = 0
        self._has_event = False
        self._in_moves = False
        self._in_comment = False

    def data(self) -> bytes | None:
        return bytes(self._data) if self._size <= MAX_GAME_BYTES else None

    def ends_before(self, line: bytes) -> bool:
        if line.startswith(b"["):
            if self._in_moves and not self._in_comment:
                return _TAG_PAIR.match(line) is not None
            return (self._in_comment or self._has_event) and line.startswith(_EVENT_TAG)
        return self._in_moves and not self._in_comment and line.isspace()

    def add(self, line: bytes, fresh_line: bool) -> None:
        if not self._in_moves and fresh_line:
            if line.isspace() or line.startswith((b"%", b";")):
                return
            self.begun = True
            self._in_moves = not line.startswith(b"[")
            self._has_event = self._has_event or line.startswith(_EVENT_TAG)
        if self._in_moves and not (line.startswith(b"%") and not self._in_comment):
            self._follow_comments(line)
        self._size += len(line)
        if self._size <= MAX_GAME_BYTES:
            self._data += line
        else:
            self._data.clear()

    def _follow_comments(self, line: bytes) -> None:
        if b";" not in line:  # the last brace decides, since comments do not nest
            if b"{" in line or b"}" in line:
                self._in_comment = line.rfind(b"{") > line.rfind(b"}")
            return
        for match in _COMMENT_MARK.finditer(line):
            mark = match.group()
            if mark == b";" and not self._in_comment:
                return
            if mark != b";":
                self._in_comment = mark == b"{"
