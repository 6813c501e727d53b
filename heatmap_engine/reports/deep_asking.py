"""Asking the deep search about a move: it is searched by itself, and so is the best one."""

from dataclasses import dataclass, replace

import chess

from heatmap_engine import scoring
from heatmap_engine.deep import DeepLimits, DeepResult, DeepSearch
from heatmap_engine.errors import InvalidMove
from heatmap_engine.heat_weights import DeepWeights
from heatmap_engine.kernel.deep import MATE_VALUE
from heatmap_engine.positions import BoardLike, as_board
from heatmap_engine.reports.deep_why import DeepWhy, deep_why


@dataclass(frozen=True, slots=True)
class DeepAnswer:
    """What was asked about, and the best move, which may be the same."""

    asked: DeepWhy
    best: DeepWhy

    @property
    def is_best(self) -> bool:
        return self.asked.move == self.best.move


def ask_why(
    search: DeepSearch,
    weights: DeepWeights,
    board: BoardLike,
    limits: DeepLimits,
    move: chess.Move | None = None,
) -> DeepAnswer:
    """Why the best move is wanted and, if `move` is another one, what that leads to.

    `search` must have been made with `weights`. Raises InvalidMove and GameOver.
    """
    board = as_board(board)
    if move is not None and not board.is_legal(move):
        raise InvalidMove(f"{move.uci()} is not a legal move in {board.fen()}")
    found = search.search(board, limits)
    best = deep_why(board, found, weights)
    if move is None or move == found.move:
        return DeepAnswer(best, best)
    return DeepAnswer(deep_why(board, _after(search, board, move, limits), weights), best)


def _after(search: DeepSearch, board: chess.Board, move: chess.Move, limits: DeepLimits) -> DeepResult:
    """What one move leads to: the position after it, searched a ply less deep."""
    after = board.copy()
    after.push(move)
    over = scoring.terminal(after)
    if over is not None:
        value = MATE_VALUE - 1 if over == "checkmate" else 0
        return DeepResult(move, value, 0, 0, 0, 0.0, (move,))
    found = search.search(after, replace(limits, depth=max(limits.depth - 1, 1)))
    return replace(
        found,
        move=move,
        value=_a_ply_before(found),
        depth=found.depth + 1,
        deepest=found.deepest + 1,
        line=(move, *found.line),
    )


def _a_ply_before(found: DeepResult) -> int:
    """The value for the other side; a mate is one ply farther away."""
    if found.mate_in is None:
        return -found.value
    return -found.value + (1 if found.value > 0 else -1)
