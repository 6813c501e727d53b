"""The engine's answers: a finished depth during the search, and the pick at the end."""

from dataclasses import dataclass

import chess

from heatmap_engine.board.candidate import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDepth:
    """The result of one finished depth: the best lines, as many as were asked for, the best first."""

    lines: tuple[Candidate, ...]
    depth: int
    """Full-width plies; how deep the deep search has gone before it plays captures out."""
    selective_depth: int
    """The deepest ply that was looked at."""
    nodes: int
    moves_visited: int
    seconds: float
    tablebase_hits: int = 0
    """How many positions endgame tables told about; then the values are theirs, or mates."""
    deserved: float = 1.0
    """The factor by which a position in doubt deserves more of the soft budget than one that is settled."""

    @property
    def best(self) -> Candidate:
        return self.lines[0]

    @property
    def move(self) -> chess.Move:
        return self.best.move

    @property
    def score(self) -> float:
        """White minus Black, in the mode's unit."""
        return self.best.score

    @property
    def mate_in(self) -> int | None:
        """Moves to mate, negative if the side to move is mated; None if no mate is in sight."""
        return self.best.mate_in

    @property
    def line(self) -> tuple[chess.Move, ...]:
        """The principal variation: the moves that the score comes from."""
        return self.best.line

    @property
    def reply(self) -> chess.Move | None:
        """The reply expected."""
        return self.best.reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick(FoundDepth):
    """The chosen move, and all moves whose exact scores are known, the chosen one first."""

    candidates: tuple[Candidate, ...]
    table_hits: int
    """How many positions the table knew."""
    tactical_plies: int = 0

    @property
    def plies(self) -> int:
        return self.depth
