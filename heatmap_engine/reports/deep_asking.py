"""Asking the deep search about a move: it is searched by itself, and so is the best one."""

from dataclasses import dataclass

import chess

from heatmap_engine.deep import DeepLimits, DeepSearch
from heatmap_engine.errors import InvalidMove
from heatmap_engine.heat_weights import DeepWeights
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
    return DeepAnswer(deep_why(board, search.search(board, limits, moves=(move,)), weights), best)
