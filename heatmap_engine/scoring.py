"""Heat and scores for Python: input is checked here, the kernel counts, numpy divides."""

import operator
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import chess
import numpy as np
import numpy.typing as npt

from heatmap_engine.errors import InvalidPosition, shown
from heatmap_engine.kernel import heat as kernel
from heatmap_engine.kernel.packed import PackedPosition
from heatmap_engine.kernel.perft import divide
from heatmap_engine.kernel.perft import perft as count_sequences
from heatmap_engine.positions import BoardLike, as_board, describe, pack
from heatmap_engine.weights import CMHM2, Weights

Floats = npt.NDArray[np.float64]

# The kernel's numbers for a state, in words; repetition is seen in the board's history, not by the kernel.
_STATES = (None, "checkmate", "stalemate", "insufficient material", "fifty moves")
REPETITION = "threefold repetition"
# The ends that come from the game before the position and not from its men.
BY_HISTORY = (_STATES[4], REPETITION)

# One call of the kernel scores this many boards without the GIL. With 64, two threads spend their time on
# handing the GIL over; from 256 on, docs/measurements.md shows no difference beyond the noise. Deep scores
# take long enough each, and between calls Ctrl-C stops all threads.
_CHUNK = 512
_DEEPEST_IN_CHUNKS = 2


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


@dataclass(frozen=True, slots=True)
class Side:
    """What one side's moves add to the score, by piece type, in heat units."""

    mobility: Mapping[chess.PieceType, float]
    pressure: Mapping[chess.PieceType, float]

    @property
    def total(self) -> float:
        return sum(self.mobility.values()) + sum(self.pressure.values())


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score and the parts that it is made of.

    While the game goes on, `score` is `white.total - black.total`. Where it is over, `terminal` says why
    and decides the score alone; the parts still say where the sides could move.
    """

    fen: str
    depth: int
    weights: str
    white: Side
    black: Side
    terminal: str | None
    score: float


def heatmap(board: BoardLike, depth: int = 1) -> Heat:
    """The heat of both colours, float64 of shape (2, 64): `heat[chess.WHITE, chess.E4]`."""
    heat: Heat = heatmap_by_piece(board, depth).sum(axis=1).view(Heat)
    return heat


def heatmap_by_piece(board: BoardLike, depth: int = 1) -> Heat:
    """The heat by colour, piece type and square, of shape (2, 6, 64); pawns are piece 0, kings 5."""
    depth = _checked_depth(depth, board)
    position = pack(board)
    heat = np.zeros((2, 6, 64)).view(Heat)
    for ply, counts in enumerate(_discounted(position, depth)):
        heat[_mover(position, ply)] += counts
    return heat


def score(board: BoardLike, depth: int = 1, weights: Weights = CMHM2) -> float:
    """White minus Black in heat units; a board with moves on its stack is over at its third occurrence."""
    depth = _checked_depth(depth, board)
    position = pack(board)
    if _is_repeated(board) and kernel.state(position) == 0:
        return 0.0
    return kernel.score(position, depth, _checked_weights(weights).table)


def score_many(
    boards: Iterable[BoardLike], depth: int = 1, weights: Weights = CMHM2, threads: int = 1
) -> Floats:
    """The scores of many boards in order, counted in `threads` threads at the same time."""
    try:
        todo = list(boards)
    except TypeError as error:
        raise InvalidPosition(f"expected many boards, such as a list of them: {error}") from error
    depth = _checked_depth(depth)
    table = _checked_weights(weights).table
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise InvalidPosition(f"threads must be an int of at least 1, got {shown(threads)}")
    scores = np.empty(len(todo))
    size = _CHUNK if depth <= _DEEPEST_IN_CHUNKS else 1

    def score_chunk(start: int) -> None:
        chunk = todo[start : start + size]
        positions = _pack_all(chunk, start)
        kernel.score_all(positions, depth, table, scores[start : start + len(chunk)])
        for i, board in enumerate(chunk):
            if _is_repeated(board) and kernel.state(positions[i]) == 0:
                scores[start + i] = 0.0

    starts = range(0, len(todo), size)
    workers = min(threads, len(starts))
    if workers <= 1:
        for start in starts:
            score_chunk(start)
    else:
        _share(score_chunk, starts, workers)
    return scores


def _share(score_chunk: Callable[[int], None], starts: range, workers: int) -> None:
    """Score every chunk, each thread taking the next one when it is done with one."""
    left = iter(starts)

    def take_chunks() -> None:
        for start in left:
            score_chunk(start)

    with ThreadPoolExecutor(workers) as pool:
        try:
            for worker in [pool.submit(take_chunks) for _ in range(workers)]:
                worker.result()
        finally:
            for _ in left:  # after an error or Ctrl-C the other threads find nothing more to do
                pass


def explain(board: BoardLike, depth: int = 1, weights: Weights = CMHM2) -> Explanation:
    """The score and what each piece type's mobility and pressure adds to it."""
    depth = _checked_depth(depth, board)
    weights = _checked_weights(weights)
    board = as_board(board)
    position = pack(board)
    mobility, pressure = np.zeros((2, 6)), np.zeros((2, 6))
    for ply, counts in enumerate(_discounted(position, depth)):
        mover = _mover(position, ply)
        their_box = king_box(board, not mover)
        mobility[mover] += counts.sum(axis=1) * weights.move[min(ply, len(weights.move) - 1)]
        pressure[mover] += counts[:, their_box].sum(axis=1) * weights.box[min(ply, len(weights.box) - 1)]
    return Explanation(
        fen=board.fen(),
        depth=depth,
        weights=weights.name,
        white=Side(_by_piece(mobility[1]), _by_piece(pressure[1])),
        black=Side(_by_piece(mobility[0]), _by_piece(pressure[0])),
        terminal=terminal(board),
        score=score(board, depth, weights),
    )


