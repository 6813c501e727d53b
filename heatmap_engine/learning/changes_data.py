"""What learning has changed as plain values for programs."""

from collections.abc import Callable, Sequence
from typing import Any

import chess

from heatmap_engine.board.breakdown import PatternPart
from heatmap_engine.learning.changes import Change, Changes

PatternsOf = Callable[[chess.Board], Sequence[PatternPart]]


def changes_as_data(found: Changes, table: str, patterns_of: PatternsOf) -> dict[str, Any]:
    """All of it, with what the table's patterns say of each position today."""
    return {
        "version": 1,
        "table": table,
        "games": found.games,
        "silent_games": found.silent_games,
        "positions": found.positions,
        "known_before": found.known_before,
        "mean_change": found.mean_change,
        "picks_changed": found.picks_changed,
        "other_picks": [_change_as_data(change, patterns_of) for change in found.other_picks],
        "greatest": [_change_as_data(change, patterns_of) for change in found.greatest],
    }


def _change_as_data(change: Change, patterns_of: PatternsOf) -> dict[str, Any]:
    board = change.board
    patterns = patterns_of(board)
    return {
        "fen": board.fen(),
        "line": [move.uci() for move in board.move_stack],
        "line_san": change.line,
        "old_value": change.old_value,
        "new_value": change.new_value,
        "old_pick": change.old_pick and change.old_pick.uci(),
        "new_pick": change.new_pick.uci(),
        "games": change.games,
        "game": change.game_id,
        **({"patterns": [part._asdict() for part in patterns]} if patterns else {}),
    }
