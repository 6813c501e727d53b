"""Telling a line on from where the search ended it, at a value that the table gave: the score stays."""

from collections.abc import Callable, Sequence

import chess

from heatmap_engine.board.ends import terminal
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.limits import Limits
from heatmap_engine.memory.views import ValueSource
from heatmap_engine.stop import Stop

Line = tuple[chess.Move, ...]

# A line that is at least so long is long enough.
ENOUGH_PLIES = 8
_MOST_PLIES = 24
# A move goes on as the table's value says where it is worth as much, but for so many units.
_AS_MUCH = 50


class LineTeller:
    """Tells lines of one question on: by the table, by the search's own hash, at last by a short search.

    The table comes first, because it has whole lines of earlier searches. What was told once is told again.
    """

    def __init__(
        self,
        board: chess.Board,
        search: DeepSearch,
        known: ValueSource,
        short_search: Callable[[], DeepSearch],
    ) -> None:
        self._board = board
        self._search = search
        self._known = known
        self._short_search = short_search
        self._told: dict[Line, Line] = {}

    def told_on(self, line: Line) -> Line:
        """The line as far as table and hash know how it goes on."""
        if line not in self._told:
            self._told[line] = self._followed(line, self._search, _MOST_PLIES)
        return self._told[line]

    def finished(self, line: Line, nodes: int, stop: Stop) -> Line:
        """The same, and searched on with so many nodes in all where it is still short."""
        told = self.told_on(line)
        while len(told) < ENOUGH_PLIES and nodes > 0 and not stop.is_set():
            board = self._after(told)
            if terminal(board) is not None:
                break
            search = self._short_search()
            result = search.search(board, Limits(nodes=nodes), stop=stop)
            nodes -= max(result.nodes, 1)
            more = self._pushed(board, result.line)
            if not more:
                break
            # A search that its nodes end may have a new best move and no line for it yet: its hash has one.
            told = self._followed((*told, *more), search, ENOUGH_PLIES)
        return told

    def _followed(self, line: Line, search: DeepSearch, most: int) -> Line:
        """The line as table and hash go on, up to so many plies."""
        board = self._after(line)
        told = line
        while len(told) < most and terminal(board) is None:
            position = pack(board)
            name = self._by_table(position) or search.kept_move(position)
            more = self._pushed(board, [chess.Move.from_uci(name)] if name else [])
            if not more:
                break
            told = (*told, *more)
        return told

    def _by_table(self, position: PackedPosition) -> str | None:
        """The move that the position's value in the table comes from, or None if that is not known."""
        keys = {name: key_of(child) for name, child in children(position)}
        own = key_of(position)
        found = self._known.values([own, *keys.values()])
        replies = [(found[key], name) for name, key in keys.items() if key in found]
        if own not in found or not replies:
            return None
        value, name = min(replies)  # for the other side
        return name if abs(value + found[own]) <= _AS_MUCH else None

    def _after(self, line: Line) -> chess.Board:
        board = self._board.copy()
        for move in line:
            board.push(move)
        return board

    @staticmethod
    def _pushed(board: chess.Board, moves: Sequence[chess.Move]) -> Line:
        """The moves that were played on the board: none that repeats a position, and none after the end."""
        played: Line = ()
        for move in moves:
            if terminal(board) is not None:
                break
            board.push(move)
            if board.is_repetition(2):
                board.pop()
                break
            played = (*played, move)
        return played