def perft(board: BoardLike, depth: int) -> int:
    """How many sequences of `depth` legal moves there are."""
    return count_sequences(pack(board), _checked_depth(depth, board))


def perft_divide(board: BoardLike, depth: int) -> dict[str, int]:
    """perft of `depth` for each legal move on its own, by its UCI name; `depth` is at least 1."""
    if _checked_depth(depth, board) == 0:
        raise InvalidPosition("expected a depth of at least 1 to divide by moves, got 0")
    return divide(pack(board), depth)


def terminal(board: BoardLike) -> str | None:
    """Why the game is over at this position, in words, or None."""
    state = state_in_words(pack(board))
    if state is None and _is_repeated(board):
        return REPETITION
    return state


def state_in_words(position: PackedPosition) -> str | None:
    """Why the game is over at this position, whatever came before it, or None."""
    return _STATES[kernel.state(position)]


def king_box(board: chess.Board, color: chess.Color) -> list[chess.Square]:
    """The square of the king and the squares next to it."""
    king = board.king(color)
    assert king is not None  # a checked board has both kings
    return list(chess.SquareSet(chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king]))


def _discounted(position: PackedPosition, depth: int) -> Floats:
    """What lands where, by ply, piece and square, divided by the moves of the ply before."""
    counts = np.zeros((depth + 1, 6, 64), dtype=np.int64)
    kernel.count_landings(position, counts)
    moves = counts.sum(axis=(1, 2))
    divisors = np.concatenate(([1], np.maximum(moves[:-1], 1)))
    discounted: Floats = counts / divisors[:, None, None]
    return discounted


def _mover(position: PackedPosition, ply: int) -> int:
    """The colour that moves at a ply, as an index: White is 1."""
    return (ply + (0 if position.black else 1)) % 2


def _by_piece(values: Floats) -> dict[chess.PieceType, float]:
    return {piece: float(value) for piece, value in zip(chess.PIECE_TYPES, values, strict=True)}


def _is_repeated(board: BoardLike) -> bool:
    """Whether the board's own history holds the position three times; cheap where it cannot."""
    if isinstance(board, str) or board.halfmove_clock < 8 or len(board.move_stack) < 8:
        return False
    returns = changed = 0
    for move in reversed(board.move_stack[-board.halfmove_clock :]):
        changed ^= chess.BB_SQUARES[move.from_square] ^ chess.BB_SQUARES[move.to_square]
        returns += changed == 0  # the same squares were occupied before this move
    # is_repetition() takes moves back and plays them again, which another thread must not see.
    return returns >= 2 and board.copy(stack=board.halfmove_clock).is_repetition(3)


def _pack_all(boards: list[BoardLike], first: int) -> list[PackedPosition]:
    """The packed boards; the error for a wrong one says its number, counted from `first`."""
    positions: list[PackedPosition] = []
    try:
        for board in boards:
            positions.append(pack(board))
    except InvalidPosition as error:
        raise InvalidPosition(f"board {first + len(positions)}: {error}") from error
    return positions


def _checked_depth(depth: int, board: BoardLike | None = None) -> int:
    try:
        if not isinstance(depth, bool) and 0 <= operator.index(depth) <= kernel.DEEPEST:
            return operator.index(depth)
    except TypeError:
        pass
    where = f" (position {describe(board)})" if board is not None else ""
    raise InvalidPosition(f"depth must be an int from 0 to {kernel.DEEPEST}, got {shown(depth)}{where}")


def _checked_weights(weights: Weights) -> Weights:
    if not isinstance(weights, Weights):
        raise InvalidPosition(f"weights must be he.Weights, such as he.CMHM2, got {shown(weights)}")
    return weights
