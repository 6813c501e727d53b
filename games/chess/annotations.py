"""What annotators write into PGN: evaluations and words in comments, marks, and variations."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import chess.pgn

from games.chess.errors import SkipReason, UnplayableGame
from games.chess.parsing import decode_pgn, parse_raw
from games.chess.pgn_source import Source
from games.chess.splitting import RawGame, split_games

_EVALUATION = re.compile(
    r"\[%eval\s+(?:#(?P<mate>[+-]?\d{1,4})|(?P<pawns>[+-]?\d{0,6}(?:\.\d{1,3}|(?<=\d)\.?)))(?:,\d+)?\s*\]"
)
# What programs write for programs, such as clocks and evaluations.
_COMMAND = re.compile(r"\[%[^\]]*\]")
_WORD = re.compile(r"\[%[^\]]*\]|\S+")

_HEADERS = re.compile(rb"\A(?:\[[^\n]*\n)+")

_COLUMNS = 80
# python-chess copies the rest of a line at every comment: a line of this length may take a second.
_LONGEST_LINE = 200_000


class Evaluation(NamedTuple):
    """What a comment says that the position is worth: centipawns or moves to mate, both in White's view."""

    centipawns: int | None
    mate_in: int | None


def evaluation_in(comment: str) -> Evaluation | None:
    """The evaluation `[%eval ...]` of a comment, or None."""
    found = _EVALUATION.search(comment)
    if found is None:
        return None
    if found["mate"] is not None:
        return Evaluation(None, int(found["mate"]))
    return Evaluation(round(100 * float(found["pawns"])), None)


def words_in(comment: str) -> str:
    """The comment without what programs write for programs."""
    return " ".join(_COMMAND.sub(" ", comment).split())


class _QuietBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Keeps errors with the game, and logs none."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def tree_of(raw: RawGame) -> chess.pgn.Game:
    """The game with all that was written into it; raises `UnplayableGame` if any of it would be lost."""
    record = parse_raw(raw)
    text = decode_pgn(raw.data or b"")
    if max(map(len, text.splitlines()), default=0) > _LONGEST_LINE:
        raise UnplayableGame(SkipReason.TOO_LONG, f"expected lines of at most {_LONGEST_LINE:,} characters")
    try:
        game: Any = chess.pgn.read_game(io.StringIO(text), Visitor=_QuietBuilder)
    except (LookupError, RecursionError, ValueError) as error:  # brackets, or a mark of 5,000 digits
        raise UnplayableGame(
            SkipReason.BROKEN, f"expected marks, comments and variations: {error}"
        ) from error
    if game is not None and game.errors:
        raise UnplayableGame(SkipReason.BROKEN, f"in a variation: {game.errors[0]}")
    if game is None or [move.uci() for move in game.mainline_moves()] != [*record.moves]:
        raise UnplayableGame(SkipReason.BROKEN, "expected moves and variations that are told apart")
    tree: chess.pgn.Game = game
    return tree


@dataclass(frozen=True, slots=True)
class GameTree:
    """A game of a file with all that was written into it; `share_read` of the file lies before its end."""

    number: int
    """Counted from 1."""
    share_read: float | None
    """None where the file's size is not known."""
    game: chess.pgn.Game


@dataclass(frozen=True, slots=True)
class OtherGame:
    """A game of a file that has no tree, or would lose a part of it; and why."""

    number: int
    text: bytes | None
    """None where it is too long to be held."""
    reason: SkipReason
    detail: str


@contextmanager
def read_trees(path: str | Path) -> Iterator[Iterator[GameTree | OtherGame]]:
    """The games of a file, plain or compressed, or of standard input for "-", with their variations."""
    source = Source(path)
    try:
        yield _trees(source)
    finally:
        source.close()


def _trees(source: Source) -> Iterator[GameTree | OtherGame]:
    with source.explained():
        for number, raw in enumerate(split_games(source.stream), 1):
            try:
                game = tree_of(raw)
            except UnplayableGame as error:
                yield OtherGame(number, _with_blank_line(raw.data), error.reason, str(error))
                continue
            share = None
            if (
                source.bytes_total
            ):  # plain files are read ahead, and compressed ones are shorter than their games
                share = min(source.bytes_read, raw.end) / source.bytes_total
            yield GameTree(number, share, game)


def trees_in(text: str) -> Iterator[GameTree | OtherGame]:
    """The games of a text; `share_read` is not known of them."""
    for number, raw in enumerate(split_games(io.BytesIO(text.encode())), 1):
        try:
            yield GameTree(number, None, tree_of(raw))
        except UnplayableGame as error:
            yield OtherGame(number, raw.data, error.reason, str(error))


def _with_blank_line(data: bytes | None) -> bytes | None:
    """The game with the line between headers and moves that cutting it out has left away."""
    return None if data is None else _HEADERS.sub(rb"\g<0>\n", data, count=1)


class _Exporter(chess.pgn.StringExporter):
    """Wraps comments as well, but nothing that is for programs."""

    def visit_comment(self, comment: str) -> None:
        words = _WORD.findall(comment.replace("}", ""))
        for word in ("{", *words, "}") if words else ():
            self.write_token(f"{word} ")
            self.force_movenumber = True


def as_pgn(game: chess.pgn.Game) -> str:
    """The tree as PGN, with the blank line that ends it."""
    return f"{game.accept(_Exporter(columns=_COLUMNS))}\n\n"
