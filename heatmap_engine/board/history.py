"""What came before a position in its own game."""

import chess

from heatmap_engine.kernel.board.packed import PackedPosition


def game_history(board: chess.Board) -> list[PackedPosition]:
    """The earlier positions of the board's game that may still occur again."""
    reversible = min(board.halfmove_clock, len(board.move_stack))
    if not reversible:
        return []
    earlier = board.copy(stack=reversible)
    positions = []
    for _ in range(reversible):
        earlier.pop()
        positions.append(PackedPosition(earlier))
    return positions[::-1]


def is_repeating(board: chess.Board) -> bool:
    """Whether the game has been at this position before. A table knows nothing of such a history."""
    clock = min(board.halfmove_clock, len(board.move_stack))
    # On a copy: the question takes moves back, which another thread must not see.
    return clock >= 4 and board.copy(stack=clock).is_repetition(2)


def without_history(board: chess.Board) -> chess.Board:
    """The position without its game, to which draws by repetition and by fifty moves belong."""
    alone = board.copy(stack=False)
    alone.halfmove_clock = 0
    return alone
