"""Why the deep search wants a move: what the end of its line has that the position has not, in heat.

The evaluation is features times weights, so the difference of two positions is a sum over features. They are
grouped here into words that a player understands. Values are White minus Black.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import chess
import numpy as np
import numpy.typing as npt

from heatmap_engine.board.ends import terminal
from heatmap_engine.board.heat import Heat, both_sides_heat
from heatmap_engine.board.reading import BoardLike, as_board, pack
from heatmap_engine.deep.weights import PIECES, DeepWeights
from heatmap_engine.kernel.deep.evaluation import MOST_PHASE, NAMES, count_sides

Floats = npt.NDArray[np.float64]

MEN, SQUARES, MOBILITY, PRESSURE = "men", "squares they stand on", "mobility", "pressure"
CENTRE, FAR_HALF, OWN_BOX = "moves in the centre", "moves in the far half", "moves in the own king's box"
GUARDED, ATTACKS, SHELTER = "moves onto squares that pawns guard", "attacks on men", "king's shelter"
PASSED, PAWNS, PLACES = "passed pawns", "pawn structure", "files, outposts, bishop pair"
SAFE, CHECKS, LOOSE = "moves onto safe squares", "checks", "men that nobody guards"
BY_OWN_KING, BY_THEIR_KING = "men around the own king", "men around the other king"
ENDING = "kind of ending"
TEMPO, PHASE = "being on the move", "phase of the game"

_LANDINGS = {
    "far half": FAR_HALF,
    "centre": CENTRE,
    "own box": OWN_BOX,
    "their box": PRESSURE,
    "guarded": GUARDED,
    "safe": SAFE,
    "weak box": PRESSURE,
    **dict.fromkeys(PIECES[:5], ATTACKS),
}
_GROUPS = {
    **dict.fromkeys(("man", "with", "against"), MEN),
    "own-king": BY_OWN_KING,
    "their-king": BY_THEIR_KING,
    **dict.fromkeys(("loose", "hanging"), LOOSE),
    "on-loose": ATTACKS,
    "standing": SQUARES,
    "move": MOBILITY,
    "moves": MOBILITY,
    "pressure": PRESSURE,
    **dict.fromkeys(("pressers", "attack"), PRESSURE),
    **dict.fromkeys(("shelter", "cover", "storm", "castle"), SHELTER),
    "check": CHECKS,
    **dict.fromkeys(("ending", "bare", "last", "wrong", "lone"), ENDING),
    "passed": PASSED,
    **dict.fromkeys(("supported", "phalanx", "isolated", "doubled", "backward"), PAWNS),
    **dict.fromkeys(("outpost", "bishop", "rook"), PLACES),
    "tempo": TEMPO,
}
# What is counted of a group for people; the other features of the group weigh the same things again.
_COUNTED = {
    MEN: "man ",
    PRESSURE: "landing ",
    PASSED: "passed rank ",
    SHELTER: "shelter ",
    CHECKS: "check ",
    LOOSE: "loose ",
    ATTACKS: "landing ",
}


def group_of(feature: str) -> str:
    """The words for what a feature of the evaluation is about."""
    kind, _, rest = feature.removeprefix("turn ").partition(" ")
    return _LANDINGS[rest.partition(" ")[2]] if kind == "landing" else _GROUPS[kind]


def _times(feature: str) -> int:
    """How much a feature counts in its group's number: "moves queen 12" are twelve moves."""
    group = group_of(feature)
    if feature.startswith("turn ") or (feature.endswith((" weak box", " safe")) and group != SAFE):
        return 0  # counted once already
    if feature.startswith(("moves ", "shelter ")):
        return int(feature.rpartition(" ")[2])
    return int(feature.startswith(_COUNTED.get(group, "")))


_GROUP_OF_FEATURE = [group_of(name) for name in NAMES]
_WORDS = tuple(dict.fromkeys(_GROUP_OF_FEATURE))
# Features by groups: one where a feature belongs to it, and how much it adds to its number.
_MEMBERS: Floats = np.array([[word == group for group in _GROUP_OF_FEATURE] for word in _WORDS], np.float64)
_NUMBERS: Floats = _MEMBERS * [_times(name) for name in NAMES]
# Groups of which nothing can be counted in one number.
_UNCOUNTED = {SQUARES, PAWNS, PLACES, ENDING, BY_OWN_KING, BY_THEIR_KING}


