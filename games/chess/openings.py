"""Opening suites: the lines from which self-play games and matches begin.

Our own suite, `openings.pgn` beside this file, is made by `benchmarks/make_openings.py`.
"""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any

import chess

from games.chess.errors import InvalidOpening, UnplayableGame
from games.chess.parsing import parse_raw
from games.chess.pgn_source import Source
from games.chess.record import GameRecord, start_board
from games.chess.splitting import split_games

_NEWLINE = b"\n"
_HELD_OUT_SHARE = 0.2
_LARGEST_SUITE_BYTES = 64 << 20
_SUITE = "openings.pgn"
_CHESS960_STARTS, _STEP = 960, 607
_FIRST_POSITION = re.compile(rb"(?:\s|#[^\n]*\n)*(?:[1-8a-zA-Z]+/){7}[1-8a-zA-Z]+\s+[wb]\s")
_NUMBERED = re.compile(r"line \d+")
_FEN = re.compile(r"\S+\s+\S+\s+\S+\s+\S+\s+\d+\s+\d+(?=\s|;|\Z)")


@dataclass(frozen=True, slots=True)
class Opening:
    """A legal line that is not over: a start position and the moves from there, possibly none."""

    name: str
    moves: tuple[str, ...]
    """As UCI writes them, like those of a record."""
    start: str | None = None  # FEN; None is the standard start position
    eco: str | None = None

    @property
    def is_named(self) -> bool:
        """Whether its file names it; otherwise it is called by its number."""
        return not _NUMBERED.fullmatch(self.name)

    def board(self) -> chess.Board:
        """The position after the line, with the moves on its stack."""
        board = start_board(self.start)
        for move in self.moves:
            board.push(chess.Move.from_uci(move))
        return board


def chess960_starts() -> Sequence[Opening]:
    """All starts of Chess960, well mixed: those that follow each other have little in common."""
    # A step without a common divisor with 960 passes every number once.
    return tuple(map(_chess960_start, (_STEP * i % _CHESS960_STARTS for i in range(_CHESS960_STARTS))))


def _chess960_start(number: int) -> Opening:
    fen = chess.Board.from_chess960_pos(number).fen()
    return Opening(f"start {number}", (), None if fen == chess.STARTING_FEN else fen)


def load_openings(path: str | Path | None = None) -> Sequence[Opening]:
    """The lines of a PGN or EPD file, or of our own suite; in the file's order, which for ours is well mixed.

    Raises `InvalidOpening` at the first line that cannot be played, and for a file without any.
    """
    if path is None:
        with resources.as_file(resources.files("games.chess") / _SUITE) as suite:
            return load_openings(suite)
    data = _read(path)
    find = _epd_openings if _FIRST_POSITION.match(data) else _pgn_openings
    openings = tuple(find(path, data))
    if not openings:
        raise InvalidOpening(f"{path}: expected openings as PGN or EPD, got none")
    return openings


def split_openings(openings: Sequence[Opening]) -> tuple[list[Opening], list[Opening]]:
    """The lines to learn from, about four fifths, and those held out; each in the given order.

    The same lines are always split the same way, whatever their order, and both parts have openings of all
    kinds. A game that begins with a line of one part does not pass where a line of the other part ends.
    """
    held_out: set[Opening] = set()
    seen = 0
    for family in sorted(_families(openings), key=_moves_of_first):  # neighbours are of one kind
        seen += len(family)
        if len(held_out) + len(family) <= _HELD_OUT_SHARE * seen:
            held_out.update(family)
    return (
        [opening for opening in openings if opening not in held_out],
        [opening for opening in openings if opening in held_out],
    )


def _families(openings: Sequence[Opening]) -> list[list[Opening]]:
    """The lines in groups: where one ends on another's way, both are in the same."""
    passed = {opening: _positions(opening) for opening in openings}
    ends: dict[tuple[object, ...], list[Opening]] = {}
    for opening, positions in passed.items():
        ends.setdefault(positions[0], []).append(opening)
    family_of = {opening: [opening] for opening in openings}
    for opening, positions in passed.items():
        for other in chain.from_iterable(ends.get(position, ()) for position in positions):
            one, two = family_of[opening], family_of[other]
            if one is not two:
                one += two
                family_of.update(dict.fromkeys(two, one))
    return list({id(family): family for family in family_of.values()}.values())


