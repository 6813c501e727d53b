"""Searching a game's positions again with the deep search, the last one first.

At each position the search is told what the walk has just learned of the position that the game went on to,
and takes that for the truth. It judges all other moves by itself. So a move that lost stays the best one only
if the search finds no better one.
"""

import math
from collections.abc import Callable

import chess

from games.chess.record import GameRecord
from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.ends import ends_by_board
from heatmap_engine.board.history import without_history
from heatmap_engine.board.keys import key_of
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.entries import as_known, as_told, candidates_of, entries_of, entry_of
from heatmap_engine.deep.search import DeepResult, DeepSearch
from heatmap_engine.deep.settings import WON, DeepSettings, expected_points
from heatmap_engine.kernel.board.keys import key_of as kernel_key_of
from heatmap_engine.kernel.deep.search import MATE_VALUE, MAX_DEPTH
from heatmap_engine.kernel.deep.table_probe import TableProbe
from heatmap_engine.limits import Limits
from heatmap_engine.memory.results import believed, is_judged
from heatmap_engine.memory.views import View
from heatmap_engine.memory.walk import Judgement, Reanalysed
from qtable import Entry

# What a game has shown counts for so many plies more than were searched, see _depth().
_MOST_TRUST = 4
# A position is searched at most so many times as long as one where no game has been yet.
_MOST_TIMES = 16.0
# Plies around a position of which the walk's view is asked.
_PLIES_PROBED = 2
# A game is learned alike whatever hash its player had.
_HASH_MIB = 16


class DeepReanalysis:
    """Searches positions again, in one thread; later positions of a game are remembered for earlier ones."""

    results_choose = True

    def __init__(self, settings: DeepSettings) -> None:
        self.settings = settings
        self._search = DeepSearch(settings.weights, hash_mib=_HASH_MIB)

    def judge(
        self, board: chess.Board, record: GameRecord, view: View, keep_going: Callable[[int], None]
    ) -> Judgement:
        """By the board; by the result, as far as a search allows; or else what is known, or found."""
        self._search.clear()
        if ends_by_board(board):
            lost = MATE_VALUE if board.is_checkmate() else 0
            return Judgement(movers_view(board.turn, float(-lost)), MAX_DEPTH, "game")
        key = key_of(board)
        known = view.get_many([key]).get(key)
        may_believe = is_judged(board, record)
        if may_believe or known is None or known.source == "game":
            found = self._completed(
                without_history(board), self.settings.learning_nodes, lambda: None, keep_going
            )
            known = _entry_of_result(found)
        score = movers_view(board.turn, known.value)
        judged = believed(record, score, float(WON), expected_points) if may_believe else None
        if judged is not None:
            return Judgement(judged, known.depth, "game")
        return Judgement(score, known.depth, known.source)

    def think(
        self, board: chess.Board, played: chess.Move, view: View, keep_going: Callable[[int], None]
    ) -> Reanalysed:
        root = pack(board)
        probe = TableProbe(root, _PLIES_PROBED)
        entries = view.get_many(dict.fromkeys(probe.keys))
        known = as_known(entries)
        board.push(played)
        after = key_of(board)
        board.pop()
        key = kernel_key_of(root)
        learned, before = entries.get(after), entries.get(key)
        if learned is not None:
            known[after] = as_told(learned)[0], MAX_DEPTH

        def tell() -> None:
            self._search.put(probe, known)

        board = without_history(board)
        result = self._completed(board, self._nodes(before), tell, keep_going)
        found = entries_of(board, root, result, candidates_of(board, root, result, self._search, probe))
        goes_on = learned if result.move == played else None
        found[key] = entry_of(result.value, _depth(result, before, goes_on))
        return Reanalysed(movers_view(board.turn, float(result.value)), result.move, found)

    def _nodes(self, before: Entry | None) -> int:
        """Where many games have been more are to come: such a position is worth a longer search."""
        games = 0 if before is None else before.wins + before.draws + before.losses
        return round(self.settings.learning_nodes * min(math.sqrt(1 + games), _MOST_TIMES))

    def _completed(
        self, board: chess.Board, nodes: int, tell: Callable[[], None], keep_going: Callable[[int], None]
    ) -> DeepResult:
        """The deepest iteration that was finished within the nodes, or the first one.

        `tell` lets the search know what was learned, which holds for one search only.
        """
        finished: list[DeepResult] = []

        def heard(result: DeepResult) -> None:
            finished.append(result)
            keep_going(result.nodes)

        keep_going(0)
        tell()
        self._search.search(board, Limits(nodes=nodes), heard)
        if not finished:
            tell()
            return self._search.search(board, Limits(depth=1))
        return finished[-1]


def _depth(result: DeepResult, before: Entry | None, goes_on: Entry | None) -> int:
    """The depth that a value is recorded with, so that later searches of that depth or less take it.

    The walk knows all that earlier searches of the position knew, so its value is never recorded with less
    depth than theirs. Where the best line goes on as the game did, it rests on what was learned further on:
    it counts for one ply more than that does, up to `_MOST_TRUST` plies more than were searched here.
    """
    searched = max(result.depth, before.depth if before is not None else 0)
    if goes_on is None:
        return searched
    return max(before.depth if before is not None else 0, min(goes_on.depth + 1, searched + _MOST_TRUST))


def _entry_of_result(result: DeepResult) -> Entry:
    return entry_of(result.value, result.depth)
