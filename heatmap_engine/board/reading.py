"""Positions from outside: parsed and checked here, so that the kernel never has to.

Everything that takes a `board` takes a `chess.Board`, a FEN or EPD, or "startpos". A text is a position of
Chess960 where its castling rights are possible in Chess960 only; a board says so itself, by its `chess960`.
"""

from typing import TypeAlias

import chess

from heatmap_engine.errors import InvalidPosition
from heatmap_engine.kernel.board.packed import PackedPosition

BoardLike: TypeAlias = chess.Board | str

_STATUS_WORDS = {
    chess.STATUS_EMPTY: "the board is empty",
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "a side has more than one king",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "White has more than eight pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "Black has more than eight pawns",
    chess.STATUS_PAWNS_ON_BACKRANK: "there is a pawn on the first or last rank",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "White has more than sixteen pieces",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "Black has more than sixteen pieces",
    chess.STATUS_BAD_CASTLING_RIGHTS: "a castling right is given where king or rook have left their squares",
    chess.STATUS_INVALID_EP_SQUARE: "no pawn can just have passed over the en passant square",
    chess.STATUS_OPPOSITE_CHECK: "the side not to move is in check",
    chess.STATUS_TOO_MANY_CHECKERS: "the king is in check from more pieces than one move can bring about",
    chess.STATUS_IMPOSSIBLE_CHECK: "the king is in a check that no move can bring about",
}


def parse_board(text: str) -> chess.Board:
    """The board that a FEN, an EPD or "startpos" describes, legal or not."""
    board = chess.Board()
    if text.strip() == "startpos":
        return board
    words = text.split()
    try:
        if len(words) > 4 and not words[4].isdigit():
            board.set_epd(text)
        else:
            board.set_fen(text.strip())
    except ValueError as error:
        reason = str(error).partition(": ")[0][:200]
        raise InvalidPosition(f"expected a FEN, an EPD or 'startpos', got {text!r:.120}: {reason}") from error
    board.chess960 = board.has_chess960_castling_rights()
    return board


def as_board(board: BoardLike) -> chess.Board:
    """The board itself, or the one that a text describes; a legal position either way."""
    return board_and_root(board)[0]


def board_and_root(board: BoardLike) -> tuple[chess.Board, PackedPosition]:
    """The same, and the position for the kernel."""
    if isinstance(board, str):
        board = parse_board(board)
    return board, pack(board)


def pack(board: BoardLike) -> PackedPosition:
    """The position for the kernel; raises InvalidPosition unless it is a legal one of chess or Chess960."""
    given = board
    if isinstance(board, str):
        board = parse_board(board)
    if type(board) is not chess.Board:
        _check_variant(board)
    try:
        position = PackedPosition(board)
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise InvalidPosition(f"the board holds values that no chess board has: {error}") from error
    if not position.plain:
        _check_status(board, given)
    return position


def _check_variant(board: chess.Board) -> None:
    if getattr(board, "uci_variant", None) != "chess":
        variant = getattr(board, "uci_variant", None) or type(board).__name__
        raise InvalidPosition(
            f"expected a chess.Board of standard chess, a FEN or 'startpos', got {variant!r:.80}"
        )


def _check_status(board: chess.Board, given: BoardLike) -> None:
    """Raise InvalidPosition in words, if anything is wrong with the board.

    `given` names it: a board's FEN leaves out what is impossible, which is often what is wrong.
    """
    faults = _faults(board)
    if faults:
        raise InvalidPosition(f"not a legal position: {'; '.join(faults)} ({describe(given)})")


def _faults(board: chess.Board) -> list[str]:
    if not _is_consistent(board):  # which status() takes for granted
        return ["the board's sets of pieces contradict each other"]
    status = board.status()
    if (
        status & chess.STATUS_BAD_CASTLING_RIGHTS
        and board.has_chess960_castling_rights()
        and not board.chess960
    ):
        return ["castling is possible as in Chess960 only, which needs chess.Board(..., chess960=True)"]
    return [words for flag, words in _STATUS_WORDS.items() if status & flag]


def _is_consistent(board: chess.Board) -> bool:
    """Whether every piece is of one type and one colour."""
    black, white = board.occupied_co
    seen = 0
    for pieces in (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings):
        if seen & pieces:
            return False
        seen |= pieces
    return seen == board.occupied == white | black and not white & black


def describe(board: BoardLike) -> str:
    """The board's FEN, or what can be said where it has none; for error messages."""
    if isinstance(board, str):
        return f"{board!r:.120}"  # on one line, whatever is in it
    try:
        return board.fen(en_passant="fen")
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return f"a {type(board).__name__} that makes no FEN"
