"""What a score means for the result of the game, fitted to games of the engine against itself.

`benchmarks/fit_winning_chances.py` made the numbers; docs/figures.md says how well they fit.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

# Heat units. A win is as likely as not at HALF; SPREAD is how fast that changes with the score.
HALF = 59.68
SPREAD = 28.32

# The same for values of the deep search, in centipawns. They were fitted with the weights td 7 on a clock,
# and games with td 8 at 20,000 nodes do not say otherwise. At +284 they expect ten points for one lost.
DEEP_HALF = 154.26
DEEP_SPREAD = 83.88

# What people score with a lead: the curve that lichess.org publishes, fitted to games there. It is for
# Stockfish's centipawns, of which one of ours is so many (benchmarks/annotation_scale.py).
_STEEPNESS_AMONG_PEOPLE = 0.00368208
_OF_STOCKFISH = 1.4
# A greater lead is worth no more on it, a mate neither.
_WON_AMONG_PEOPLE = 1000

# Scores are shown up to here; a mate in the tree is shown as a mate and is worth more.
_MOST_CENTIPAWNS = 9_999
# What a win by an endgame table counts in deep mode: more than any lead, less than any mate.
TABLEBASE_WIN = 20_000
# So many leave less than a thousandth of a centipawn open.
_HALVINGS = 25


@dataclass(frozen=True, slots=True)
class Chances:
    """The probabilities of a win, a draw and a loss."""

    win: float
    draw: float
    loss: float

    def per_mille(self) -> tuple[int, int, int]:
        """The three as whole numbers that add up to 1000."""
        win, loss = round(1000 * self.win), round(1000 * self.loss)
        return win, 1000 - win - loss, loss


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of values, and what a value means for its side."""

    mode: str
    words: str
    decimals: int
    """How many are worth being shown."""
    is_static: bool
    """Whether a score says something without a search: heat does, a deep value does not."""
    chances: Callable[[float], Chances]
    centipawns: Callable[[float], int]
    mate_in: Callable[[float, int], int | None]
    """Moves to the mate that a value means, so many plies later; negative for being mated, or None."""
    expected_points: Callable[[float], float]
    """The points expected of a game with this value: 1 for a win, 0.5 for a draw."""
    has_mates: bool = False
    """Whether some values mean mates. Averages leave these out."""
    caution: str = ""
    """What a chess player must know before believing the mode's moves, in a sentence."""

    def is_mate(self, value: float) -> bool:
        """Whether a value means a mate and not chances."""
        return self.mate_in(value, 0) is not None


def chances(score: float) -> Chances:
    """The chances of the side whose score this is, in heat units."""
    return _chances(score, HALF, SPREAD)


def deep_chances(value: float) -> Chances:
    """The chances of the side whose value of the deep search this is."""
    return _chances(value, DEEP_HALF, DEEP_SPREAD)


def _chances(score: float, half: float, spread: float) -> Chances:
    win, loss = _logistic((score - half) / spread), _logistic((-score - half) / spread)
    return Chances(win, max(0.0, 1.0 - win - loss), loss)  # a win is as good as sure where rounding matters


def expected_points(score: float) -> float:
    """The points expected of a game with this score: 1 for a win, 0.5 for a draw."""
    expected = chances(score)
    return expected.win + expected.draw / 2


def value_expecting(points: float, expected: Callable[[float], float]) -> float:
    """The value with which so many points are to be expected; `expected` must rise with the value."""
    low, high = float(-_MOST_CENTIPAWNS), float(_MOST_CENTIPAWNS)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) < points else (low, middle)
    return (low + high) / 2


def centipawns(score: float) -> int:
    """The score in centipawns: the Elo difference at which a player expects the same result.

    It is 400 log10(E / (1 - E)) for the expected result E = win + draw / 2.
    """
    # E / (1 - E) = (1 + win - loss) / (1 - win + loss), written so that neither side is rounded to nothing.
    ahead = _log_ahead(abs(score))
    return int(math.copysign(min(round(400.0 * ahead), _MOST_CENTIPAWNS), score))


def deep_centipawns(value: float) -> int:
    """A value of the deep search in centipawns: its unit is the same."""
    if abs(value) == TABLEBASE_WIN:
        return round(value)
    return max(-_MOST_CENTIPAWNS, min(_MOST_CENTIPAWNS, round(value)))


def share_among_people(centipawns: float) -> float:
    """The share of the points that a person may expect with this lead against another; 0.5 for none.

    People let more leads slip than engines do, so this is flatter than `expected_points`.
    """
    lead = max(-_WON_AMONG_PEOPLE, min(_WON_AMONG_PEOPLE, _OF_STOCKFISH * centipawns))
    return _logistic(_STEEPNESS_AMONG_PEOPLE * lead)


def _log_ahead(score: float) -> float:
    """log10 of E / (1 - E) for a score of at least 0."""
    win, not_win = _logistic((score - HALF) / SPREAD), _logistic((HALF - score) / SPREAD)
    loss = _logistic((-score - HALF) / SPREAD)
    return math.log10((1.0 + win - loss) / max(not_win + loss, 1e-300))


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0
