"""How a mode judges the moves of a game: it thinks about each position, and remembers what came later."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import chess

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.board.ends import terminal
from heatmap_engine.board.reading import pack
from heatmap_engine.engines.mode import Mode
from heatmap_engine.engines.pick import Pick
from heatmap_engine.engines.thinker import SearchRequest, Thinker
from heatmap_engine.limits import Limits
from heatmap_engine.memory.views import EntrySource
from heatmap_engine.reports.annotation import Annotation, Setting, annotation_of
from heatmap_engine.reports.why import Verdict
from heatmap_engine.stop import Stop

# For each position: the same annotation each time, and a game of 80 plies in some seconds.
_LIMITS = Limits(nodes=100_000)
# A better line of fewer plies says little. What follows it costs some milliseconds.
_LEAST_PLIES = 6
_LIMITS_TO_TELL = Limits(nodes=5_000)


@dataclass(frozen=True, slots=True)
class GameSearch:
    """Says of one position after the other what is best there; the thinker keeps what it finds."""

    thinker: Thinker
    known: EntrySource | None
    limits: Limits
    stop: Stop

    def __call__(self, board: chess.Board) -> Verdict:
        pick = self._pick(board, self.limits)
        best = replace(pick.best, line=self._told_on(board, pick.best))
        return Verdict(candidate=best, depth=pick.depth, nodes=pick.nodes, rank=1)

    def _pick(self, board: chess.Board, limits: Limits) -> Pick:
        request = SearchRequest(
            board=board,
            root=pack(board),
            limits=limits,
            known=self.known,
            stop=self.stop,
            asks_tablebases=False,
        )
        return self.thinker.think(request).pick

    def _told_on(self, board: chess.Board, best: Candidate) -> tuple[chess.Move, ...]:
        """The line; where it ends at a value that was remembered from a later move, short searches go on."""
        line, after = best.line, board.copy()
        for move in line:
            after.push(move)
        while len(line) < _LEAST_PLIES and best.mate_in is None and terminal(after) is None:
            more = self._pick(after, _LIMITS_TO_TELL).line
            for move in more:
                after.push(move)
            line += more
        return line


def annotated(
    board: chess.Board,
    search: GameSearch,
    mode: Mode,
    settings: Any,
    table: str | None,
    keep_going: Callable[[int], bool],
) -> Annotation:
    """The game on the board's stack, judged within the search's limits, or within the usual ones."""
    if search.limits == Limits() and mode.plays_by_nodes:
        search = replace(search, limits=_LIMITS)
    setting = Setting(search, mode.breakdown(settings, search.known), mode.unit, settings.weights_name, table)
    return annotation_of(board, setting, lambda done: keep_going(done) and not search.stop.is_set())
