"""Kick tables: where a piece that turns may go when its box is not free.

A table lists, for each turn from one orientation to another, the shifts of the box that are tried one after
the other; the first that is free is taken. A turn that a table does not list does not exist in that game.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from games.tetrominoes.pieces import PIECES, Cell

Turn = tuple[int, int]
"""The orientation before and the one after."""

_IN_PLACE: Cell = (0, 0)
_QUARTERS = tuple((start, (start + turn) % 4) for start in range(4) for turn in (1, 3))
_HALVES = tuple((start, (start + 2) % 4) for start in range(4))


@dataclass(frozen=True, slots=True)
class KickTable:
    """How the pieces turn in a game."""

    name: str
    tests: Mapping[str, Mapping[Turn, tuple[Cell, ...]]]
    """By piece and turn: the shifts (x, y) in the order in which they are tried."""

    @property
    def has_half_turns(self) -> bool:
        return any(turn in _HALVES for turn in self.tests["T"])


# The shifts after "in place". Orientations: 0 as it appears, 1 turned right, 2 upside down, 3 turned left.
_THREE_WIDE: dict[Turn, tuple[Cell, ...]] = {
    (0, 1): ((-1, 0), (-1, 1), (0, -2), (-1, -2)),
    (1, 0): ((1, 0), (1, -1), (0, 2), (1, 2)),
    (1, 2): ((1, 0), (1, -1), (0, 2), (1, 2)),
    (2, 1): ((-1, 0), (-1, 1), (0, -2), (-1, -2)),
    (2, 3): ((1, 0), (1, 1), (0, -2), (1, -2)),
    (3, 2): ((-1, 0), (-1, -1), (0, 2), (-1, 2)),
    (3, 0): ((-1, 0), (-1, -1), (0, 2), (-1, 2)),
    (0, 3): ((1, 0), (1, 1), (0, -2), (1, -2)),
}
_SRS_I: dict[Turn, tuple[Cell, ...]] = {
    (0, 1): ((-2, 0), (1, 0), (-2, -1), (1, 2)),
    (1, 0): ((2, 0), (-1, 0), (2, 1), (-1, -2)),
    (1, 2): ((-1, 0), (2, 0), (-1, 2), (2, -1)),
    (2, 1): ((1, 0), (-2, 0), (1, -2), (-2, 1)),
    (2, 3): ((2, 0), (-1, 0), (2, 1), (-1, -2)),
    (3, 2): ((-2, 0), (1, 0), (-2, -1), (1, 2)),
    (3, 0): ((1, 0), (-2, 0), (1, -2), (-2, 1)),
    (0, 3): ((-1, 0), (2, 0), (-1, 2), (2, -1)),
}
# SRS+ makes the kicks of the I piece symmetrical and adds half turns.
_SRS_PLUS_I: dict[Turn, tuple[Cell, ...]] = {
    (0, 1): ((1, 0), (-2, 0), (-2, -1), (1, 2)),
    (1, 0): ((-1, 0), (2, 0), (-1, -2), (2, 1)),
    (1, 2): ((-1, 0), (2, 0), (-1, 2), (2, -1)),
    (2, 1): ((-2, 0), (1, 0), (-2, 1), (1, -2)),
    (2, 3): ((2, 0), (-1, 0), (2, 1), (-1, -2)),
    (3, 2): ((1, 0), (-2, 0), (1, 2), (-2, -1)),
    (3, 0): ((1, 0), (-2, 0), (1, -2), (-2, 1)),
    (0, 3): ((-1, 0), (2, 0), (2, -1), (-1, 2)),
}
_HALF_THREE_WIDE: dict[Turn, tuple[Cell, ...]] = {
    (0, 2): ((0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0)),
    (2, 0): ((0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0)),
    (1, 3): ((1, 0), (1, 2), (1, 1), (0, 2), (0, 1)),
    (3, 1): ((-1, 0), (-1, 2), (-1, 1), (0, 2), (0, 1)),
}
_HALF_I: dict[Turn, tuple[Cell, ...]] = {
    (0, 2): ((0, 1),),
    (2, 0): ((0, -1),),
    (1, 3): ((1, 0),),
    (3, 1): ((-1, 0),),
}


def _table(
    name: str, three_wide: Mapping[Turn, tuple[Cell, ...]], bar: Mapping[Turn, tuple[Cell, ...]]
) -> KickTable:
    def tests(piece: str) -> dict[Turn, tuple[Cell, ...]]:
        if piece == "O":
            # It looks the same whichever way it is turned: nothing would be gained.
            return {}
        shifts = bar if piece == "I" else three_wide
        return {turn: (_IN_PLACE, *further) for turn, further in shifts.items()}

    return KickTable(name, {piece: tests(piece) for piece in PIECES})


_NOTHING_FURTHER: dict[Turn, tuple[Cell, ...]] = dict.fromkeys(_QUARTERS, ())

KICK_TABLES = {
    "srs": _table("srs", _THREE_WIDE, _SRS_I),
    "srs+": _table("srs+", _THREE_WIDE | _HALF_THREE_WIDE, _SRS_PLUS_I | _HALF_I),
    "none": _table("none", _NOTHING_FURTHER, _NOTHING_FURTHER),
}
"""SRS, as most games have it; SRS+, with half turns; and turns in place only."""
