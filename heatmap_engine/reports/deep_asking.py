"""Asking the deep search about a move: it is searched by itself, and so is the best one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import chess

from heatmap_engine.board.reading import BoardLike, as_board
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.errors import InvalidMove
from heatmap_engine.reports.deep_why import DeepWhy, Found, deep_why

# Searches a position, or of its moves those that are named.
Find = Callable[[chess.Board, Sequence[chess.Move]], Found]


@dataclass(frozen=True, slots=True)
class DeepAnswer:
    """What was asked about, and the best move, which may be the same."""

    asked: DeepWhy
    best: DeepWhy

    @property
    def is_best(self) -> bool:
        return self.asked.move == self.best.move


def ask_why(find: Find, weights: DeepWeights, board: BoardLike, move: chess.Move | None = None) -> DeepAnswer:
    """Why the best move is wanted and, if `move` is another one, what that leads to.

    `find` must search with `weights`. Raises InvalidMove, and what `find` raises.
    """
    board = as_board(board)
    if move is not None and not board.is_legal(move):
        raise InvalidMove(f"{move.uci()} is not a legal move in {board.fen()}")
    best = deep_why(board, find(board, ()), weights)
    if move is None or move == best.move:
        return DeepAnswer(best, best)
    return DeepAnswer(deep_why(board, find(board, (move,)), weights), best)
