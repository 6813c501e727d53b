"""Why a move has its score: the reply that decides it, what changes until then, and what the table adds."""

from dataclasses import dataclass, field, replace

import chess

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.board.reading import BoardLike, as_board
from heatmap_engine.classic import scoring
from heatmap_engine.classic.scoring import Explanation
from heatmap_engine.classic.search import search
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.errors import InvalidMove
from heatmap_engine.memory.views import Values


@dataclass(frozen=True, slots=True)
class Term:
    """A part of the score, from here to there: what one side's pieces of a type add to that side."""

    color: chess.Color
    part: str
    """ "mobility" or "pressure"."""
    piece: chess.PieceType
    before: float
    after: float

    @property
    def change(self) -> float:
        """White minus Black: what grows for Black is a loss here."""
        return (self.after - self.before) * (1 if self.color == chess.WHITE else -1)


@dataclass(frozen=True, slots=True)
class Reason:
    """Where a move's score comes from; values are White minus Black in heat units."""

    move: chess.Move
    rank: int
    score: float
    line: tuple[chess.Move, ...]
    end: chess.Board = field(compare=False)
    """The position at the end of the line, whose value the score is."""
    from_table: bool
    """Whether that value is the table's."""
    root: Explanation
    leaf: Explanation
    next_reply: Candidate | None
    """What the side to move after the move would choose if it could not choose the reply expected."""
    without_table: float
    """The score that the same search finds without any table."""

    @property
    def reply(self) -> chess.Move | None:
        """The reply that decides it; None where the move ends the game."""
        return self.line[1] if len(self.line) > 1 else None

    @property
    def learned(self) -> float:
        """What the table changes in the score."""
        return self.score - self.without_table

    @property
    def is_explained_by_terms(self) -> bool:
        """Whether the parts add up to the scores; where a game is over the result alone counts."""
        return self.root.terminal is None and self.leaf.terminal is None

    @property
    def terms(self) -> tuple[Term, ...]:
        """What changes from the position asked about to the end of the line, the greatest first."""
        return changed_terms(self.root, self.leaf)


@dataclass(frozen=True, slots=True)
class Why:
    """The reasons of a move, and those of the best one, which may be the same."""

    board: chess.Board = field(compare=False)
    moves: int
    """How many legal moves there are."""
    reason: Reason
    best: Reason

    @property
    def is_best(self) -> bool:
        """Whether no move is better."""
        return self.reason.score == self.best.score

    @property
    def is_explained_by_terms(self) -> bool:
        """Whether the parts add up to the scores at the ends of both lines."""
        return self.reason.leaf.terminal is None and self.best.leaf.terminal is None

    @property
    def terms(self) -> tuple[Term, ...]:
        """What the end of the move's line has that the end of the best move's line has not."""
        return changed_terms(self.best.leaf, self.reason.leaf)


def why(board: BoardLike, move: chess.Move, settings: ClassicSettings, table: Values | None) -> Why:
    """Search as a pick does and say where a move's score comes from; records nothing.

    Raises InvalidMove for a move that is not legal there, and what a search raises.
    """
    board = as_board(board).copy()
    if not board.is_legal(move):
        raise InvalidMove(f"{move.uci()} is not a legal move in {board.fen()}")
    ranked = search(board, settings, table).candidates
    unlearned = {found.move: found.score for found in search(board, settings).candidates}

    def reason(candidate: Candidate) -> Reason:
        return _reason(board, candidate, ranked.index(candidate) + 1, settings, table, unlearned)

    asked = next(candidate for candidate in ranked if candidate.move == move)
    return Why(board, len(ranked), reason(asked), reason(ranked[0]))


def _reason(
    board: chess.Board,
    candidate: Candidate,
    rank: int,
    settings: ClassicSettings,
    table: Values | None,
    unlearned: dict[chess.Move, float],
) -> Reason:
    end = board.copy()
    for move in candidate.line:
        end.push(move)
    return Reason(
        move=candidate.move,
        rank=rank,
        score=candidate.score,
        line=candidate.line,
        end=end,
        from_table=candidate.from_table,
        root=scoring.explain(board, settings.heat_depth, settings.weights),
        leaf=scoring.explain(end, settings.heat_depth, settings.weights),
        next_reply=_next_reply(board, candidate, settings, table),
        without_table=unlearned[candidate.move],
    )


def _next_reply(
    board: chess.Board, candidate: Candidate, settings: ClassicSettings, table: Values | None
) -> Candidate | None:
    if len(candidate.line) < 2 or settings.plies < 2:
        return None
    after = board.copy()
    after.push(candidate.move)
    replies = search(after, replace(settings, plies=settings.plies - 1), table).candidates
    return next((reply for reply in replies if reply.move != candidate.line[1]), None)


def changed_terms(before: Explanation, after: Explanation) -> tuple[Term, ...]:
    """The parts that two scores differ in, the greatest difference first."""
    terms = []
    for color, one, other in (
        (chess.WHITE, before.white, after.white),
        (chess.BLACK, before.black, after.black),
    ):
        for part, values, others in (
            ("mobility", one.mobility, other.mobility),
            ("pressure", one.pressure, other.pressure),
        ):
            terms += [Term(color, part, piece, values[piece], others[piece]) for piece in values]
    changed = (term for term in terms if term.before != term.after)
    return tuple(sorted(changed, key=lambda term: -abs(term.change)))
