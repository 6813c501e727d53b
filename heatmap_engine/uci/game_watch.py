"""Which game is being played, and when it ends: UCI tells neither, so it is inferred from what comes.

A game counts if the engine was asked for a move in it, with a limit as in play. The next position must go on
from the last one; one that does not (a take-back, a jump) begins another game, and the old one is nobody's.
"""

import threading
from datetime import UTC, datetime

import chess

from games.chess.record import GameRecord
from heatmap_engine.board.ends import terminal
from heatmap_engine.memory.finished_game import as_record

# Fewer plies of an unfinished game say nothing worth learning.
_LEAST_UNFINISHED = 10
# After a jump the GUI may be looking at games rather than playing one: then one answer is not a game yet.
_LEAST_ANSWERS_AFTER_JUMP = 2


class GameWatch:
    """What is seen of the game that is played; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.opponent = ""
        self._has_jumped = False
        self._forget()

    def _forget(self) -> None:
        self._board: chess.Board | None = None
        self._answers: list[chess.Color] = []
        self._is_over = False

    def asks_for_move(self, board: chess.Board) -> None:
        """The GUI wants a move to play at this position."""
        with self._lock:
            self._follow(board)

    def shows(self, board: chess.Board) -> GameRecord | None:
        """The GUI shows this position; the game, if it is the one played and this is its end."""
        with self._lock:
            if self._board is None or not goes_on(self._board, board):
                return None
            if terminal(board) is None:
                return None
            self._follow(board)
            return self._ended()

    def answers(self, board: chess.Board, move: chess.Move) -> GameRecord | None:
        """The engine plays this move at a position that it was asked for; the game, if that ends it."""
        with self._lock:
            if self._board is None or not is_same_game(self._board, board):
                return None  # another game has begun meanwhile, or another position was shown
            self._answers.append(board.turn)
            self._board.push(move)
            return self._ended() if terminal(self._board) is not None else None

    def ends(self, result: str | None = None, termination: str = "adjudication") -> GameRecord | None:
        """The game is given up here, as one without a result unless one is given; None if it is no game.

        Raises InvalidGame for a result that the board contradicts; the game then goes on.
        """
        with self._lock:
            if self._board is None or self._is_over or not self._is_worth_learning(result):
                if result is None:
                    self._forget()
                return None
            record = self._record(result, termination)
            if result is None:
                self._forget()
            self._is_over = True
            return record

    def new_game(self) -> None:
        """Whatever was seen belongs to other games."""
        with self._lock:
            self._forget()
            self._has_jumped = False

    def forget(self) -> None:
        """The game that is played now will not be learned, however it goes on."""
        with self._lock:
            self._is_over = True

    def _is_worth_learning(self, result: str | None) -> bool:
        if self._board is None or not self._answers:
            return False
        if result is not None:
            return True
        least = _LEAST_ANSWERS_AFTER_JUMP if self._has_jumped else 1
        return len(self._board.move_stack) >= _LEAST_UNFINISHED and len(self._answers) >= least

    def _follow(self, board: chess.Board) -> None:
        if self._board is not None and not goes_on(self._board, board):
            self._has_jumped = True
            self._forget()
        self._board = board.copy()

    def _ended(self) -> GameRecord | None:
        if self._is_over or not self._answers:
            return None
        self._is_over = True
        return self._record(None, "")

    def _record(self, result: str | None, termination: str) -> GameRecord:
        assert self._board is not None
        record = as_record(self._board, result)
        details = {name: getattr(record, name) for name in ("moves", "start", "result", "termination")}
        if result is not None and terminal(self._board) is None:
            details["termination"] = termination
        ours, theirs = "Heatmap Engine", self.opponent or "?"
        return GameRecord(
            **details,
            event="UCI game",
            date=f"{datetime.now(UTC):%Y.%m.%d}",
            white=ours if chess.WHITE in self._answers else theirs,
            black=ours if chess.BLACK in self._answers else theirs,
        )


def is_same_game(one: chess.Board, other: chess.Board) -> bool:
    """Whether two boards have the same start and the same moves since."""
    return len(one.move_stack) == len(other.move_stack) and goes_on(one, other)


def goes_on(earlier: chess.Board, later: chess.Board) -> bool:
    """Whether one board's game is the beginning of the other's, or the same."""
    played = earlier.move_stack
    return later.move_stack[: len(played)] == played and earlier.root() == later.root()
