"""Counting sequences of legal moves: the proof that the moves are right."""

from heatmap_engine.board.heat import checked_depth
from heatmap_engine.board.reading import BoardLike, pack
from heatmap_engine.errors import InvalidPosition
from heatmap_engine.kernel.board.perft import divide
from heatmap_engine.kernel.board.perft import perft as count_sequences


def perft(board: BoardLike, depth: int) -> int:
    """How many sequences of `depth` legal moves there are."""
    return count_sequences(pack(board), checked_depth(depth, board))


def perft_divide(board: BoardLike, depth: int) -> dict[str, int]:
    """perft of `depth` for each legal move on its own, by its UCI name; `depth` is at least 1."""
    if checked_depth(depth, board) == 0:
        raise InvalidPosition("expected a depth of at least 1 to divide by moves, got 0")
    return divide(pack(board), depth)
