"""What a person looks at before counting: which moves come to mind, and which look natural.

Nothing here knows whether a move is good. It makes a level that sees little play like a learner: pieces come
out, the king castles, and neither pawns at the edge nor the queen go for a walk at move three.
"""

from random import Random

import chess

# Of the share of replies that a level overlooks, so much of its own moves does not come to its mind.
_NATURAL_UNSEEN = 0.12
_OTHER_UNSEEN = 0.45

# In temperatures of the level, added to what the search says while the pieces are not out: a move that looks
# worse by 1 is played 1/e times as often.
_CASTLES = 1.5
_BRINGS_OUT = 1.0
_CENTRAL_PAWN = 1.0
_TWICE = -0.8
_KING_WALK = -2.5
_PAWN_AT_EDGE = -2.5
_OTHER_PAWN = -0.5
_EARLY_ROOK = -1.5
_EARLY_QUEEN = -1.0

_OPENING_MOVES = 14
_CENTRE_FILES = chess.BB_FILES[3] | chess.BB_FILES[4]
_EDGE_FILES = chess.BB_FILES[0] | chess.BB_FILES[7]


def considered(
    board: chess.Board, moves: list[chess.Move], oversight: float, source: Random
) -> list[chess.Move]:
    """The moves of these that come to mind; all of them in check, and where none did."""
    if board.is_check() or not oversight:
        return moves
    seen = [move for move in moves if source.random() >= oversight * _unseen(board, move)]
    return seen or moves


def _unseen(board: chess.Board, move: chess.Move) -> float:
    is_forcing = board.is_capture(move) or move.promotion or board.gives_check(move)
    return _NATURAL_UNSEEN if is_forcing or naturalness(board, move) > 0 else _OTHER_UNSEEN


def naturalness(board: chess.Board, move: chess.Move) -> float:
    """What looks add to a move of the opening, in temperatures; 0 for captures and once pieces are out."""
    if board.fullmove_number > _OPENING_MOVES or board.is_capture(move) or not _at_home(board):
        return 0
    if board.is_castling(move):
        return _CASTLES
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    match board.piece_type_at(move.from_square):
        case chess.PAWN:
            if target & _EDGE_FILES:
                return _PAWN_AT_EDGE
            return _CENTRAL_PAWN if target & _CENTRE_FILES else _OTHER_PAWN
        case chess.KNIGHT | chess.BISHOP:
            if target & (_EDGE_FILES | _home_rank(board)):
                return _TWICE
            return _BRINGS_OUT if origin & _home_rank(board) else _TWICE
        case chess.ROOK:
            return _EARLY_ROOK
        case chess.QUEEN:
            return _EARLY_QUEEN
        case _:
            return _KING_WALK


def _home_rank(board: chess.Board) -> int:
    return chess.BB_RANK_1 if board.turn == chess.WHITE else chess.BB_RANK_8


def _at_home(board: chess.Board) -> bool:
    """Whether a knight or a bishop of the side to move still stands on its first rank."""
    return bool(board.occupied_co[board.turn] & (board.knights | board.bishops) & _home_rank(board))
