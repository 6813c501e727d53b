"""The deep evaluation, taken apart: features times weights, grouped into words that a player understands."""

from dataclasses import dataclass

import chess
import numpy as np
import numpy.typing as npt

from heatmap_engine.board.breakdown import Evaluation, Part, greatest_first
from heatmap_engine.board.ends import terminal
from heatmap_engine.board.heat import both_sides_heat
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.net import Net, seen_by_net
from heatmap_engine.deep.weights import PIECES, DeepWeights
from heatmap_engine.kernel.deep.evaluation import MOST_PHASE, NAMES, count_sides

Floats = npt.NDArray[np.float64]

MATERIAL, PLACEMENT, MOBILITY, PRESSURE = "pieces", "placement of pieces", "mobility", "pressure"
CENTRE, FAR_HALF, OWN_BOX = "moves in the centre", "moves in the far half", "moves around the own king"
GUARDED, ATTACKS, SHELTER = "moves onto squares that pawns guard", "attacks on pieces", "king's shelter"
PASSED, PAWNS, PLACES = "passed pawns", "pawn structure", "files, outposts, bishop pair"
SAFE, CHECKS, LOOSE = "moves onto safe squares", "checks", "undefended pieces"
BY_OWN_KING, BY_THEIR_KING = "pieces around the own king", "pieces around the other king"
ENDING = "kind of ending"
TEMPO, PHASE = "side to move", "phase of the game"
TOGETHER = "moves and pieces together"

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
    **dict.fromkeys(("man", "with", "against"), MATERIAL),
    "own-king": BY_OWN_KING,
    "their-king": BY_THEIR_KING,
    **dict.fromkeys(("loose", "hanging"), LOOSE),
    "on-loose": ATTACKS,
    "standing": PLACEMENT,
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
    MATERIAL: "man ",
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
_UNCOUNTED = {PLACEMENT, PAWNS, PLACES, ENDING, BY_OWN_KING, BY_THEIR_KING}


@dataclass(frozen=True, slots=True)
class DeepBreakdown:
    """Weighs positions by the evaluation at the end of a line, which knows nothing of a king in check."""

    weights: DeepWeights

    def evaluate(self, board: chess.Board) -> Evaluation:
        silence = terminal(board) or ("check" if board.is_check() else None)
        value = None if silence else self._features(board).value
        return Evaluation(board, value, silence, both_sides_heat(board))

    def changes(self, before: chess.Board, after: chess.Board) -> tuple[Part, ...]:
        one, other = self._features(before), self._features(after)
        parts = [*_counted_parts(one, other), _phase_part(one, other)]
        if self.weights.net is not None:
            parts.append(Part(None, TOGETHER, None, None, other.by_net - one.by_net))
        return greatest_first(parts)

    def _features(self, board: chess.Board) -> "_Features":
        return _Features(board, np.array(self.weights.table.rows), self.weights.net)


class _Features:
    """A position's features, each side's by themselves, and what they weigh in its phase."""

    def __init__(self, board: chess.Board, rows: Floats, net: Net | None) -> None:
        counts, phases = np.zeros((1, 2, len(NAMES)), np.int16), np.zeros(1, np.int16)
        count_sides([pack(board)], counts, phases)
        phase, mover_first = int(phases[0]), counts[0].astype(np.float64)
        self.counts = mover_first if board.turn == chess.BLACK else mover_first[::-1]  # by colour: Black is 0
        self.weights: Floats = rows @ [phase / MOST_PHASE, 1 - phase / MOST_PHASE]
        self.by_net = 0.0 if net is None else _by_net(net, board, counts)

    @property
    def value(self) -> float:
        """White minus Black."""
        black, white = self.counts @ self.weights
        return float(white - black) + self.by_net


def _by_net(net: Net, board: chess.Board, counts: npt.NDArray[np.int16]) -> float:
    """What the net adds to the value, for White."""
    value = float(net.values(*seen_by_net(counts))[0])
    return value if board.turn else -value


# The value is counts times weights, and both change, the weights with the phase of the game. A change of
# counts is weighed with the mean weights, a change of weights with the mean counts: that is the phase's part.


def _counted_parts(one: _Features, other: _Features) -> list[Part]:
    weights = (one.weights + other.weights) / 2
    changes = (other.counts - one.counts) * weights @ _MEMBERS.T
    before, after = one.counts @ _NUMBERS.T, other.counts @ _NUMBERS.T
    found = []
    for number, group in enumerate(_WORDS):
        black, white = changes[:, number]
        if group == TEMPO:
            found.append(Part(None, group, None, None, float(white - black)))
            continue
        for color, change in ((chess.WHITE, white), (chess.BLACK, -black)):
            was, became = (
                None if group in _UNCOUNTED else int(counts[int(color), number]) for counts in (before, after)
            )
            found.append(Part(color, group, was, became, float(change)))
    return found


def _phase_part(one: _Features, other: _Features) -> Part:
    black, white = (one.counts + other.counts) / 2 @ (other.weights - one.weights)
    return Part(None, PHASE, None, None, float(white - black))
