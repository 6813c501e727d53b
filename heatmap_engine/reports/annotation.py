"""A game judged move by move: what each position is worth, which moves are mistakes, how accurate both were.

A move is judged by what it takes away of the points that a person may expect, on the curve of
`share_among_people`. Marks and accuracies use the thresholds and the formulas that lichess.org publishes.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import chess

from games.chess.opening_names import OpeningName, opening_of
from heatmap_engine.board.breakdown import Breakdown
from heatmap_engine.board.candidate import Candidate
from heatmap_engine.board.ends import terminal
from heatmap_engine.reports.why import Verdict, Why, why_of
from heatmap_engine.winning_chances import Unit, share_among_people

# The best move of a position.
Search = Callable[[chess.Board], Verdict]

# The share of the points that a move must lose to get this mark, the worst first.
MARKS = (("??", 0.15), ("?", 0.10), ("?!", 0.05))

# A move's accuracy in per cent, after it has lost so many per cent of the points.
_ACCURACY_SCALE, _ACCURACY_DECAY, _ACCURACY_OFFSET = 103.1668, 0.04354, 3.1669

# A side's moves count more where the game swings: the spread of the shares, in per cent, in a window around.
_WINDOW_PART, _WINDOW_BOUNDS, _SPREAD_BOUNDS = 10, (2, 8), (0.5, 12.0)


@dataclass(frozen=True, slots=True)
class Setting:
    """How the moves of a game are judged."""

    search: Search
    breakdown: Breakdown
    unit: Unit
    """Of all values; it says which mode this is."""
    weights: str
    table: str | None


@dataclass(frozen=True, slots=True)
class Worth:
    """What a position of a game is worth: by a search, or by the rules where the game is over."""

    turn: chess.Color
    over: str | None
    verdict: Verdict | None
    unit: Unit

    @property
    def value(self) -> float | None:
        """White minus Black in the mode's unit; None at a checkmate."""
        if self.verdict is not None:
            return self.verdict.score
        return None if self.over == "checkmate" else 0.0

    @property
    def mate_in(self) -> int | None:
        """Moves to mate, negative if White is mated; None if no mate is in sight, or if it is there."""
        mate_in = None if self.verdict is None else self.verdict.mate_in
        return mate_in if mate_in is None or self.turn == chess.WHITE else -mate_in

    @property
    def centipawns(self) -> int | None:
        """White minus Black; None for a mate."""
        return None if self.value is None or self.mate_in is not None else self.unit.centipawns(self.value)

    @property
    def share(self) -> float:
        """The share of the points that White may expect."""
        if self.value is None:
            return float(self.turn == chess.BLACK)  # who is to move has been mated
        if self.mate_in is not None:
            return share_among_people(math.copysign(math.inf, self.mate_in))
        return share_among_people(self.unit.centipawns(self.value))


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move of the game; the board is the one before it."""

    ply: int
    """Counted from 1."""
    board: chess.Board = field(compare=False)
    move: chess.Move
    before: Worth
    after: Worth
    why: Why | None
    """Why it is worse than the best move; only for a move with a mark."""

    @property
    def color(self) -> chess.Color:
        return self.board.turn

    @property
    def san(self) -> str:
        return self.board.san(self.move)

    @property
    def best(self) -> Candidate:
        assert self.before.verdict is not None, "only the last position of a game may be over"
        return self.before.verdict.candidate

    @property
    def shares(self) -> tuple[float, float]:
        """The share of the points that the mover may expect before the move and after it."""
        before, after = self.before.share, self.after.share
        return (before, after) if self.color == chess.WHITE else (1.0 - before, 1.0 - after)

    @property
    def lost(self) -> float:
        """The share of the points that the move takes away."""
        before, after = self.shares
        return max(0.0, before - after)

    @property
    def mark(self) -> str:
        """One of MARKS, or "": the move that the search prefers gets none."""
        return "" if self.move == self.best.move else mark_of(self.lost)

    @property
    def accuracy(self) -> float:
        """In per cent."""
        return accuracy_of(self.lost)


@dataclass(frozen=True, slots=True)
class Annotation:
    """A judged game. If it was broken off, only its last moves are there: it is judged from its end."""

    plies: int
    """How many moves the game has."""
    moves: tuple[JudgedMove, ...]
    opening: OpeningName | None
    setting: Setting = field(compare=False)

    @property
    def is_whole(self) -> bool:
        return len(self.moves) == self.plies

    @property
    def accuracy(self) -> Mapping[chess.Color, float | None]:
        """In per cent; None for a side without a move, and for both while moves are missing."""
        if not self.is_whole:
            return dict.fromkeys(chess.COLORS)
        weights = _swings([self.moves[0].before.share, *(move.after.share for move in self.moves)])
        return {color: _accuracy_of_side(self.moves, weights, color) for color in chess.COLORS}

    def marks(self, color: chess.Color) -> Mapping[str, int]:
        """How many moves of a side have each mark."""
        found = [move.mark for move in self.moves if move.color == color]
        return {mark: found.count(mark) for mark, _ in reversed(MARKS)}


def annotation_of(
    board: chess.Board, setting: Setting, keep_going: Callable[[int], bool] = lambda done: True
) -> Annotation:
    """The game on the board's stack, judged; `keep_going` hears how many moves are done, and may end it.

    From the last move to the first: what a search finds at a later position, the one before it knows too.
    """
    judged: list[JudgedMove] = []
    for move in _judged_backwards(board.copy(), setting):
        if not keep_going(len(judged)):
            break  # the search that has just ended may have been broken off
        judged.append(move)
    return Annotation(len(board.move_stack), tuple(reversed(judged)), opening_of(board), setting)


def mark_of(lost: float) -> str:
    """The mark of a move that loses so great a share of the points."""
    return next((mark for mark, least in MARKS if lost >= least), "")


def accuracy_of(lost: float) -> float:
    """The accuracy in per cent of a move that loses so great a share of the points."""
    accuracy = _ACCURACY_SCALE * math.exp(-_ACCURACY_DECAY * 100.0 * lost) - _ACCURACY_OFFSET
    return max(0.0, min(100.0, accuracy))


def _judged_backwards(board: chess.Board, setting: Setting) -> Iterator[JudgedMove]:
    over = terminal(board)
    verdict = None if over is not None or not board.move_stack else setting.search(board)
    after = Worth(board.turn, over, verdict, setting.unit)
    while board.move_stack:
        ply, move = len(board.move_stack), board.pop()
        before = Worth(board.turn, None, setting.search(board), setting.unit)
        here = board.copy()
        judged = JudgedMove(ply, here, move, before, after, None)
        yield replace(judged, why=_why(judged, setting)) if judged.mark else judged
        after = before


def _why(judged: JudgedMove, setting: Setting) -> Why:
    assert judged.before.verdict is not None, "the search has answered at every position before a move"
    return why_of(
        judged.board,
        _verdict_on(judged),
        judged.before.verdict,
        setting.breakdown,
        unit=setting.unit,
        weights=setting.weights,
        table=setting.table,
    )


def _verdict_on(judged: JudgedMove) -> Verdict:
    """What the search of the position after the move says of the move."""
    found = judged.after.verdict
    if found is None:  # the move has ended the game, and is worse than another one: a draw
        return Verdict(candidate=Candidate(judged.move, 0.0, (judged.move,), False), depth=1, nodes=0)
    mate_in = None
    if found.mate_in is not None:
        mate_in = -found.mate_in if found.mate_in > 0 else 1 - found.mate_in
    line = (judged.move, *found.line)
    candidate = Candidate(judged.move, found.score, line, found.from_table, mate_in)
    return Verdict(candidate=candidate, depth=found.depth + 1, nodes=found.nodes)


def _swings(shares: Sequence[float]) -> list[float]:
    """For each move how much White's share of the points varies around it, in per cent and within bounds."""
    least, most = _WINDOW_BOUNDS
    size = min(max(least, (len(shares) - 1) // _WINDOW_PART), most)
    windows = [shares[:size]] * (size - 2)
    windows += [shares[start : start + size] for start in range(max(1, len(shares) - size + 1))]
    low, high = _SPREAD_BOUNDS
    return [max(low, min(high, 100.0 * statistics.pstdev(window))) for window in windows]


def _accuracy_of_side(
    moves: Sequence[JudgedMove], weights: Sequence[float], color: chess.Color
) -> float | None:
    """Half of it is a mean in which swings count more, half the harmonic mean, in which bad moves do."""
    own = [
        (move.accuracy, weight) for move, weight in zip(moves, weights, strict=False) if move.color == color
    ]
    if not own:
        return None
    weighted = sum(accuracy * weight for accuracy, weight in own) / sum(weight for _, weight in own)
    harmonic = statistics.harmonic_mean([max(1.0, accuracy) for accuracy, _ in own])
    return (weighted + harmonic) / 2
