"""Moves as people type them: SAN or UCI, with what they copy along from books and other programs."""

import re
from collections.abc import Iterable, Iterator
from itertools import filterfalse

import chess

from heatmap_engine.board.reading import as_board
from heatmap_engine.errors import InvalidMove

_MOVE_NUMBER = re.compile(r"^\d+\.+")
_REMARKS = re.compile(r"(?<=\w)(?:[+#]?[!?]+|e\.p\.)$")


def parse_move(board: chess.Board, text: str) -> chess.Move:
    """The legal move that a text means; raises InvalidMove, which says why it means none, but not where."""
    asked = _REMARKS.sub("", _MOVE_NUMBER.sub("", text.strip()))
    reason = "is not a legal move"
    for spelling in dict.fromkeys(_spellings(asked)):
        try:
            move = board.parse_san(spelling)
        except chess.AmbiguousMoveError:
            reason = "is more than one move"
        except chess.IllegalMoveError:
            if _lacks_promotion(board, spelling):
                reason = f"must say what the pawn becomes, as in {asked}q"
        except chess.InvalidMoveError:
            continue
        else:
            if move:
                return move
    raise InvalidMove(f"{text!r:.40} {reason}")


def push_moves(board: chess.Board, words: Iterable[str]) -> None:
    """Play moves on the board; move numbers among them are passed over."""
    for number, word in enumerate(filterfalse(_MOVE_NUMBER.fullmatch, words), start=1):
        try:
            move = parse_move(board, word)
        except InvalidMove as error:
            raise InvalidMove(f"move {number}: {error} in {board.fen()}") from error
        board.push(move)


def board_after(fen: str, moves: str) -> chess.Board:
    """The position after some moves, which are its history."""
    board = as_board(fen).copy()
    push_moves(board, moves.split())
    return board


def _spellings(text: str) -> Iterator[str]:
    """The text as it is, castling in capitals, and a piece in a capital: `bc4` may still be a pawn's move."""
    if text and set(text.lower()) <= set("o0-"):
        yield text.upper()
    yield text
    yield text[:1].upper() + text[1:]
    if text.isupper():  # and not `Bxc3`, which must not become the pawn's move
        yield text.lower()


def _lacks_promotion(board: chess.Board, text: str) -> bool:
    try:
        return bool(board.parse_san(f"{text}q").promotion)
    except ValueError:
        return False
