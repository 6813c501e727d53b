"""One game between two players: who moves, when it is over, and what a record says of that.

Self-play and matches both play their games here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import chess

from games.chess.openings import Opening
from heatmap_engine.board.ends import terminal
from heatmap_engine.board.tablebases import Tablebases
from heatmap_engine.engines.mode import Mode
from heatmap_engine.errors import InvalidSettings

# Words of the record's termination. A limit says nothing about the position: GameRecord.judges_position.
ADJUDICATION = "adjudication"
PLY_LIMIT = "adjudication: limit of plies"
BY_TABLES = "adjudication: endgame tables"


@dataclass(frozen=True, slots=True)
class Choice:
    """A player's move, what it thinks of the game after it, and what the PGN shall say beside it."""

    move: chess.Move
    score: float | None = None
    """White minus Black; None from a player that does not say."""
    comment: str = ""


class Forfeit(Exception):
    """Raised by a player that loses the game off the board; the message is the record's termination."""


class Player(Protocol):
    """Whoever moves for one side."""

    def choose(self, board: chess.Board) -> Choice:
        """A legal move; the board has the game's history on its stack, and must be left as it is."""
        ...


@dataclass(frozen=True, slots=True)
class Adjudication:
    """Ends a game when both sides have long agreed on how it stands.

    Scores are in whatever unit both players use; the defaults are heat units. A won score is one at which
    the engine wins 99 games of 100, so that a game is won when it stood so for `won_plies` in a row.
    """

    won_score: float = 190.0
    won_plies: int = 6
    drawn_score: float = 2.0
    drawn_plies: int = 12
    drawn_from_ply: int = 80
    """Before this ply of the game, level scores are an opening and not a draw."""

    def __post_init__(self) -> None:
        if self.won_plies < 1 or self.drawn_plies < 1:
            raise InvalidSettings(
                f"expected adjudication after at least one ply, got {self.won_plies} and {self.drawn_plies}"
            )

    def result(self, ply: int, scores: Sequence[float | None]) -> str | None:
        """The result after `ply` plies, if the last scores agree on one; a missing score agrees on none."""
        last = _last(scores, self.won_plies)
        if last and min(last) >= self.won_score:
            return "1-0"
        if last and max(last) <= -self.won_score:
            return "0-1"
        last = _last(scores, self.drawn_plies)
        if last and ply >= self.drawn_from_ply and max(map(abs, last)) <= self.drawn_score:
            return "1/2-1/2"
        return None


def adjudication(mode: Mode) -> Adjudication:
    """When both sides, which are of this mode, have agreed for long enough on how a game stands."""
    return Adjudication(won_score=mode.won_score, drawn_score=mode.drawn_score)


@dataclass(frozen=True, slots=True)
class Ends:
    """What ends a game besides the rules of chess."""

    max_plies: int = 300
    """Counted from the start of the game, the opening's moves with them; a game ends here as a draw."""
    adjudication: Adjudication | None = None
    syzygy: str = ""
    """Folders of endgame tables: a game ends as soon as these know its result for certain."""

    def __post_init__(self) -> None:
        if type(self.max_plies) is not int or self.max_plies < 1:
            raise InvalidSettings(f"max_plies must be an int of at least 1, got {self.max_plies!r:.80}")


@dataclass(frozen=True, slots=True)
class PlayedMoves:
    """A game as it was played: the last position with all moves on its stack, and the choices."""

    board: chess.Board
    choices: tuple[Choice, ...]
    result: str
    termination: str

    @property
    def moves(self) -> tuple[str, ...]:
        """All moves as UCI text, the opening's with them."""
        return tuple(move.uci() for move in self.board.move_stack)

    @property
    def comments(self) -> tuple[str, ...]:
        """One text per move, empty for the opening's moves; none at all where no player says anything."""
        if not any(choice.comment for choice in self.choices):
            return ()  # as it comes back from a PGN
        of_opening = len(self.board.move_stack) - len(self.choices)
        return ("",) * of_opening + tuple(choice.comment for choice in self.choices)


def play_game(
    opening: Opening, white: Player, black: Player, ends: Ends, tables: Tablebases | None = None
) -> PlayedMoves:
    """Play from the end of the opening until the rules, `ends` or a player's `Forfeit` end the game.

    `tables` are those that `ends` names; whoever plays many games opens them once.
    """
    board = opening.board()
    choices: list[Choice] = []
    players = {chess.WHITE: white, chess.BLACK: black}
    while (end := _end(board, choices, ends, tables)) is None:
        try:
            choice = players[board.turn].choose(board)
        except Forfeit as forfeit:
            end = "0-1" if board.turn == chess.WHITE else "1-0", str(forfeit)
            break
        board.push(choice.move)
        choices.append(choice)
    result, termination = end
    return PlayedMoves(board, tuple(choices), result, termination)


def eval_comment(score: float) -> str:
    """A score of centipawns, for White, as PGN's `[%eval 0.35]`: pawns."""
    return f"[%eval {score / 100 + 0.0:.2f}]"


def _end(
    board: chess.Board, choices: Sequence[Choice], ends: Ends, tables: Tablebases | None
) -> tuple[str, str] | None:
    """Result and termination, or None while the game goes on; the rules come first."""
    reason = terminal(board)
    if reason is not None:
        return board.result() if reason == "checkmate" else "1/2-1/2", reason
    if tables is not None and (known := tables.result(board)) is not None:
        return known, BY_TABLES
    plies = len(board.move_stack)
    if ends.adjudication is not None:
        result = ends.adjudication.result(plies, [choice.score for choice in choices])
        if result is not None:
            return result, ADJUDICATION
    return ("1/2-1/2", PLY_LIMIT) if plies >= ends.max_plies else None


def _last(scores: Sequence[float | None], number: int) -> list[float]:
    """The last scores, if there are so many and each is known; else nothing."""
    known = [score for score in scores[-number:] if score is not None]
    return known if len(known) == number else []
