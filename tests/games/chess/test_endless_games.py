"""Files that are small and hold very much, or games that have no end: given up with a word, and soon."""

import gzip
import resource
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from games.chess.errors import InvalidOpening, SkipReason, UnreadableFile
from games.chess.openings import load_openings
from games.chess.parsing import MAX_PLIES
from games.chess.reading import PlayableGame, SkippedGame, read_games

GAME = b'[Event "x"]\n\n1. e4 e5 *\n\n'
# Each took minutes; none takes more than a few seconds where nothing else runs.
SOON_S = 60
MIB = 1 << 20


def packed(path: Path, parts: Iterable[bytes]) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.writelines(parts)
    return path


def much(line: bytes) -> Iterator[bytes]:
    """A game, and then so many bytes of the same line."""
    yield GAME
    block = line * (MIB // len(line))
    for _ in range(300):
        yield block


@pytest.mark.parametrize(
    "line",
    [b'[Site "somewhere"]\n', b"\n", b"% note\n", b"a" * 1024, b"{ no end\n", b"1. e4 e5\n"],
    ids=["headers", "blank lines", "escaped lines", "one line", "a comment", "moves"],
)
def test_what_has_no_end_is_given_up_soon_with_the_games_number(tmp_path: Path, line: bytes) -> None:
    path = packed(tmp_path / "bomb.pgn.gz", much(line))
    found: list[PlayableGame | SkippedGame] = []
    begin = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UnreadableFile, match=r"bomb\.pgn\.gz: game 2: given up: .* has no end after"):
        found.extend(read_games(path))  # keeps those before the error
    assert [type(game) for game in found] == [PlayableGame]
    assert time.monotonic() - begin < SOON_S
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024  # KiB


def test_game_of_400_000_plies_is_skipped_soon_and_the_next_is_read(tmp_path: Path) -> None:
    moves = b"Nf3 Nf6 Ng1 Ng8 " * 100_000
    path = tmp_path / "long.pgn"
    path.write_bytes(b'[Event "x"]\n\n' + moves + b"*\n\n" + GAME)
    begin = time.monotonic()
    skipped, played = read_games(path)
    assert isinstance(skipped, SkippedGame)
    assert (skipped.number, skipped.reason) == (1, SkipReason.TOO_LONG)
    assert f"{MAX_PLIES:,} plies" in skipped.detail
    assert isinstance(played, PlayableGame)
    assert time.monotonic() - begin < SOON_S


def test_openings_that_unpack_to_too_much_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOpening, match="expected openings of at most"):
        load_openings(packed(tmp_path / "o.pgn.gz", much(b"\n" * 1024)))
