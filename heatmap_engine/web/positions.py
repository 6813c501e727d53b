"""A position as the page draws it: pieces, legal moves and what they lead to. The page computes no chess."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import chess

from games.chess.opening_names import opening_of
from heatmap_engine.board.ends import how_it_ended, terminal
from heatmap_engine.board.heat import heatmap_by_piece, king_box
from heatmap_engine.board.reading import as_board, parse_board
from heatmap_engine.drawing.squares import left_and_reached
from heatmap_engine.errors import InvalidMove, InvalidPosition, shown

Data = dict[str, Any]

# A page steps to and fro: so many boards are kept.
_KEPT = 16
_DECIMALS = 3


class Boards:
    """Boards by start and moves; what one move before is known is not played from the start again."""

    def __init__(self) -> None:
        self._boards: OrderedDict[tuple[str | None, tuple[str, ...]], chess.Board] = OrderedDict()

    def at(self, start: str | None, moves: tuple[str, ...]) -> chess.Board:
        """A board of one's own, with the moves on its stack; raises InvalidPosition or InvalidMove."""
        known = self._boards.get((start, moves))
        if known is None:
            before = self._boards.get((start, moves[:-1])) if moves else None
            known = _start(start) if before is None else before.copy()
            for text in moves[-1:] if before is not None else moves:
                known.push(legal_move(known, text))
            self._boards[start, moves] = known
            while len(self._boards) > _KEPT:
                self._boards.popitem(last=False)
        return known.copy()


def _start(fen: str | None) -> chess.Board:
    if fen is None:
        return chess.Board()
    board = as_board(parse_board(fen))
    if not fen.strip():
        raise InvalidPosition("expected a FEN, got nothing")
    return board


def legal_move(board: chess.Board, text: str) -> chess.Move:
    """The move of UCI text; raises InvalidMove."""
    try:
        return board.parse_uci(text)
    except ValueError:
        raise InvalidMove(f"expected a legal move such as e2e4 in {board.fen()}, got {shown(text)}") from None


def position_data(board: chess.Board) -> Data:
    """Everything that is drawn of a position; squares are numbers from a1 = 0 to h8 = 63."""
    over = terminal(board)
    opening = opening_of(board)
    return {
        "fen": board.fen(),
        "placement": board.board_fen(),
        "turn": chess.COLOR_NAMES[board.turn],
        "number": board.fullmove_number,
        "check": board.king(board.turn) if board.is_check() else None,
        "over": how_it_ended(board),
        "result": "*" if over is None else board.result() if over == "checkmate" else "1/2-1/2",
        "last": _last(board),
        "legal": [] if over is not None else [_move_data(board, move) for move in board.legal_moves],
        "opening": None if opening is None else str(opening),
        "boxes": boxes_data(board),
    }


def _last(board: chess.Board) -> list[chess.Square] | None:
    if not board.move_stack:
        return None
    before = board.copy()
    move = before.pop()
    return [*left_and_reached(before, move)] if move else None


def _move_data(board: chess.Board, move: chess.Move) -> list[Any]:
    """UCI text, name, from, to, and the pieces after it: an engine's page should not wait to show a move."""
    after = board.copy(stack=False)
    after.push(move)
    return [move.uci(), board.san(move), move.from_square, move.to_square, after.board_fen()]


def boxes_data(board: chess.Board) -> Data:
    return {chess.COLOR_NAMES[color]: king_box(board, color) for color in chess.COLORS}


def line_data(board: chess.Board) -> list[list[str]]:
    """UCI text and name of all moves on the stack."""
    return [[move.uci(), name] for move, name in named(board.root(), board.move_stack)]


def named(board: chess.Board, moves: Sequence[chess.Move]) -> Iterator[tuple[chess.Move, str]]:
    """Moves that follow each other, with their names."""
    board = board.copy(stack=False)
    for move in moves:
        yield move, board.san(move)
        board.push(move)


def moves_data(board: chess.Board, moves: Sequence[chess.Move]) -> list[list[str]]:
    return [[move.uci(), name] for move, name in named(board, moves)]


def heat_data(board: chess.Board, depth: int) -> Data:
    """The heat of each colour by kind of piece (pawns first) and square."""
    heat = heatmap_by_piece(board, depth)
    return {
        "depth": depth,
        "boxes": boxes_data(board),
        **{chess.COLOR_NAMES[color]: heat[color].round(_DECIMALS).tolist() for color in chess.COLORS},
    }
