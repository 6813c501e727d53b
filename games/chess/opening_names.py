"""Names of openings, found by positions: transpositions count."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

import chess

_FILE = "opening_names.txt"
_LINE = re.compile(r"(?P<eco>[A-E]\d\d) (?P<name>[^|]+) \| (?P<moves>.+)")


@dataclass(frozen=True, slots=True)
class OpeningName:
    """What an opening is called, and its code in the Encyclopaedia of Chess Openings."""

    eco: str
    name: str

    def __str__(self) -> str:
        return f"{self.eco} {self.name}"


def name_of_position(board: chess.Board) -> OpeningName | None:
    """The name of this very position, or None; how it was reached does not count."""
    return _names().get(board.epd())


def opening_of(board: chess.Board) -> OpeningName | None:
    """The name of the last position of a game that has one, or None; the board brings the game along."""
    positions = board.root()
    found = name_of_position(positions)
    for move in board.move_stack:
        positions.push(move)
        if positions.fullmove_number > _last_move_number():
            break
        found = name_of_position(positions) or found
    return found


def named_lines() -> Iterator[tuple[OpeningName, tuple[str, ...]]]:
    """All names with the moves, in SAN, to the position that each belongs to."""
    text = (resources.files("games.chess") / _FILE).read_text(encoding="utf-8")
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            yield OpeningName(match["eco"], match["name"]), tuple(match["moves"].split())


@cache
def _names() -> dict[str, OpeningName]:
    return {position: name for name, position in _positions(named_lines())}


@cache
def _last_move_number() -> int:
    """No position of a later move has a name; a transposition may lose a few moves on the way."""
    return max(len(moves) for _, moves in named_lines()) // 2 + 5


def _positions(
    lines: Iterable[tuple[OpeningName, tuple[str, ...]]],
) -> Iterator[tuple[OpeningName, str]]:
    """Each name's position; neighbours share most of their moves, which are played only once."""
    board = chess.Board()
    played: list[str] = []
    for name, moves in lines:
        shared = 0
        while shared < min(len(played), len(moves)) and played[shared] == moves[shared]:
            shared += 1
        while len(played) > shared:
            board.pop()
            played.pop()
        for san in moves[shared:]:
            board.push_san(san)
            played.append(san)
        yield name, board.epd()
