"""Scores for Python: input is checked here, the kernel counts, numpy divides."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import chess
import numpy as np

from heatmap_engine.board.ends import end_of, is_third_occurrence, terminal
from heatmap_engine.board.heat import Floats, checked_depth, discounted_landings, king_box, mover_at
from heatmap_engine.board.reading import BoardLike, as_board, pack
from heatmap_engine.classic.weights import CMHM2, Weights
from heatmap_engine.errors import InvalidPosition, shown
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.classic import heat as kernel

# One call of the kernel scores this many boards without the GIL. With 64, two threads spend their time on
# handing the GIL over; from 256 on, no difference beyond the noise was measured. Scores of more depth take
# long enough each, and between calls Ctrl-C stops all threads.
_CHUNK = 512
_DEEPEST_IN_CHUNKS = 2


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


def score(board: BoardLike, depth: int = 1, weights: Weights = CMHM2) -> float:
    """White minus Black in heat units; a board with moves on its stack is over at its third occurrence."""
    depth = checked_depth(depth, board)
    position = pack(board)
    if is_third_occurrence(board) and end_of(position) is None:
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
    depth = checked_depth(depth)
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
            if is_third_occurrence(board) and end_of(positions[i]) is None:
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
    depth = checked_depth(depth, board)
    weights = _checked_weights(weights)
    board = as_board(board)
    position = pack(board)
    mobility, pressure = np.zeros((2, 6)), np.zeros((2, 6))
    for ply, counts in enumerate(discounted_landings(position, depth)):
        mover = mover_at(position, ply)
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


def _by_piece(values: Floats) -> dict[chess.PieceType, float]:
    return {piece: float(value) for piece, value in zip(chess.PIECE_TYPES, values, strict=True)}


def _pack_all(boards: list[BoardLike], first: int) -> list[PackedPosition]:
    """The packed boards; the error for a wrong one says its number, counted from `first`."""
    positions: list[PackedPosition] = []
    try:
        for board in boards:
            positions.append(pack(board))
    except InvalidPosition as error:
        raise InvalidPosition(f"board {first + len(positions)}: {error}") from error
    return positions


def _checked_weights(weights: Weights) -> Weights:
    if not isinstance(weights, Weights):
        raise InvalidPosition(f"weights must be he.Weights, such as he.CMHM2, got {shown(weights)}")
    return weights
