"""How long to think: from a GUI's clock to a soft and a hard budget in seconds."""

from dataclasses import dataclass

# Of the increment, which comes back after every move, this much may be used on average.
_OF_INCREMENT = 0.8
# The hard budget: this many times the average one, and never more than this part of the clock.
_STRETCH = 4.0
_MOST_OF_CLOCK = 0.25
_MOST_OF_LAST_MOVE = 0.9

_LEAST_S = 0.001

# What a position deserves of the soft budget after 0, 1, 2, ... depths that kept the best move.
_BY_STEADY_DEPTHS = (1.8, 1.5, 1.25, 1.05, 0.9, 0.75, 0.65)
# A value that falls by so many units, of which 400 are a tenfold chance, deserves twice as much, no more.
_ALARMING_FALL = 60.0
# Of the value expected, this much is what the last depth said, and the rest what those before did.
_OF_LAST_VALUE = 0.5


@dataclass(frozen=True, slots=True)
class Pacing:
    """How a kind of search shares out its clock."""

    moves: int
    """Among how many moves the remaining time is shared, where nobody says how many are left."""
    begin_until: float
    """Of the average time for a move, the part up to which a deeper search is begun."""


# A depth of the base search takes some thirty times as long as the one before. One that is begun later would
# mostly be cut off by the hard budget, and its time be lost.
BASE_PACING = Pacing(moves=40, begin_until=0.05)
# A depth of the deep search takes some two times as long as the one before, and a broken one is not lost.
# What is saved for more moves than these is left over at the end, where it decides little.
DEEP_PACING = Pacing(moves=20, begin_until=0.8)
# What ends the search of a level that is held back are its nodes; the clock only has to suffice for them.
LIMITED_PACING = Pacing(moves=40, begin_until=1.0)


@dataclass(frozen=True, slots=True)
class Budget:
    """No deeper search is begun after `soft_s`; the answer is on its way after `hard_s`."""

    soft_s: float
    hard_s: float


def clock_budget(
    remaining_ms: float,
    increment_ms: float,
    moves_to_go: int | None,
    overhead_ms: float,
    pacing: Pacing = BASE_PACING,
) -> Budget:
    """What may be spent on this move of a game; an empty or negative clock gives the least there is."""
    usable_ms = max(remaining_ms - overhead_ms, 0.0)
    moves = min(moves_to_go, pacing.moves) if moves_to_go and moves_to_go > 0 else pacing.moves
    average_ms = usable_ms / moves + _OF_INCREMENT * max(increment_ms, 0.0)
    share = _MOST_OF_LAST_MOVE if moves == 1 else _MOST_OF_CLOCK
    hard_ms = min(_STRETCH * average_ms, share * usable_ms)
    return Budget(_at_least(min(pacing.begin_until * average_ms, hard_ms)), _at_least(hard_ms))


def move_budget(move_ms: float, overhead_ms: float) -> Budget:
    """What may be spent where a GUI gives so much for this one move."""
    hard_s = _at_least(move_ms - overhead_ms)
    return Budget(hard_s, hard_s)


def _at_least(milliseconds: float) -> float:
    return max(milliseconds / 1000.0, _LEAST_S)


class Patience:
    """Hears what each depth came to, and says how much of the soft budget the position deserves by now."""

    def __init__(self) -> None:
        self._move: object = None
        self._steady = 0
        self._expected: float | None = None

    def after_depth(self, move: object, value: float) -> float:
        """A factor: more where the best move changed or the value fell, less where both are settled."""
        self._steady = self._steady + 1 if move == self._move else 0
        self._move = move
        expected = self._expected if self._expected is not None else value
        fall = min(max(expected - value, 0.0) / _ALARMING_FALL, 1.0)
        self._expected = expected + _OF_LAST_VALUE * (value - expected)
        return _BY_STEADY_DEPTHS[min(self._steady, len(_BY_STEADY_DEPTHS) - 1)] * (1.0 + fall)
