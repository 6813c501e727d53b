"""Patterns: many queues in a word, in the notation that perfect clear players use.

| part            | stands for                                            |
|-----------------|-------------------------------------------------------|
| `T`             | this piece                                            |
| `[SZT]`         | one of these pieces                                   |
| `[^SZT]`        | one of the others                                     |
| `*`             | one of all seven                                      |
| `[SZT]p2`, `*p4`| so many of these, no piece twice, in every order      |
| `[SZT]!`, `*!`  | all of these, in every order                          |

Parts follow each other, with or without commas or spaces.
"""

import itertools
import math
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from games.perfect_clear.errors import InvalidQuestion
from games.perfect_clear.rules import MOST_PIECES
from games.tetrominoes.pieces import PIECES

Queues = npt.NDArray[np.uint8]
"""A row for each queue, a column for each piece, which is its number in PIECES."""

MOST_QUEUES = 20_000_000

_PART = re.compile(r"(?P<piece>[TIOSZLJ])|(?P<set>\[\^?[TIOSZLJ]+\]|\*)(?:(?P<all>!)|[pP](?P<number>[1-7]))?")


def is_pattern(text: str) -> bool:
    return any(sign in text for sign in "[*!")


def expand(text: str) -> Queues:
    """All queues of a pattern."""
    parts = [_orders(pieces, number) for pieces, number in _parts(text)]
    length = sum(len(part[0]) for part in parts)
    if length > MOST_PIECES:
        raise InvalidQuestion(
            f"expected queues of at most {MOST_PIECES} pieces, got {length} in {text!r:.60}"
        )
    total = math.prod(len(part) for part in parts)
    if total > MOST_QUEUES:
        raise InvalidQuestion(f"expected at most {MOST_QUEUES:,} queues, got {total:,} in {text!r:.60}")
    queues = np.zeros((1, 0), np.uint8)
    for part in parts:
        queues = np.hstack([np.repeat(queues, len(part), axis=0), np.tile(part, (len(queues), 1))])
    return np.ascontiguousarray(queues)


def _parts(text: str) -> list[tuple[str, int]]:
    """Pieces to choose from, and how many of them."""
    found = []
    rest = text.upper().replace(",", "").replace(" ", "")
    while rest:
        part = _PART.match(rest)
        if part is None:
            raise InvalidQuestion(
                f"expected parts such as T, [SZT], [^SZT], *, *p4 or *!, got {rest!r:.30} in {text!r:.60}"
            )
        pieces = _pieces_of(part["piece"] or part["set"])
        number = len(pieces) if part["all"] else int(part["number"] or 1)
        if number > len(pieces):
            raise InvalidQuestion(f"expected at most {len(pieces)} pieces from {part['set']}, got {number}")
        found.append((pieces, number))
        rest = rest[part.end() :]
    if not found:
        raise InvalidQuestion("expected a pattern such as *p4, got nothing")
    return found


def _pieces_of(text: str) -> str:
    if text == "*":
        return PIECES
    if text.startswith("[^"):
        return "".join(piece for piece in PIECES if piece not in text)
    return "".join(dict.fromkeys(text.strip("[]")))


def _orders(pieces: str, number: int) -> Queues:
    numbers = [PIECES.index(piece) for piece in pieces]
    return np.array(list(itertools.permutations(numbers, number)), np.uint8)


def as_array(queues: Sequence[str]) -> Queues:
    """Queues of one length as an array."""
    return np.array([[PIECES.index(piece) for piece in queue] for queue in queues], np.uint8)


def as_text(queue: npt.NDArray[np.uint8]) -> str:
    return "".join(PIECES[piece] for piece in queue)
