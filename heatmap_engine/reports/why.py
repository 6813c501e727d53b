"""Why a move has its score: where its line leads, and what that changes. The same in both modes.

Values are White minus Black in the mode's unit. An evaluation is a sum, and so is the difference of two: its
parts say what the end of a line has that the position has not.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import chess

from heatmap_engine.board.breakdown import Breakdown, Evaluation, Part
from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.board.ends import terminal
from heatmap_engine.board.heat import Heat
from heatmap_engine.winning_chances import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a search says of one move. The last three are facts that not every mode knows."""

    candidate: Candidate
    depth: int
    nodes: int
    rank: int | None = None
    """Which of the moves it is, counted from the best one."""
    next_reply: Candidate | None = None
    """What would be answered instead of the reply that is expected."""
    without_table: float | None = None
    """The score that the same search finds without any table."""

    @property
    def move(self) -> chess.Move:
        return self.candidate.move

    @property
    def line(self) -> tuple[chess.Move, ...]:
        return self.candidate.line

    @property
    def reply(self) -> chess.Move | None:
        return self.candidate.reply

    @property
    def score(self) -> float:
        return self.candidate.score

    @property
    def mate_in(self) -> int | None:
        """Moves to mate, negative if the side to move is mated."""
        return self.candidate.mate_in

    @property
    def from_table(self) -> bool:
        """Whether the value at the end of the line is the table's."""
        return self.candidate.from_table

    @property
    def learned(self) -> float | None:
        """What the table changes in the score."""
        return None if self.without_table is None else self.score - self.without_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason(Verdict):
    """A move's verdict, and what its line leads to."""

    root: Evaluation
    """The position that was asked about."""
    leaf: Evaluation
    """The position at the end of the line."""
    parts: tuple[Part, ...]
    """They add up to the leaf's value less the root's, the greatest first; none where either has no value."""

    @property
    def board(self) -> chess.Board:
        return self.root.board

    @property
    def over(self) -> str | None:
        """How the game is over at the end of the line, or None."""
        return terminal(self.leaf.board)

    @property
    def change(self) -> float | None:
        """The leaf's value less the root's."""
        if self.root.value is None or self.leaf.value is None:
            return None
        return self.leaf.value - self.root.value

    @property
    def beyond(self) -> float | None:
        """What the search knows beyond the end of the line; None for a mate."""
        return None if self.leaf.value is None or self.mate_in is not None else self.score - self.leaf.value

    @property
    def heat_change(self) -> Heat:
        """The heat of the leaf less that of the root, by colour and square."""
        return (self.leaf.heat - self.root.heat).view(Heat)

    @property
    def lost(self) -> Mapping[chess.Color, Mapping[chess.PieceType, int]]:
        """How many pieces of each kind each side has less at the end; below zero after a promotion."""
        return {color: dict(_lost(self.board, self.leaf.board, color)) for color in chess.COLORS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The reasons of a move, and those of the best one, which may be the same."""

    board: chess.Board = field(compare=False)
    moves: int
    """How many legal moves there are."""
    asked: Reason
    best: Reason
    parts: tuple[Part, ...]
    """What the end of the move's line has that the end of the best move's line has not, as in a reason."""
    unit: Unit
    """Of all values; it says which mode this is."""
    weights: str
    """The name of the weights that positions are valued with."""
    table: str | None
    """The table's file, "in memory", or None without a table."""

    @property
    def is_best(self) -> bool:
        """Whether no move is better."""
        asked, best = (movers_view(self.board.turn, reason.score) for reason in (self.asked, self.best))
        return asked >= best


def reason_of(board: chess.Board, verdict: Verdict, breakdown: Breakdown) -> Reason:
    """Where a move's line leads, weighed as the search weighs."""
    end = board.copy()
    for move in verdict.line:
        end.push(move)
    root, leaf = breakdown.evaluate(board), breakdown.evaluate(end)
    return Reason(
        candidate=verdict.candidate,
        depth=verdict.depth,
        nodes=verdict.nodes,
        rank=verdict.rank,
        next_reply=verdict.next_reply,
        without_table=verdict.without_table,
        root=root,
        leaf=leaf,
        parts=_parts_between(root, leaf, breakdown),
    )


def why_of(
    board: chess.Board,
    asked: Verdict,
    best: Verdict,
    breakdown: Breakdown,
    *,
    unit: Unit,
    weights: str,
    table: str | None,
) -> Why:
    """The reasons of two moves, of which one was asked about and the other is the best."""
    board = board.copy()
    best_reason = reason_of(board, best, breakdown)
    asked_reason = best_reason if asked.move == best.move else reason_of(board, asked, breakdown)
    return Why(
        board=board,
        moves=board.legal_moves.count(),
        asked=asked_reason,
        best=best_reason,
        parts=_parts_between(best_reason.leaf, asked_reason.leaf, breakdown),
        unit=unit,
        weights=weights,
        table=table,
    )


def _parts_between(before: Evaluation, after: Evaluation, breakdown: Breakdown) -> tuple[Part, ...]:
    if before.value is None or after.value is None:
        return ()
    return breakdown.changes(before.board, after.board)


def _lost(root: chess.Board, leaf: chess.Board, color: chess.Color) -> Iterator[tuple[chess.PieceType, int]]:
    for kind in chess.PIECE_TYPES:
        less = len(root.pieces(kind, color)) - len(leaf.pieces(kind, color))
        if less:
            yield kind, less
