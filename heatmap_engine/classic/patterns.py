"""Patterns: what a table has learned of parts of positions, wherever they occur.

A piece on a square, seen from its own side, and how many of a kind one side has against the other. A leaf
that the table does not know is worth its score plus the values of its patterns, in heat units; without
patterns nothing is added.
"""

import json
import re
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, product
from typing import Self

import chess
import numpy as np
import numpy.typing as npt

from heatmap_engine.board.breakdown import PatternPart
from heatmap_engine.board.ends import end_of
from heatmap_engine.errors import InvalidPatterns, shown
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.classic.patterns import FAMILIES, PATTERN_COUNT, PatternTable, count_patterns
from heatmap_engine.memory.views import NoteSource, View
from qtable.json_input import MISSHAPEN, parse_json_object

Values = npt.NDArray[np.float64]

# The name of the note in which a table keeps them.
NOTE = "patterns"

# Version 1 had the squares of pieces and the numbers of a kind, under the same names.
_VERSION = 2
_VERSIONS = (1, _VERSION)
_DIGITS = 4
# Far beyond every use, and far below what would hide a mate.
_LARGEST = 1000.0
_MOST_COUNTED = 8


def _names() -> dict[str, int]:
    """Every pattern's number by its name, in the order of the kernel."""
    numbers = count()
    every = [
        *(f"{piece} on {square}" for piece in _PIECES for square in chess.SQUARE_NAMES),
        *(
            f"{more} {kind}{'s' * (more > 1)} against {fewer or 'none'}" if more > fewer else ""
            for kind in _KINDS
            for more in range(_MOST_COUNTED + 1)
            for fewer in range(_MOST_COUNTED + 1)
        ),
        "the move",
        *_attacks("{} can take {} {}"),
        *_attacks("{} attacks {} {}"),
        *_pawns("passed pawn, rank {}"),
        *_pawns("passed pawn behind a piece, rank {}"),
        *_pawns("passed pawn that no king can catch, rank {}"),
        *(f"{kind} with {other}" for place, kind in enumerate(_KINDS) for other in _KINDS[place:]),
        *(name for words in _DISTANCE_WORDS for name in _distances(words)),
        *(f"{piece} on {square}, few pieces" for piece in _PIECES for square in chess.SQUARE_NAMES),
        *(f"{kind} neither guarded nor attacked" for kind in _KINDS),
        *(f"a square that a {piece} reaches" for piece in _PIECES),
        *(f"a square next to the other king that a {piece} reaches" for piece in _PIECES),
    ]
    named = zip(every, numbers, strict=False)
    return {name: number for name, number in named if name and not _IMPOSSIBLE.fullmatch(name)}


def _attacks(words: str) -> Iterator[str]:
    for piece, kind in product(_PIECES, _KINDS):
        for how in ("a loose", "a guarded"):
            yield "" if (piece, how) == ("king", "a guarded") else words.format(piece, how, kind)


def _pawns(words: str) -> Iterator[str]:
    return (words.format(rank) if 2 <= rank <= 7 else "" for rank in range(1, 9))


def _distances(words: str) -> Iterator[str]:
    for kind, distance in product(_KINDS, range(8)):
        squares = "1 square" if distance == 1 else f"{distance} squares"
        yield words.format(kind, squares) if distance else ""


_PIECES = tuple(map(chess.piece_name, chess.PIECE_TYPES))
_KINDS = _PIECES[:-1]
_DISTANCE_WORDS = ("{} {} from the other king", "{} {} from its own king")
_IMPOSSIBLE = re.compile("pawn on [a-h][18].*")

NUMBERS = _names()
NAMES = {number: name for name, number in NUMBERS.items()}


