"""Which squares of a board are marked."""

import chess


def left_and_reached(before: chess.Board, move: chess.Move) -> tuple[chess.Square, chess.Square]:
    """The square that a piece leaves, and where it lands: Chess960 names castling by the rook's square."""
    if not before.is_castling(move):
        return move.from_square, move.to_square
    file = chess.FILE_NAMES.index("c" if before.is_queenside_castling(move) else "g")
    return move.from_square, chess.square(file, chess.square_rank(move.from_square))
