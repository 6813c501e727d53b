"""A PGN file that games are appended to, by several processes, and that a killed writer cannot spoil."""

import fcntl
import io
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import chess.pgn

from games.chess.errors import ArchiveError, InvalidGame, UnplayableGame
from games.chess.parsing import decode_pgn, parse_game, parse_raw
from games.chess.record import GameRecord
from games.chess.splitting import RawGame, split_games
from games.durable import sync

_GAME_ID_TAG = re.compile(rb'^\[GameId "([0-9a-f]{32})"\]', re.MULTILINE)
_RESULT_LAST = re.compile(rb"\s(?:1-0|0-1|1/2-1/2|\*)\s*\Z")
# Of what we write, only a whole game ends so: texts have no line breaks, and the headers end with a bracket.
_ENDED = re.compile(rb"\s(?:1-0|0-1|1/2-1/2|\*)\n\n\Z")
_ENDED_INSIDE = re.compile(rb"\s(?:1-0|0-1|1/2-1/2|\*)[ \t\r]*\n\s*\n(?=\[)")
_FIRST_TAG = b'[Event "'
_TAIL_BYTES = 16
_SEARCHED_BYTES = 16 << 20
_LOCK_POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Repair:
    """What a killed writer had left behind a file's last whole game, and where it is kept now."""

    cut_bytes: int
    kept_in: Path


class Archive:
    """An append-only PGN file, made when the first game is appended.

    Opening it and appending to it cut off a half-written last game; `repairs` says what was cut by this
    object. The end of a whole game is its result, so a game is never taken for whole too early. What is
    `readonly` cuts nothing off, and appends nothing.
    """

    def __init__(self, path: str | Path, *, lock_timeout_s: float = 30.0, readonly: bool = False) -> None:
        self.path = Path(path)
        self.repairs: list[Repair] = []
        self._lock_timeout_s = lock_timeout_s
        self._ids: set[str] = set()
        self._ids_end = 0  # how far into the file the ids are known
        self._is_readonly = readonly
        if not readonly and os.access(self.path, os.W_OK):
            with self._locked(os.O_RDWR) as descriptor:
                self._repair(descriptor)

    def append(self, game: GameRecord | chess.pgn.Game) -> GameRecord:
        """Append a game and return it as it was written; it is on the disk when this returns.

        Of a python-chess game the main line with its comments is kept. Raises `InvalidGame` for a game
        that would not come back: a result that the board contradicts, or more than the reader takes.
        """
        record = game if isinstance(game, GameRecord) else GameRecord.from_game(game)
        if self._is_readonly:
            raise ArchiveError(f"{self.path}: was opened to be read only")
        text = record.to_pgn().encode()
        _require_readable(record, text)
        with self._locked(os.O_RDWR | os.O_CREAT) as descriptor:
            end = self._repair(descriptor)
            _write_at(descriptor, text, end)
            if end == 0:
                sync(self.path.parent)
        return record

    def __iter__(self) -> Iterator[GameRecord]:
        """The games in the file's order, up to the last that was whole when the iteration began.

        Games of another program that cannot be played are passed over.
        """
        for raw in self._raw_games():
            try:
                yield parse_raw(raw, details=True, require_moves=False)
            except UnplayableGame:
                continue

    def newest(self) -> GameRecord | None:
        """The last whole game, read from the file's end; None if there is none that can be played."""
        end = self._whole_end()
        start = max(0, end - _SEARCHED_BYTES)
        if not end:
            return None
        with open(self.path, "rb") as file:
            window = 1 << 16
            while True:
                begin = max(start, end - window)
                file.seek(begin)
                data = file.read(end - begin)
                place = data.rfind(b"\n\n" + _FIRST_TAG)
                if place >= 0 or begin == start:
                    break
                window *= 4
        try:
            return parse_game(decode_pgn(data[place + 2 if place >= 0 else 0 :]), details=True)
        except UnplayableGame:
            return None

    def count(self) -> int:
        """How many games the file holds, a half-written last one left out; moves are not looked at."""
        return sum(1 for _ in self._raw_games())

    def _raw_games(self) -> Iterator[RawGame]:
        if end := self._whole_end():
            with open(self.path, "rb") as file:
                yield from takewhile(lambda game: game.start < end, split_games(file))

    def __contains__(self, game_id: object) -> bool:
        """Whether a game that was appended here has this id; reads only what is new."""
        self._read_ids()
        return game_id in self._ids

    def _read_ids(self) -> None:
        end = self._whole_end()
        if end <= self._ids_end:
            return
        with open(self.path, "rb") as file:
            file.seek(self._ids_end)
            for line in takewhile(lambda _: file.tell() <= end, iter(file.readline, b"")):
                if match := _GAME_ID_TAG.match(line):
                    self._ids.add(match[1].decode())
        self._ids_end = end

    def _whole_end(self) -> int:
        if not self.path.exists():
            return 0
        with self._locked(os.O_RDONLY) as descriptor:
            return _whole_end(descriptor, self.path)

    def _repair(self, descriptor: int) -> int:
        """Cut off what follows the last whole game, and keep it beside the archive; returns the end."""
        size = os.fstat(descriptor).st_size
        end = _whole_end(descriptor, self.path)
        if end < size:
            kept_in = self.path.with_name(f"{self.path.name}.torn")
            with open(kept_in, "ab") as kept:
                kept.write(os.pread(descriptor, size - end, end) + b"\n\n")
                kept.flush()
                os.fsync(kept.fileno())
            os.ftruncate(descriptor, end)
            os.fsync(descriptor)
            self.repairs.append(Repair(size - end, kept_in))
        return end

    @contextmanager
    def _locked(self, flags: int) -> Iterator[int]:
        """The open file, locked against other processes; readers share."""
        try:
            descriptor = os.open(self.path, flags | os.O_CLOEXEC, 0o666)
            try:
                self._lock(descriptor, fcntl.LOCK_SH if flags == os.O_RDONLY else fcntl.LOCK_EX)
                yield descriptor
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ArchiveError(f"{self.path}: cannot be used: {error.strerror}") from error

    def _lock(self, descriptor: int, kind: int) -> None:
        deadline = time.monotonic() + self._lock_timeout_s
        while True:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                return
            except BlockingIOError as error:
                if time.monotonic() >= deadline:
                    raise ArchiveError(
                        f"{self.path}: another process has held it for {self._lock_timeout_s:g} seconds"
                    ) from error
                time.sleep(_LOCK_POLL_SECONDS)


