"""What the classic search would find without a table, or without the reply that it expects."""

from collections.abc import Callable
from dataclasses import replace

import chess

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.classic.patterns import pattern_table_of
from heatmap_engine.classic.search import search
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.memory.views import EntrySource

KeepGoing = Callable[[int], None]


def without_table(
    board: chess.Board, settings: ClassicSettings, keep_going: KeepGoing
) -> dict[chess.Move, float]:
    """The score of every move, found without any table."""
    return {
        found.move: found.score
        for found in search(board, settings, None, keep_going, with_all=False).candidates
    }


def next_reply(
    board: chess.Board,
    candidate: Candidate,
    settings: ClassicSettings,
    table: EntrySource | None,
    keep_going: KeepGoing,
) -> Candidate | None:
    """What would be answered instead of the reply that is expected; None if there is nothing else."""
    if candidate.reply is None or settings.plies < 2:
        return None
    after = board.copy()
    after.push(candidate.move)
    replies = search(
        after,
        replace(settings, plies=settings.plies - 1),
        table,
        keep_going,
        with_all=False,
        patterns=pattern_table_of(table),
    ).candidates
    return next((reply for reply in replies if reply.move != candidate.reply), None)
