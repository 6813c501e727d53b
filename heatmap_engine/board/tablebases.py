"""Syzygy tables of endings: what a position of few pieces is worth, and which moves keep that.

A table knows whether a position is won, drawn or lost, and in how many plies the next capture or pawn move
can be forced (DTZ, which may be one too low). With the clock of the game that tells who wins before the rule
of fifty moves makes it a draw. Wherever a rounded number leaves that open, the worse is said.
"""

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Self

import chess

from heatmap_engine.board.ends import is_third_occurrence
from heatmap_engine.board.history import is_repeating
from heatmap_engine.errors import InvalidSettings, InvalidTablebase, shown
from heatmap_engine.user_files import given_path

if TYPE_CHECKING:
    from chess.syzygy import Tablebase

# Plies without a capture or a pawn move that are a draw.
_FIFTY_MOVES = 100


class Standing(IntEnum):
    """How a position or a move stands, for the side to move or that moves; a greater one is better."""

    LOST = -2
    BLESSED = -1
    """Lost, but for the rule of fifty moves."""
    DRAWN = 0
    CURSED = 1
    """Won, but for the rule of fifty moves."""
    WON = 2

    @classmethod
    def of(cls, dtz: int, clock: int) -> Self:
        """What DTZ plies mean where the clock of fifty moves shows so many plies."""
        plies = abs(dtz) + clock
        if dtz > 0:
            return cls(2 if plies < _FIFTY_MOVES else 1)
        return cls(0 if not dtz else -2 if plies <= _FIFTY_MOVES else -1)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the tables say of the moves at a root."""

    standing: Standing
    """Of the best moves, and so of the position."""
    moves: tuple[chess.Move, ...]
    """Those that keep it, in the order of the board."""
    others: tuple[tuple[chess.Move, Standing], ...]
    """Other moves as far as they were asked about, the best first."""
    hits: int
    """How many positions the tables told about."""
    is_by_clock: bool
    """Whether a draw comes from the game before and not from the pieces."""


class Tablebases:
    """The tables of some folders. Whoever asks about castling or too many pieces is told nothing."""

    def __init__(self, tables: "Tablebase", most_pieces: int) -> None:
        self._tables = tables
        self.most_pieces = most_pieces
        self._told = 0
        """How many positions they have told about so far."""

    @classmethod
    def open(cls, folders: str) -> Self:
        """The tables in folders with the system's separator between; raises InvalidSettings."""
        # Imported here: few have tables, and it would cost the start of every session.
        from chess.syzygy import Tablebase

        tables = Tablebase()
        for folder in filter(None, folders.split(os.pathsep)):
            try:
                found = tables.add_directory(str(given_path(folder)))
            except OSError as error:
                raise _no_tables(folder, error.strerror or str(error)) from error
            if not found:
                raise _no_tables(folder, "there are none in it")
        if not (tables.wdl and tables.dtz):
            raise _no_tables(folders, "one of the two kinds is missing")
        return cls(tables, max(len(key) - 1 for key in tables.wdl))

    def __len__(self) -> int:
        """How many endings there are."""
        return len({frozenset(key.split("v")) for key in self._tables.wdl})

    def close(self) -> None:
        self._tables.close()

    def knows(self, board: chess.Board) -> bool:
        """Whether the position may be in the tables."""
        return chess.popcount(board.occupied) <= self.most_pieces and not board.castling_rights

    def result(self, board: chess.Board) -> str | None:
        """How a game ends from here if nobody errs, or None where that is not certain or not known."""
        dtz = self._dtz(board) if self.knows(board) else None
        if dtz is None or abs(dtz) + board.halfmove_clock == _FIFTY_MOVES:
            return None
        standing = Standing.of(dtz, board.halfmove_clock)
        if standing not in (Standing.WON, Standing.LOST):
            return "1/2-1/2"
        return "1-0" if (standing == Standing.WON) == board.turn else "0-1"

    def ruling(
        self,
        board: chess.Board,
        moves: Collection[chess.Move] = (),
        is_late: Callable[[], bool] = lambda: False,
    ) -> Ruling | None:
        """Which of the moves, by default of all, keep the best result; None where the tables do not know.

        Once `is_late` no more moves are asked about than it takes to find one that keeps the result.
        """
        told_before = self._told
        dtz = self._dtz(board) if self.knows(board) else None
        chosen = [move for move in board.legal_moves if not moves or move in moves]
        if dtz is None or not chosen:
            return None
        found: dict[chess.Move, tuple[Standing, int]] = {}
        aim = Standing.of(dtz, board.halfmove_clock)
        for move in sorted(chosen, key=lambda move: not board.is_zeroing(move)):  # these are the quick ones
            if is_late() and any(standing >= aim for standing, _ in found.values()):
                break
            asked = self._of_move(board, move, dtz, aim)
            if asked is None:
                return None
            found[move] = asked
        return _ruling(board, found, self._told - told_before, is_by_clock=bool(dtz))

    def _of_move(
        self, board: chess.Board, move: chess.Move, dtz: int, aim: Standing
    ) -> tuple[Standing, int] | None:
        """How a move stands, and in how many plies after the root the next capture or pawn move comes."""
        after = board.copy(stack=board.halfmove_clock)
        after.push(move)
        if after.is_checkmate():
            return Standing.WON, 1
        if is_third_occurrence(after) or after.halfmove_clock >= _FIFTY_MOVES:
            return Standing.DRAWN, 0
        if aim == Standing.LOST:
            return aim, -dtz  # no move is better, whatever it is
        if not dtz or not after.halfmove_clock:
            wdl = self._asked(lambda: self._tables.probe_wdl(after))
            return None if wdl is None else (Standing(-wdl), 1)
        plies = self._dtz(after)
        return None if plies is None else (Standing.of(-plies, after.halfmove_clock), abs(plies) + 1)

    def _dtz(self, board: chess.Board) -> int | None:
        # Probing plays moves, which another thread must not see.
        alone = board.copy(stack=False)
        return self._asked(lambda: self._tables.probe_dtz(alone))

    def _asked(self, probe: Callable[[], int]) -> int | None:
        try:
            found = probe()
        except KeyError:  # there is no such table
            return None
        except Exception as error:  # of a damaged file anything may come
            raise InvalidTablebase(
                f"a Syzygy table cannot be read: {type(error).__name__}: {error}"
            ) from error
        self._told += 1
        return found


def _ruling(
    board: chess.Board, found: dict[chess.Move, tuple[Standing, int]], hits: int, *, is_by_clock: bool
) -> Ruling:
    best = max(standing for standing, _ in found.values())
    # A win that was not made progress in so far, or that only an error brings: by the shortest way.
    is_urgent = best == Standing.CURSED or (best == Standing.WON and is_repeating(board))
    shortest = min(plies for standing, plies in found.values() if standing == best)
    kept = {
        move
        for move, (standing, plies) in found.items()
        if standing == best and (plies == shortest or not is_urgent)
    }
    others = sorted(
        ((move, standing) for move, (standing, _) in found.items() if move not in kept),
        key=lambda each: -each[1],
    )
    in_order = tuple(move for move in board.legal_moves if move in kept)
    return Ruling(best, in_order, tuple(others), hits, is_by_clock)


def _no_tables(folder: str, why: str) -> InvalidSettings:
    return InvalidSettings(
        "expected folders with Syzygy tables (.rtbw and .rtbz files), "
        f"with {os.pathsep!r} between them, got {shown(folder)}: {why}"
    )
