"""Turns finished games of any form into the record that learning works on."""

from dataclasses import replace

import chess
import chess.pgn

from games.chess.errors import InvalidGame
from games.chess.record import RESULTS, GameRecord
from heatmap_engine.board.ends import terminal


def as_record(game: chess.Board | chess.pgn.Game | GameRecord, result: str | None = None) -> GameRecord:
    """The game with `result` as its result; without one, the result is what the game or its board says."""
    if result is not None and result not in RESULTS:
        raise InvalidGame(f"expected a result of {', '.join(RESULTS)}, got {result!r:.80}")
    if isinstance(game, chess.Board):
        return _from_board(game, result)
    record = GameRecord.from_game(game) if isinstance(game, chess.pgn.Game) else game
    if not isinstance(record, GameRecord):
        raise InvalidGame(f"expected a chess.Board, a chess.pgn.Game or a GameRecord, got {game!r:.80}")
    if result is None and record.result == "*":
        result = _result_shown(record.board())
    return record if result is None else replace(record, result=result)


def _result_shown(board: chess.Board) -> str:
    """The result that the board shows; a game put together move by move has none in its headers."""
    end = terminal(board)
    if end is None:
        return "*"
    return board.result() if end == "checkmate" else "1/2-1/2"


def _from_board(board: chess.Board, result: str | None) -> GameRecord:
    end = terminal(board)
    if end is None:
        return GameRecord.from_board(
            board, result=result or "*", termination="adjudication" if result else ""
        )
    shown = _result_shown(board)
    if result not in (None, shown):
        raise InvalidGame(f"expected {shown}, as the board shows a {end}, got {result} ({board.fen()})")
    return GameRecord.from_board(board, result=shown, termination=end)
