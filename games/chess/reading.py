"""Streams the games of a PGN file of any size, one at a time, with what is needed to stop and go on."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from games.chess.errors import SkipReason, UnplayableGame, UnreadableFile
from games.chess.parsing import parse_raw
from games.chess.pgn_source import Source
from games.chess.record import GameRecord
from games.chess.splitting import RawGame, split_games


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """How many games of a file are done, and where the next one begins in the uncompressed bytes.

    With an offset a plain file is entered there at once; without one the games are counted off.
    """

    games: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PlayableGame:
    """A game of the file whose moves are legal, so `record.board(check=False)` is safe."""

    number: int  # counted from 1, skipped games included
    resume: ResumePoint  # where to go on when this game is done
    record: GameRecord


@dataclass(frozen=True, slots=True)
class SkippedGame:
    """A game of the file that cannot be played through, and why."""

    number: int
    resume: ResumePoint
    reason: SkipReason
    detail: str


def read_games(
    path: str | Path, *, after: ResumePoint = ResumePoint(), details: bool = False
) -> "GameReader":
    """The games of a file, or of standard input for "-"; plain, gzip, bzip2 or Zstandard.

    `details` keeps comments, settings and all tags; a learner needs none of them.
    """
    return GameReader(path, after, details)


class GameReader:
    """An iterator over a file's games, and a context manager that closes the file.

    `bytes_read` and `bytes_total` count the file's own bytes, compressed if it is; the total of standard
    input is None. A file that turns out to be damaged raises `UnreadableFile` after its last whole game.
    """

    def __init__(self, path: str | Path, after: ResumePoint, details: bool) -> None:
        self._source = Source(path)
        self._after = after
        self._details = details
        self._games = self._read()

    @property
    def bytes_read(self) -> int:
        return self._source.bytes_read

    @property
    def bytes_total(self) -> int | None:
        return self._source.bytes_total

    def close(self) -> None:
        self._games.close()
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[PlayableGame | SkippedGame]:
        return self._games

    def __next__(self) -> PlayableGame | SkippedGame:
        return next(self._games)

    def _read(self) -> Generator[PlayableGame | SkippedGame, None, None]:
        with self._source.explained():
            self._source.skip_to(self._after.offset)
            to_count_off = 0 if self._after.offset else self._after.games
            number = self._after.games - to_count_off
            games = split_games(self._source.stream, self._after.offset)
            while (raw := self._next(games, number + 1)) is not None:
                number += 1
                if number > to_count_off:
                    yield self._parsed(raw, number)

    def _next(self, games: Iterator[RawGame], number: int) -> RawGame | None:
        try:
            return next(games, None)
        except UnreadableFile as error:
            raise UnreadableFile(f"{self._source.name}: game {number}: {error}") from error

    def _parsed(self, raw: RawGame, number: int) -> PlayableGame | SkippedGame:
        resume = ResumePoint(number, raw.end)
        try:
            record = parse_raw(raw, details=self._details)
        except UnplayableGame as error:
            return SkippedGame(number, resume, error.reason, str(error))
        return PlayableGame(number, resume, record)