def _positions(opening: Opening) -> list[tuple[object, ...]]:
    """The positions that a line passes, its end first."""
    board = opening.board()
    found = [_position(board)]
    while board.move_stack:
        board.pop()
        found.append(_position(board))
    return found


def _position(board: chess.Board) -> tuple[object, ...]:
    """What tells one position from another, without its move counters; its FEN takes ten times as long."""
    return (
        board.turn,
        board.occupied_co[chess.WHITE],
        board.occupied,
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.clean_castling_rights(),
        board.ep_square if board.has_legal_en_passant() else None,
    )


def _moves_of_first(family: list[Opening]) -> tuple[str, tuple[str, ...]]:
    return min((opening.start or "", opening.moves) for opening in family)


def _read(path: str | Path) -> bytes:
    source = Source(path)
    try:
        with source.explained():
            data = source.stream.read(_LARGEST_SUITE_BYTES + 1)
        if len(data) > _LARGEST_SUITE_BYTES:
            raise InvalidOpening(f"{path}: expected openings of at most {_LARGEST_SUITE_BYTES:,} bytes")
        return data
    finally:
        source.close()


def _pgn_openings(path: str | Path, data: bytes) -> Iterator[Opening]:
    for number, raw in enumerate(split_games(io.BytesIO(data)), 1):
        place = f"{path}:{data.count(_NEWLINE, 0, raw.start) + 1}: game {number}"
        try:
            record = parse_raw(raw, details=True, require_moves=False)
        except UnplayableGame as error:
            raise InvalidOpening(f"{place}: {error}") from error
        if not record.moves and record.start is None and b"\n[FEN " not in (raw.data or b""):
            raise InvalidOpening(f"{place}: expected moves or a FEN, got neither")
        yield _checked(place, _from_record(record, number))


def _from_record(record: GameRecord, number: int) -> Opening:
    name = record.tags.get("Opening") or f"line {number}"
    return Opening(name, record.moves, record.start, record.tags.get("ECO"))


def _epd_openings(path: str | Path, data: bytes) -> Iterator[Opening]:
    """Each line is a position, with or without move counters, and may have the operations id and eco."""
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if line.isspace() or not line or line.startswith("#"):
            continue
        place = f"{path}:{number}"
        board = chess.Board()
        try:
            operations = _set_position(board, line)
        except ValueError as error:
            raise InvalidOpening(
                f"{place}: expected a position as EPD or FEN, got {line[:100]!r}: {error}"
            ) from error
        board.chess960 = board.has_chess960_castling_rights()
        if not board.is_valid():
            raise InvalidOpening(
                f"{place}: expected a legal position, got {line[:100]!r}: {board.status()!s}"
            )
        fen = board.fen()
        name, eco = (str(operations[key]) if operations.get(key) else None for key in ("id", "eco"))
        yield _checked(
            place, Opening(name or f"line {number}", (), None if fen == chess.STARTING_FEN else fen, eco)
        )


def _set_position(board: chess.Board, line: str) -> dict[str, Any]:
    if fen := _FEN.match(line):
        board.set_fen(fen[0])
        return {}
    return board.set_epd(line)


def _checked(place: str, opening: Opening) -> Opening:
    board = opening.board()
    if board.is_game_over():
        raise InvalidOpening(f"{place}: expected a line that goes on, got one that is over: {board.fen()}")
    return opening


def openings_as_pgn(openings: Sequence[Opening], event: str) -> str:
    """The lines as `load_openings` reads them back."""
    return "".join(_opening_as_pgn(opening, number, event) for number, opening in enumerate(openings, 1))


def _opening_as_pgn(opening: Opening, number: int, event: str) -> str:
    game = GameRecord(
        opening.moves,
        start=opening.start,
        event=event,
        round=str(number),
        tags={"Opening": opening.name, **({"ECO": opening.eco} if opening.eco else {})},
    ).to_game()
    if not opening.moves and opening.start is None:
        game.headers.update(SetUp="1", FEN=chess.STARTING_FEN)  # the usual start is meant, not nothing
    return f"{game}\n\n"
