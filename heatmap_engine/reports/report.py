"""The report: what the table knows of a position and its moves, what they score now, and the heat.

Values are White minus Black in the unit of the mode, which the report names; what is called the mover's is
turned to the side to move in the position that was asked about, for its moves as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import chess

from heatmap_engine.board.breakdown import PatternPart
from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.board.heat import Heat
from heatmap_engine.classic.scoring import Explanation
from heatmap_engine.winning_chances import Chances, Unit


class State(StrEnum):
    """What can be said of a position at all; a text that is none is INVALID and has no report."""

    KNOWN = "known"
    """The table has the position or at least one of its moves."""
    UNKNOWN = "unknown"
    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    DRAWN = "drawn"
    """Drawn by a rule, though there may be moves; the reason says by which."""
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Known:
    """What the table holds of a position; wins, draws and losses are the mover's."""

    q: float
    depth: int
    """Full-width plies that the value rests on."""
    visits: int
    wins: int
    draws: int
    losses: int
    source: str
    updated: int
    """In UTC seconds."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What one position is worth: by the table, by its own heat, and by the rules if the game is over."""

    turn: chess.Color
    """Who is to move in the position that was asked about: the mover."""
    known: Known | None
    static: float
    """The score now, without looking ahead; where the game is over, the result's."""
    over: str | None
    """Why the game is over here, or None."""
    unit: Unit
    ply: int = 0
    """How many plies after the position that was asked about."""

    @property
    def q(self) -> float | None:
        return None if self.known is None else self.known.q

    @property
    def q_mover(self) -> float | None:
        return None if self.q is None else self.movers(self.q)

    @property
    def learned(self) -> float | None:
        """What learning and looking ahead have changed: the table's value less the static score."""
        return None if self.known is None else self.known.q - self.static

    @property
    def value(self) -> float:
        """The best that is known without a search: the result, else the table's value, else the score."""
        return self.static if self.over is not None or self.known is None else self.known.q

    @property
    def chances(self) -> Chances:
        """The mover's chances of a win, a draw and a loss; certain where the game is over."""
        if self.over is not None:
            won = self.movers(self.static)
            return Chances(float(won > 0), float(won == 0), float(won < 0))
        return self.unit.chances(self.movers(self.value))

    @property
    def centipawns(self) -> int:
        """The mover's chances in centipawns."""
        return self.unit.centipawns(self.movers(self.value))

    @property
    def mate_in(self) -> int | None:
        """Moves until the mover mates, negative if it is mated, from the position that was asked about."""
        return self.mate_of(self.value)

    def mate_of(self, value: float, later: int = 0) -> int | None:
        """The same of another value, White minus Black, of a position so many plies later."""
        return self.unit.mate_in(self.movers(value), self.ply + later)

    def movers(self, value: float) -> float:
        """A value of White's view as the mover sees it."""
        return movers_view(self.turn, value)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer that is expected to a move: the best one known, else the best by static score."""

    move: chess.Move
    san: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class MoveReport:
    """A legal move; its rank counts from 1, the best for the mover."""

    move: chess.Move
    san: str
    rank: int
    standing: Standing
    reply: Reply | None

    @property
    def uci(self) -> str:
        return self.move.uci()

    @property
    def is_known(self) -> bool:
        return self.standing.known is not None


@dataclass(frozen=True, slots=True)
class Prospect:
    """A legal move with the best value that a report has for it, White minus Black."""

    move: chess.Move
    san: str
    value: float
    from_table: bool
    unit: Unit
    mate_in: int | None
    """As in `Standing`."""


@dataclass(frozen=True, slots=True)
class LineMove:
    """A move of the table's principal line, and the value of the position after it."""

    move: chess.Move
    san: str
    value: float


@dataclass(frozen=True, slots=True)
class Line:
    """The best known moves, one after the other, and why there are no more."""

    moves: tuple[LineMove, ...]
    end: str
    """How the game is over there, "nothing known", "repeats" or "too long"."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many different positions there are so many plies below, and how many of them the table has."""

    ply: int
    positions: int
    known: int


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is known of a position without searching. Moves stand in the order of their ranks.

    `candidates`, the moves as a search ranks them, `line` and `coverage` are there if they were asked for.
    """

    board: chess.Board = field(compare=False)
    key: str
    state: State
    reason: str | None
    standing: Standing
    moves: tuple[MoveReport, ...]
    explanation: Explanation
    """The parts of the score by heat, which is the static one in classic mode; in heat units."""
    heat: Heat = field(compare=False, repr=False)
    """The heat of both colours: `heat[chess.WHITE, chess.E4]`."""
    king_boxes: Mapping[chess.Color, tuple[chess.Square, ...]]
    heat_depth: int
    """How many plies of further moves are counted as heat."""
    unit: Unit
    """Of all values but those of the explanation; it says which mode this is."""
    weights: str
    """The name of the weights that static scores are found with."""
    table: str | None
    """The table's file, "in memory", or None without a table."""
    candidates: tuple[Candidate, ...] | None = None
    patterns: tuple[PatternPart, ...] = ()
    """What of the position's static value comes from the table's patterns, the heaviest first."""
    line: Line | None = None
    coverage: tuple[Coverage, ...] = ()

    @property
    def fen(self) -> str:
        return self.explanation.fen

    @property
    def turn(self) -> chess.Color:
        return self.standing.turn

    @property
    def outlook(self) -> tuple[Prospect, ...]:
        """All moves, best first: looking ahead if the report has candidates, else by what is known."""
        if self.candidates is None:
            return tuple(
                Prospect(
                    move.move, move.san, move.standing.value, move.is_known, self.unit, move.standing.mate_in
                )
                for move in self.moves
            )
        names = {move.move: move.san for move in self.moves}
        return tuple(
            Prospect(
                candidate.move,
                names[candidate.move],
                candidate.score,
                candidate.from_table,
                self.unit,
                self.standing.mate_of(candidate.score),
            )
            for candidate in self.candidates
        )

    @property
    def score(self) -> float:
        """What a picture says of the position: the static score; in deep mode what its search has found.

        A static value of deep mode says little before captures are settled.
        """
        if self.unit.is_static or not self.candidates or self.standing.over is not None:
            return self.standing.static
        return self.candidates[0].score

    @property
    def best(self) -> MoveReport | None:
        return self.moves[0] if self.moves else None
