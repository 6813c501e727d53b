"""Heat for Python: input is checked here, the kernel counts where moves land, numpy divides."""

import operator
from typing import Any

import chess
import numpy as np
import numpy.typing as npt

from heatmap_engine.board.reading import BoardLike, describe, pack
from heatmap_engine.errors import InvalidPosition, shown
from heatmap_engine.kernel.board.landings import MAX_HEAT_DEPTH, count_landings
from heatmap_engine.kernel.board.packed import PackedPosition

Floats = npt.NDArray[np.float64]


class Heat(np.ndarray[Any, np.dtype[np.float64]]):
    """An array whose first index may be a colour of python-chess.

    Colours are bools, and numpy takes a bool in an index for a mask: `heat[chess.WHITE, chess.E4]` would
    fail, and `heat[chess.WHITE]` silently give another shape.
    """

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(_with_color(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(_with_color(index), value)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """What a sum or product becomes; numpy itself would wrap a single number as an array of no axes."""
        return array.view(Heat) if array.ndim else array[()]


def _with_color(index: Any) -> Any:
    if isinstance(index, (bool, np.bool_)):
        return int(index)
    if isinstance(index, tuple) and index and isinstance(index[0], (bool, np.bool_)):
        return (int(index[0]), *index[1:])
    return index


def heatmap(board: BoardLike, depth: int = 1) -> Heat:
    """The heat of both colours, float64 of shape (2, 64): `heat[chess.WHITE, chess.E4]`."""
    heat: Heat = heatmap_by_piece(board, depth).sum(axis=1).view(Heat)
    return heat


def heatmap_by_piece(board: BoardLike, depth: int = 1) -> Heat:
    """The heat by colour, piece type and square, of shape (2, 6, 64); pawns are piece 0, kings 5."""
    depth = checked_depth(depth, board)
    position = pack(board)
    heat = np.zeros((2, 6, 64)).view(Heat)
    for ply, counts in enumerate(discounted_landings(position, depth)):
        heat[mover_at(position, ply)] += counts
    return heat


def both_sides_heat(board: chess.Board) -> Heat:
    """How many moves land on each square by colour, each side as if it were to move.

    A side that gives check has none: its turn cannot come while the other king stands in check.
    """
    heat = heatmap(board, 0)
    if not board.is_check():
        passed = board.copy(stack=False)
        passed.push(chess.Move.null())
        heat += heatmap(passed, 0)
    return heat


def king_box(board: chess.Board, color: chess.Color) -> list[chess.Square]:
    """The square of the king and the squares next to it."""
    king = board.king(color)
    assert king is not None  # a checked board has both kings
    return list(chess.SquareSet(chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king]))


def discounted_landings(position: PackedPosition, depth: int) -> Floats:
    """What lands where, by ply, piece and square, divided by the moves of the ply before."""
    counts = np.zeros((depth + 1, 6, 64), dtype=np.int64)
    count_landings(position, counts)
    moves = counts.sum(axis=(1, 2))
    divisors = np.concatenate(([1], np.maximum(moves[:-1], 1)))
    discounted: Floats = counts / divisors[:, None, None]
    return discounted


def mover_at(position: PackedPosition, ply: int) -> int:
    """The colour that moves at a ply, as an index: White is 1."""
    return (ply + (0 if position.black else 1)) % 2


def checked_depth(depth: int, board: BoardLike | None = None) -> int:
    try:
        if not isinstance(depth, bool) and 0 <= operator.index(depth) <= MAX_HEAT_DEPTH:
            return operator.index(depth)
    except TypeError:
        pass
    where = f" (position {describe(board)})" if board is not None else ""
    raise InvalidPosition(f"depth must be an int from 0 to {MAX_HEAT_DEPTH}, got {shown(depth)}{where}")
