"""Searching a game's positions again with the classic search, the last one first."""

import zlib
from collections.abc import Callable

import chess

from games.chess.record import GameRecord
from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.board.ends import ends_by_board
from heatmap_engine.board.keys import key_of
from heatmap_engine.board.reading import pack
from heatmap_engine.classic import scoring
from heatmap_engine.classic.entries import entries_of, entries_to_record
from heatmap_engine.classic.kept_trees import KeptTrees
from heatmap_engine.classic.patterns import pattern_table_of
from heatmap_engine.classic.search import SearchResult, search
from heatmap_engine.classic.settings import USEFUL, WON, ClassicSettings
from heatmap_engine.memory.results import believed, is_judged
from heatmap_engine.memory.views import View
from heatmap_engine.memory.walk import Judgement, Reanalysed, known_pick
from heatmap_engine.winning_chances import expected_points
from qtable import Entry


class ClassicReanalysis:
    """Searches positions again; positions further on in the game have the values that the walk recorded."""

    results_choose = False

    def __init__(self, settings: ClassicSettings, kept: KeptTrees | None = None) -> None:
        """`kept` has the trees of whoever has just played the games."""
        self.settings = settings
        self._kept = kept

    def judge(
        self, board: chess.Board, record: GameRecord, view: View, keep_going: Callable[[int], None]
    ) -> Judgement:
        """By the board; by the result, as far as a search allows; or else what is known.

        A draw by repetition or by fifty moves belongs to the game, not to the position, whose key has no
        history: the walk sees it on the board, and the table gets the position's own value.
        """
        settings = self.settings
        if ends_by_board(board):
            over = scoring.score(board, settings.heat_depth, settings.weights)
            return Judgement(over, settings.plies, "game")
        if is_judged(board, record):
            searched = self._search(board, view, keep_going).score
            judged = believed(record, searched, WON, expected_points)
            if judged is not None:
                return Judgement(judged, settings.plies, "game")
            return Judgement(searched, settings.plies, "search")
        known, _ = known_pick(board, view)
        if known is None:
            known = scoring.score(board.fen(), settings.heat_depth, settings.weights)
            if (patterns := pattern_table_of(view)) is not None:
                known += patterns.sum(pack(board))
        return Judgement(known, 0, "static")

    def think(
        self, board: chess.Board, played: chess.Move, view: View, keep_going: Callable[[int], None]
    ) -> Reanalysed:
        records_all = self.settings.record != USEFUL
        result = self._search(board, view, keep_going, with_all=records_all)
        root = key_of(board)
        own = Entry(movers_view(board.turn, result.score), self.settings.plies)
        recorded = {**entries_to_record(board, result, self.settings), root: own}
        passing = {} if records_all else entries_of(result)
        other = _another(result.candidates, played, root)
        return Reanalysed(result.score, result.candidates[0].move, recorded, passing, other)

    def _search(
        self, board: chess.Board, view: View, keep_going: Callable[[int], None], *, with_all: bool = False
    ) -> SearchResult:
        patterns = pattern_table_of(view)
        return search(
            board, self.settings, view, keep_going, with_all=with_all, patterns=patterns, kept=self._kept
        )


def _another(candidates: list[Candidate], played: chess.Move, key: str) -> tuple[chess.Move, float] | None:
    """Any other move with its value; the same one each time that the game is walked."""
    others = sorted((each for each in candidates if each.move != played), key=lambda each: each.move.uci())
    if not others:
        return None
    chosen = others[zlib.crc32(f"{key} {played.uci()}".encode()) % len(others)]
    return chosen.move, chosen.score
