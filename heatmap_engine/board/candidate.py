"""A root move as either search finds it: its value, and the line that the value comes from."""

from dataclasses import dataclass

import chess


@dataclass(frozen=True, slots=True)
class Candidate:
    """A legal root move with its score, White minus Black in the mode's unit, and the line it comes from."""

    move: chess.Move
    score: float
    line: tuple[chess.Move, ...]
    from_table: bool
    """Whether the score is one that the table had for a position of the line, and was not computed."""
    mate_in: int | None = None
    """Moves to mate, negative if the side to move is mated; None if no mate is in sight."""
    depth: int = 0
    """Plies that stand behind the score, this move's own with them; 0 where all have the search's depth."""

    @property
    def reply(self) -> chess.Move | None:
        """The reply expected, if the game goes on."""
        return self.line[1] if len(self.line) > 1 else None


def movers_view(turn: chess.Color, score: float) -> float:
    """White's view turned into that of the side to move, or back."""
    return score if turn == chess.WHITE else -score + 0.0