def _require_readable(record: GameRecord, text: bytes) -> None:
    (raw,) = split_games(io.BytesIO(text))
    again = parse_raw(raw, require_moves=False)
    if again.game_id != record.game_id:
        raise InvalidGame(f"expected the result {again.result} that the board shows, got {record.result}")


def _whole_end(descriptor: int, path: Path) -> int:
    """Where the last whole game ends, with the blank line that follows it if there is one."""
    size = os.fstat(descriptor).st_size
    if size == 0 or _ENDED.search(os.pread(descriptor, _TAIL_BYTES, max(0, size - _TAIL_BYTES))):
        return size
    window = 1 << 16
    while True:
        start = max(0, size - window)
        data = os.pread(descriptor, size - start, start)
        ends = [match.end() for match in _ENDED_INSIDE.finditer(data)]
        if ends or start == 0:
            end = ends[-1] if ends else 0
            return size if _is_whole_game(data[end:]) else _checked_end(start + end, data, path)
        if window >= _SEARCHED_BYTES:
            raise ArchiveError(
                f"{path}: expected a PGN archive, found no end of a game in its last {window} bytes"
            )
        window *= 2


def _is_whole_game(data: bytes) -> bool:
    """Whether only the blank line is missing, as in files of other programs."""
    try:
        parse_game(decode_pgn(data))
    except UnplayableGame:
        return False
    return _RESULT_LAST.search(data) is not None


def _checked_end(end: int, data: bytes, path: Path) -> int:
    """A file without any whole game is cut only if it is the beginning of one of ours."""
    if end == 0 and not data.startswith(_FIRST_TAG[: len(data)]):
        raise ArchiveError(f"{path}: expected a PGN archive, found a file without games")
    return end


def _write_at(descriptor: int, text: bytes, end: int) -> None:
    """Write a whole game behind the last one, or nothing if the disk refuses."""
    tail = os.pread(descriptor, 2, max(0, end - 2))
    if end and tail != b"\n\n":  # another program's file may end without a blank line
        text = (b"\n" if tail.endswith(b"\n") else b"\n\n") + text
    try:
        position = end
        while text:
            written = os.pwrite(descriptor, text, position)
            text, position = text[written:], position + written
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, end)
        raise
