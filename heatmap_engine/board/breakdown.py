"""What a position is worth before any search, taken apart: each mode weighs in its own way.

Values are White minus Black in the mode's unit.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import chess

from heatmap_engine.board.heat import Heat


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One position as a mode weighs it."""

    board: chess.Board = field(compare=False)
    value: float | None
    """The evaluation; None where there is none."""
    silence: str | None
    """Why there is no value: a check, or how the game is over."""
    heat: Heat = field(compare=False, repr=False)
    """Where each side could move, as the mode counts it."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one kind of thing, such as a side's mobility, changes from one position to another."""

    color: chess.Color | None
    """Whose it is; None where it belongs to the position."""
    name: str
    """In words, such as "pressure"."""
    before: float | None
    """How much of it there is, such as moves or pieces; None where one number does not say it."""
    after: float | None
    change: float
    """Of the value: what grows for Black is a loss here."""


class PatternPart(NamedTuple):
    """What one pattern adds to a position's value, White minus Black."""

    name: str
    times: int
    """How often White has it, less how often Black has it."""
    value: float


class Breakdown(Protocol):
    """Weighs positions as one mode does, with one set of weights."""

    def evaluate(self, board: chess.Board) -> Evaluation:
        """The value and the heat of a position."""
        ...

    def changes(self, before: chess.Board, after: chess.Board) -> tuple[Part, ...]:
        """What two positions differ in, the greatest first: the value of one less that of the other."""
        ...


def greatest_first(parts: list[Part]) -> tuple[Part, ...]:
    """The parts that differ at all, the greatest change first."""
    changed = (part for part in parts if part.change or part.before != part.after)
    return tuple(sorted(changed, key=lambda part: -abs(part.change)))
