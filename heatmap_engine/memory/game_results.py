"""Where the result of a finished game counts: at the positions that it says something about.

Where results choose between moves, they must be those of good play. So a game with random moves counts only
after the last of them, and one against an opponent only after moves of the side that learned.
"""

import chess

from games.chess.record import RANDOM, GameRecord

# Where a record's settings name the side that learned, if the other side was another player.
LEARNER = "learner"

# Wins, draws and losses.
Counts = tuple[int, int, int]
_NOTHING: Counts = (0, 0, 0)


class GameResults:
    """What a game's result counts at each of its positions, for the side to move there."""

    def __init__(self, record: GameRecord, results_choose: bool) -> None:
        self._counts = results_of(record.result)
        self._first = _after_random_moves(record) if results_choose else 0
        self._learner = learner_of(record)

    def at(self, ply: int, turn: chess.Color) -> Counts:
        """At the position after so many plies, with this side to move."""
        if ply < self._first or turn == self._learner:
            return _NOTHING
        return self._counts.get(turn, _NOTHING)


def learner_of(record: GameRecord) -> chess.Color | None:
    """The side that learned in a game against an opponent; None where the engine played both sides."""
    name = record.settings.get(LEARNER)
    return {"white": chess.WHITE, "black": chess.BLACK}.get(str(name))


def results_of(result: str) -> dict[chess.Color, Counts]:
    """What a result counts for each colour; nothing for an unknown one."""
    if result == "*":
        return {}
    if result == "1/2-1/2":
        return {chess.WHITE: (0, 1, 0), chess.BLACK: (0, 1, 0)}
    winner = result == "1-0"
    return {winner: (1, 0, 0), not winner: (0, 0, 1)}


def _after_random_moves(record: GameRecord) -> int:
    """The ply of the first position that no random move comes after."""
    random = [ply for ply, comment in enumerate(record.comments, 1) if comment.endswith(RANDOM)]
    return random[-1] if random else 0