@dataclass(frozen=True)
class Patterns:
    """The values of all patterns, and from how many games of the journal they were learned."""

    values: Values = field(repr=False, compare=False)
    games: int

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What `to_text` has written; raises InvalidPatterns for anything else."""
        try:
            data = parse_json_object(text)
            if data["version"] not in _VERSIONS:
                raise InvalidPatterns(
                    f"expected patterns of version 1 or {_VERSION}, got {shown(data['version'])}"
                )
            values = np.zeros(PATTERN_COUNT)
            for name, value in data["values"].items():
                values[NUMBERS[name]] = _number(value)
            games = data["games"]
        except MISSHAPEN as error:
            if isinstance(error, InvalidPatterns):
                raise
            raise InvalidPatterns(f"expected patterns with their values, got {shown(text)}") from error
        if type(games) is not int or games < 0 or not np.all(np.abs(values) <= _LARGEST):
            raise InvalidPatterns(f"expected values from {-_LARGEST:g} to {_LARGEST:g}, got {shown(text)}")
        return cls(values, games)

    def to_text(self) -> str:
        values = {name: round(float(self.values[number]), _DIGITS) for name, number in NUMBERS.items()}
        known = {name: value for name, value in values.items() if value}
        return json.dumps({"version": _VERSION, "games": self.games, "values": known})

    def __len__(self) -> int:
        return int(np.count_nonzero(self.values))

    @cached_property
    def table(self) -> PatternTable:
        """The same laid out for the kernel."""
        return PatternTable(self.values)

    def parts(self, position: PackedPosition) -> list[PatternPart]:
        """What each pattern of a position adds, the heaviest first; what both sides have adds nothing."""
        counts = np.zeros((1, PATTERN_COUNT), dtype=np.int16)
        count_patterns([position], counts)
        found = [
            PatternPart(NAMES[number], int(counts[0, number]), float(counts[0, number] * self.values[number]))
            for number in map(int, np.flatnonzero(counts[0]))
        ]
        return sorted((part for part in found if part.value), key=lambda part: -abs(part.value))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidPatterns(f"expected a number as a pattern's value, got {shown(value)}")
    return float(value)


# What was read of each source last, and the note's stamp then.
_read: "weakref.WeakKeyDictionary[NoteSource, tuple[str, Patterns]]" = weakref.WeakKeyDictionary()


def patterns_of(source: NoteSource | None) -> Patterns | None:
    """The patterns that a table holds, None where it has none; read again only when they have changed."""
    while isinstance(source, View):
        source = source.below  # so that playing a game and walking it back share what was read
    stamp = None if source is None else source.note_stamp(NOTE)
    if source is None or stamp is None:
        return None
    known = _read.get(source)
    if known is not None and known[0] == stamp:
        return known[1]
    text = source.note(NOTE)
    if text is None:
        return None
    try:
        patterns = Patterns.from_text(text)
    except InvalidPatterns as error:
        source.refuse_note(NOTE, f"{error}; `heatmap-engine learn --rebuild` makes it anew")
        return None
    _read[source] = stamp, patterns
    return patterns


def parts_of(patterns: Patterns | None, position: PackedPosition) -> tuple[PatternPart, ...]:
    """What each pattern adds to a position; nothing where there are none or the game is over."""
    return () if patterns is None or end_of(position) else tuple(patterns.parts(position))


def pattern_table_of(source: NoteSource | None) -> PatternTable | None:
    """The same, laid out for a search."""
    patterns = patterns_of(source)
    return None if patterns is None else patterns.table


def piece_values(patterns: Patterns) -> Mapping[str, float]:
    """What one piece of each kind is worth against none: its number, and the mean of where it stands."""
    return {
        kind: float(patterns.values[NUMBERS[f"1 {kind} against none"]])
        + _mean(patterns.values[piece * 64 : piece * 64 + 64])
        + sum(_mean(patterns.values[_numbers(words, kind)]) for words in _DISTANCE_WORDS)
        for piece, kind in enumerate(_KINDS)
    }


def _numbers(words: str, kind: str) -> list[int]:
    return [NUMBERS[name] for name in _distances(words) if name.startswith(f"{kind} ")]


def _mean(values: Values) -> float:
    """Of those that were ever learned."""
    known = values[values != 0]
    return float(known.mean()) if len(known) else 0.0


def square_extremes(patterns: Patterns, most: int = 4) -> tuple[list[str], list[str]]:
    """The best and the worst squares, as "knight on f5 +3.1", each kind of piece against its own mean."""
    found = []
    for piece in range(6):
        squares = patterns.values[piece * 64 : piece * 64 + 64]
        known = np.flatnonzero(squares)
        mean = float(squares[known].mean()) if len(known) else 0.0
        found += [(float(squares[square]) - mean, NAMES[piece * 64 + int(square)]) for square in known]
    found.sort(reverse=True)
    named = [f"{name} {value:+.1f}" for value, name in found]
    return named[:most], named[: -most - 1 : -1]


def greatest_threats(patterns: Patterns, most: int = 6) -> list[str]:
    """What counts most of who attacks what and of passed pawns, as "pawn can take a loose queen +31.0"."""
    kinds = range(FAMILIES["takes"], FAMILIES["together"])
    found = [(float(patterns.values[number]), NAMES[number]) for number in kinds if number in NAMES]
    found.sort(key=lambda pair: -pair[0])
    return [f"{name} {value:+.1f}" for value, name in found[:most] if value > 0]
