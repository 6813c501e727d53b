"""How long a player who is held back seems to think.

Its search is over in milliseconds. A person who plays against it would have no time to breathe, and a clock
nothing to do: so it waits, for as long as a person might. What it plays does not depend on that.
"""

from random import Random

import chess

# Nobody likes to wait for a weak player.
_MOST_S = 4.0

# With less than this for a move nobody pretends to think.
_LEAST_S = 0.03

# Of the time that is there for a move on average, the parts that moves take.
_FORCED = 0.05
_AT_ONCE = 0.25
_OPENING = 0.35
_USUAL = 0.7
_SPREAD = 0.4  # and so much of each, more or less
_OPENING_MOVES = 6


def thinking_time(board: chess.Board, move: chess.Move, available_s: float) -> float:
    """Seconds from the question to this answer; less than `available_s`, what the clock allows on average.

    The same position always takes the same time.
    """
    if available_s < _LEAST_S:
        return 0.0
    share = _share(board, move) * Random(board.fen()).uniform(1 - _SPREAD, 1 + _SPREAD)
    return share * min(available_s, _MOST_S)


def _share(board: chess.Board, move: chess.Move) -> float:
    if board.legal_moves.count() == 1:
        return _FORCED
    if board.move_stack and board.is_capture(move) and board.peek().to_square == move.to_square:
        return _AT_ONCE
    return _OPENING if board.fullmove_number <= _OPENING_MOVES else _USUAL