class Found(Protocol):
    """What an engine found in deep mode."""

    @property
    def score(self) -> float: ...
    @property
    def mate_in(self) -> int | None: ...
    @property
    def depth(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def line(self) -> tuple[chess.Move, ...]: ...


@dataclass(frozen=True, slots=True)
class Part:
    """What a group of features changes from the position to the end of the line."""

    color: chess.Color | None
    """Whose moves or men these are; None where it is about the position."""
    group: str
    before: int | None
    """How many, such as moves or men; None where one number does not say it."""
    after: int | None
    change: float
    """White minus Black: what grows for Black is a loss here."""


@dataclass(frozen=True)
class Weighed:
    """One position as the deep evaluation sees it."""

    board: chess.Board = field(compare=False)
    heat: Heat = field(compare=False, repr=False)
    """Where each side could move if it were to move now; nowhere for a side that gives check."""
    value: float | None
    """White minus Black; None where heat has no say."""
    silence: str | None
    """Why there is no value: a check, or how the game is over."""


@dataclass(frozen=True)
class DeepWhy:
    """A move of the deep search, and what its line leads to."""

    line: tuple[chess.Move, ...]
    value: int
    """What the search found, White minus Black; exchanges and draws beyond the line are in it."""
    mate_in: int | None
    """Moves to mate, negative if the side to move is mated."""
    depth: int
    nodes: int
    weights: str
    root: Weighed
    leaf: Weighed
    parts: tuple[Part, ...]
    """They add up to the leaf's value less the root's, the greatest first; none where either has no value."""

    @property
    def board(self) -> chess.Board:
        return self.root.board

    @property
    def move(self) -> chess.Move:
        return self.line[0]

    @property
    def change(self) -> float | None:
        """The leaf's value less the root's."""
        if self.root.value is None or self.leaf.value is None:
            return None
        return self.leaf.value - self.root.value

    @property
    def beyond(self) -> float | None:
        """What the search sees beyond the end of the line."""
        return None if self.leaf.value is None or self.mate_in is not None else self.value - self.leaf.value

    @property
    def heat_change(self) -> Heat:
        """The heat of the leaf less that of the root, by colour and square."""
        return (self.leaf.heat - self.root.heat).view(Heat)

    @property
    def lost(self) -> Mapping[chess.Color, Mapping[chess.PieceType, int]]:
        """How many men of each kind each side has less at the end; below zero after a promotion."""
        return {color: dict(_lost(self.board, self.leaf.board, color)) for color in chess.COLORS}


def _lost(root: chess.Board, leaf: chess.Board, color: chess.Color) -> Iterator[tuple[chess.PieceType, int]]:
    for kind in chess.PIECE_TYPES:
        less = len(root.pieces(kind, color)) - len(leaf.pieces(kind, color))
        if less:
            yield kind, less


def deep_why(board: BoardLike, found: Found, weights: DeepWeights) -> DeepWhy:
    """What the line of a search leads to; `found` is the search's result at `board`, made with `weights`."""
    board = as_board(board).copy()
    end = board.copy()
    for move in found.line:
        end.push(move)
    rows = np.array(weights.table.rows)
    root, leaf = _Features(board, rows), _Features(end, rows)
    there, here = leaf.weighed(), root.weighed()
    is_explained = here.value is not None and there.value is not None
    return DeepWhy(
        line=found.line,
        value=round(found.score),
        mate_in=found.mate_in,
        depth=found.depth,
        nodes=found.nodes,
        weights=weights.name,
        root=here,
        leaf=there,
        parts=_parts(root, leaf) if is_explained else (),
    )


class _Features:
    """A position's features, each side's by themselves, and what they weigh in its phase."""

    def __init__(self, board: chess.Board, rows: Floats) -> None:
        self._board = board
        position = pack(board)
        counts = np.zeros((2, len(NAMES)), np.int16)
        self.phase = count_sides(position, counts)
        mover_first: Floats = counts.astype(np.float64)
        self.counts = mover_first if board.turn == chess.BLACK else mover_first[::-1]  # by colour: Black is 0
        self.weights: Floats = rows @ [self.phase / MOST_PHASE, 1 - self.phase / MOST_PHASE]

    def weighed(self) -> Weighed:
        silence = terminal(self._board) or ("check" if self._board.is_check() else None)
        black, white = self.counts @ self.weights
        return Weighed(
            self._board, both_sides_heat(self._board), None if silence else float(white - black), silence
        )


def _parts(root: _Features, leaf: _Features) -> tuple[Part, ...]:
    """What changes, in words.

    Counts change and weights do, because the phase mixes them: counts are taken at the mean weight, and what
    the weights change at the mean count is the phase's part. So both ends are treated alike.
    """
    weights = (root.weights + leaf.weights) / 2
    changes = (leaf.counts - root.counts) * weights @ _MEMBERS.T
    before, after = root.counts @ _NUMBERS.T, leaf.counts @ _NUMBERS.T
    found = []
    for number, group in enumerate(_WORDS):
        black, white = changes[:, number]
        if group == TEMPO:
            found.append(Part(None, group, None, None, float(white - black)))
            continue
        for color, change in ((chess.WHITE, white), (chess.BLACK, -black)):
            is_counted = group not in _UNCOUNTED
            was, became = (
                int(counts[int(color), number]) if is_counted else None for counts in (before, after)
            )
            found.append(Part(color, group, was, became, float(change)))
    mean = (root.counts + leaf.counts) / 2
    black, white = mean @ (leaf.weights - root.weights)
    found.append(Part(None, PHASE, None, None, float(white - black)))
    changed = (part for part in found if part.change or part.before != part.after)
    return tuple(sorted(changed, key=lambda part: -abs(part.change)))
