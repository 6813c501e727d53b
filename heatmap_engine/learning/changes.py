"""What learning has changed, read from the steps in a journal: other best moves, other values.

A position that several games passed counts once: its old value is the one from before the first of these
games, its new one the one from after the last.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import chess

from games.chess.errors import InvalidGame
from games.chess.journal import LearnedGame, LearnedStep
from qtable import JournalLine, QTable


@dataclass(frozen=True, slots=True)
class Change:
    """What learning changed at one position; values are White minus Black in the unit of the table's mode."""

    board: chess.Board = field(compare=False)
    """The position, with the moves that lead there on its stack."""
    old_value: float
    new_value: float
    old_pick: chess.Move | None
    """The best move known before; None if none was."""
    new_pick: chess.Move
    games: int
    """How many of the games passed the position."""
    game_id: str
    """The last of them."""

    @property
    def value_change(self) -> float:
        return self.new_value - self.old_value

    @property
    def line(self) -> str:
        """The moves that lead there, in words of chess; empty at the start of a game."""
        return self.board.root().variation_san(self.board.move_stack) if self.board.move_stack else ""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a table has learned from some of its games."""

    games: int
    silent_games: int
    """Those of the games whose lines do not say what they changed; learned before lines said it."""
    positions: int
    """Different positions that the other games passed."""
    known_before: int
    """Those of them that had a value before."""
    mean_change: float
    """Mean absolute change of these values, but for those that were or became such as do not count."""
    uncounted: int
    """How many of these values do not count."""
    picks_changed: int
    """Positions at which another move than before is the best known one."""
    other_picks: tuple[Change, ...]
    """The positions of these whose values have changed most."""
    greatest: tuple[Change, ...]
    """The positions whose values have changed most."""


def last_game(table: QTable) -> list[LearnedGame]:
    """The game that a table has learned from last; nothing if there is none."""
    last: JournalLine | None = None
    for line in table.journal():
        if last is None or (line.added or 0) >= (last.added or 0):
            last = line
    return [] if last is None else [LearnedGame.from_line(last)]


def games_since(table: QTable, seconds: float) -> Iterator[LearnedGame]:
    """The games that a table has learned from at this moment or later, in UTC seconds."""
    return (LearnedGame.from_line(line) for line in table.journal() if (line.added or 0) >= seconds)


def changes_of(
    games: Iterable[LearnedGame], top: int = 10, is_uncounted: Callable[[float], bool] = lambda value: False
) -> Changes:
    """What learning these games changed, with the `top` positions of each kind.

    `is_uncounted` tells values of which no mean can be made, such as the deep mode's mates.
    """
    seen: dict[str, _Position] = {}
    number = silent = 0
    for game in games:
        number += 1
        if not game.steps and game.record.moves:
            silent += 1
            continue
        _note(game, seen)
    known = [position for position in seen.values() if position.first.old_value is not None]
    other_picks = [position for position in known if position.has_other_pick]
    counted = [position.distance for position in known if not any(map(is_uncounted, position.values))]
    return Changes(
        games=number,
        silent_games=silent,
        positions=len(seen),
        known_before=len(known),
        mean_change=sum(counted) / len(counted) if counted else 0.0,
        uncounted=len(known) - len(counted),
        picks_changed=len(other_picks),
        other_picks=_greatest(other_picks, top),
        greatest=_greatest((position for position in known if position.distance), top),
    )


@dataclass(slots=True)
class _Position:
    """A position that games have passed, and the place in the last of them."""

    first: LearnedStep
    last: LearnedStep
    game: LearnedGame
    ply: int
    games: int = 0

    @property
    def values(self) -> tuple[float, float]:
        """Before and after."""
        assert self.first.old_value is not None
        return self.first.old_value, self.last.new_value

    @property
    def distance(self) -> float:
        before, after = self.values
        return abs(after - before)

    @property
    def has_other_pick(self) -> bool:
        return self.first.old_pick not in (None, self.last.new_pick)


def _note(game: LearnedGame, seen: dict[str, _Position]) -> None:
    final = game.record.board()
    board = final.root()
    for ply, (move, step) in enumerate(zip(final.move_stack, game.steps, strict=True)):
        # Not the table's key: that is also the mirror image's, where the moves have other names.
        known = seen.setdefault(board.epd(), _Position(step, step, game, ply))
        known.last, known.game, known.ply = step, game, ply
        known.games += 1
        board.push(move)


def _greatest(positions: Iterable[_Position], top: int) -> tuple[Change, ...]:
    return tuple(map(_change, heapq.nlargest(top, positions, key=lambda position: position.distance)))


def _change(position: _Position) -> Change:
    first, last, record = position.first, position.last, position.game.record
    board = record.board()
    while len(board.move_stack) > position.ply:
        board.pop()
    assert first.old_value is not None
    return Change(
        board=board,
        old_value=first.old_value,
        new_value=last.new_value,
        old_pick=None if first.old_pick is None else _legal(board, first.old_pick),
        new_pick=_legal(board, last.new_pick),
        games=position.games,
        game_id=record.game_id,
    )


def _legal(board: chess.Board, name: str) -> chess.Move:
    """A journal is as trustworthy as whoever made the table."""
    try:
        return board.parse_uci(name)
    except ValueError as error:
        raise InvalidGame(f"expected a journal's steps to hold legal moves: {error}") from error
