"""How games end: by the rules at a position, and by what came before it."""

import chess

from heatmap_engine.board.reading import BoardLike, pack
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.board.rules import state

# The kernel's numbers for a state, in words.
_STATES = (None, "checkmate", "stalemate", "insufficient material", "fifty moves", "threefold repetition")
REPETITION = _STATES[5]
# The ends that come from the game before the position and not from its pieces.
BY_HISTORY = _STATES[4:]


def terminal(board: BoardLike) -> str | None:
    """Why the game is over at this position, in words, or None."""
    found = end_of(pack(board))
    return REPETITION if found is None and is_third_occurrence(board) else found


def end_of(position: PackedPosition, history: list[PackedPosition] | None = None) -> str | None:
    """Why the game is over at this position, after `history` if any is given, or None."""
    return _STATES[state(position, history or [])]


def ends_by_board(board: chess.Board) -> bool:
    """Whether the game is over here, whatever came before."""
    return terminal(board) not in (None, *BY_HISTORY)


def how_it_ended(board: chess.Board) -> str | None:
    """The result and its reason in words, such as "1-0, checkmate", or None while the game goes on."""
    reason = terminal(board)
    if reason is None:
        return None
    result = board.result() if reason == "checkmate" else "1/2-1/2"
    return f"{result}, {reason}"


def is_third_occurrence(board: BoardLike) -> bool:
    """Whether the position has occurred three times in the board's history; quick where it cannot have."""
    if isinstance(board, str) or board.halfmove_clock < 8 or len(board.move_stack) < 8:
        return False
    returns = changed = 0
    for move in reversed(board.move_stack[-board.halfmove_clock :]):
        changed ^= chess.BB_SQUARES[move.from_square] ^ chess.BB_SQUARES[move.to_square]
        returns += changed == 0  # the same squares were occupied before this move
    # is_repetition() takes moves back and plays them again, which another thread must not see.
    return returns >= 2 and board.copy(stack=board.halfmove_clock).is_repetition(3)
