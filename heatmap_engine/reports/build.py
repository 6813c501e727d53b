"""Making a report: the position, its moves and their replies are asked of the table in one batch."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import chess

from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.board.ends import REPETITION, end_of, terminal
from heatmap_engine.board.heat import heatmap, king_box
from heatmap_engine.board.history import game_history
from heatmap_engine.board.reading import BoardLike, as_board, pack
from heatmap_engine.classic import scoring
from heatmap_engine.classic.weights import CMHM2
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.reports.report import Known, MoveReport, Reply, Report, Standing, State
from heatmap_engine.reports.walking import coverage_of, line_of
from heatmap_engine.reports.yardstick import Yardstick
from qtable import Entry

# Reads the entries that a table has of some keys.
Read = Callable[[Iterable[str]], dict[str, Entry]]


class _Child(NamedTuple):
    """A position after a move."""

    uci: str
    position: PackedPosition
    key: str


def report_on(
    board: BoardLike,
    read: Read,
    yardstick: Yardstick,
    table: str | None = None,
    *,
    candidates: tuple[Candidate, ...] | None = None,
    line: bool = False,
    plies: int = 0,
    heat_depth: int | None = None,
) -> Report:
    """What is known of a position; a board with moves on its stack brings its history along.

    Values are those of the `yardstick`'s mode. `candidates` are the moves as a search has ranked them. `line`
    adds the table's principal line, `plies` the coverage so many plies deep. Raises InvalidPosition for what
    is no position, and TableError where the table cannot be read.
    """
    board = as_board(board).copy()
    asked = _Question(board, read, yardstick)
    depth = yardstick.heat_depth if heat_depth is None else heat_depth
    over = terminal(board)
    moves = asked.moves()
    standing = asked.standing(over)
    return Report(
        board=board,
        key=asked.key,
        state=_state(over, standing, moves),
        reason=over,
        standing=standing,
        moves=moves,
        explanation=scoring.explain(board, depth, yardstick.heat_weights or CMHM2),
        heat=heatmap(board, depth),
        king_boxes={color: tuple(king_box(board, color)) for color in chess.COLORS},
        heat_depth=depth,
        unit=yardstick.unit,
        weights=yardstick.weights,
        table=table,
        candidates=candidates,
        patterns=yardstick.patterns(pack(board)) if over is None else (),
        line=line_of(board, read, yardstick) if line else None,
        coverage=coverage_of(board, read, plies),
    )


def _state(over: str | None, standing: Standing, moves: Iterable[MoveReport]) -> State:
    if over in (State.CHECKMATE, State.STALEMATE):
        return State(over)
    if over is not None:
        return State.DRAWN
    if standing.known is not None or any(move.is_known for move in moves):
        return State.KNOWN
    return State.UNKNOWN


class _Question:
    """One position with its moves and their replies, and what the table has of all of them."""

    def __init__(self, board: chess.Board, read: Read, yardstick: Yardstick) -> None:
        self._board = board
        self._yardstick = yardstick
        root = pack(board)
        self.key = key_of(root)
        self._history = [*game_history(board), root]
        self._children = _children(root)
        self._replies = [_children(child.position) for child in self._children]
        keys = {child.key for generation in (self._children, *self._replies) for child in generation}
        self._entries = read({self.key, *keys})

    def standing(self, over: str | None) -> Standing:
        """The position's own."""
        *before, root = self._history
        end = self._yardstick.end(root, before)
        static = self._yardstick.statics([root])[0] if end is None else end
        turn = self._board.turn
        return Standing(turn, self.known(self.key, turn), static, over, self._yardstick.unit)

    def known(self, key: str, turn: chess.Color) -> Known | None:
        """What the table has of the key of a position in which `turn` is to move."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        value, depth, visits, source, wins, draws, losses, updated = entry
        is_movers = turn == self._board.turn
        return Known(
            q=movers_view(turn, value),
            depth=depth,
            visits=visits,
            wins=wins if is_movers else losses,
            draws=draws,
            losses=losses if is_movers else wins,
            source=source,
            updated=updated or 0,
        )

    def moves(self) -> tuple[MoveReport, ...]:
        """All legal moves, the best first."""
        found = self._worth(self._children, not self._board.turn, self._history)
        reports = []
        for rank, number in enumerate(found.ranked(self._board.turn), start=1):
            move = chess.Move.from_uci(self._children[number].uci)
            san = self._board.san(move)
            standing = self._standing(found, number, ply=1)
            reply = None if standing.over is not None else self._reply(number, move)
            reports.append(MoveReport(move, san, rank, standing, reply))
        return tuple(reports)

    def _reply(self, number: int, move: chess.Move) -> Reply:
        replies = self._replies[number]
        found = self._worth(replies, self._board.turn, [*self._history, self._children[number].position])
        best = found.ranked(not self._board.turn)[0]
        reply = chess.Move.from_uci(replies[best].uci)
        self._board.push(move)
        san = self._board.san(reply)
        self._board.pop()
        return Reply(reply, san, self._standing(found, best, ply=2))

    def _standing(self, found: "_Worth", number: int, ply: int) -> Standing:
        position = found.after[number].position
        over = end_of(position) or REPETITION if found.is_over[number] else None
        known = self.known(found.after[number].key, found.turn)
        return Standing(self._board.turn, known, found.statics[number], over, self._yardstick.unit, ply)

    def _worth(self, after: list[_Child], turn: chess.Color, history: list[PackedPosition]) -> "_Worth":
        """What the positions after some moves are worth; `turn` is to move in each."""
        positions = [child.position for child in after]
        statics = self._yardstick.statics(positions)
        ends = [self._yardstick.end(position, history) for position in positions]
        entries = self._entries
        known = [entries[child.key].value if child.key in entries else None for child in after]
        return _Worth(
            after,
            turn,
            statics=[static if end is None else end for static, end in zip(statics, ends, strict=True)],
            is_over=[end is not None for end in ends],
            known=known,
        )


@dataclass(frozen=True, slots=True)
class _Worth:
    """What the positions after some moves are worth, as columns: of the replies only one gets a Standing.

    A Standing for each reply, nine hundred in a middlegame, would take as long as all the rest.
    """

    after: list[_Child]
    turn: chess.Color
    """Who is to move in each position."""
    statics: list[float]
    """White minus Black."""
    is_over: list[bool]
    known: list[float | None]
    """The table's values for the side to move."""

    def ranked(self, mover: chess.Color) -> list[int]:
        """The numbers of the positions, the best first for `mover`.

        What the table knows comes before what it does not: a score without looking ahead cannot be compared
        with a value that rests on it. A move that ends the game ranks with those that the table knows, if it
        knows any.
        """
        is_any_known = any(value is not None for value in self.known)
        places = []
        for static, is_over, value in zip(self.statics, self.is_over, self.known, strict=True):
            if is_over or value is None:
                places.append((is_any_known and not is_over, -movers_view(mover, static)))
            else:
                places.append((False, -movers_view(mover, movers_view(self.turn, value))))
        return sorted(range(len(places)), key=places.__getitem__)


def _children(position: PackedPosition) -> list[_Child]:
    return [_Child(uci, child, key_of(child)) for uci, child in children(position)]
