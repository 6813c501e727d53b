"""How long to think: the limits of one search, and how they follow from a clock."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from heatmap_engine.errors import InvalidSettings, shown

# Of the increment, which comes back after every move, this much may be used on average.
_OF_INCREMENT = 0.8
# The hard budget: this many times the average one, and never more than this part of the clock.
_STRETCH = 4.0
_MOST_OF_CLOCK = 0.25
_MOST_OF_LAST_MOVE = 0.9

_LEAST_S = 0.001
# Some time is left for a search even where a clock has run out.
_LEAST_LEFT_S = 0.0001

# What a position deserves of the soft budget after 0, 1, 2, ... depths that kept the best move.
_BY_STEADY_DEPTHS = (1.8, 1.5, 1.25, 1.05, 0.9, 0.75, 0.65)
# A value that falls by so many centipawns deserves twice as much, no more.
_ALARMING_FALL = 60.0
# Of the value expected, this much is what the last depth said, and the rest what those before did.
_OF_LAST_VALUE = 0.5


@dataclass(frozen=True, slots=True, init=False)
class Limits:
    """When a search ends: at the first of these limits that is reached. Without any, the mode has its own.

    `plies` is another name for `depth`, and `moves_visited` for `nodes`: classic mode counts moves visited.
    """

    depth: int | None = None
    """How many full-width plies to look ahead at most."""
    seconds: float | None = None
    nodes: int | None = None
    soft_seconds: float | None = None
    """After so long no deeper search is begun, though one that is running may go on."""
    strict: bool = False
    """Classic mode: whether the limits may end even the first search. Then a search of one ply answers."""
    is_patient: bool = False
    """Deep mode: whether `soft_seconds` grows while the best move is in doubt, and shrinks once it is not."""

    def __init__(
        self,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        soft_seconds: float | None = None,
        strict: bool = False,
        is_patient: bool = False,
        *,
        plies: int | None = None,
        moves_visited: int | None = None,
    ) -> None:
        given: Mapping[str, object] = {
            "depth": plies if depth is None else depth,
            "seconds": seconds,
            "nodes": moves_visited if nodes is None else nodes,
            "soft_seconds": soft_seconds,
            "strict": strict,
            "is_patient": is_patient,
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)
        spoken = {"depth": "depth" if plies is None else "plies"}
        spoken["nodes"] = "nodes" if moves_visited is None else "moves_visited"
        for name in ("depth", "seconds", "nodes", "soft_seconds"):
            least = 1 if name == "depth" else 0
            _require_number(spoken.get(name, name), given[name], least, is_whole="seconds" not in name)

    @property
    def is_timed(self) -> bool:
        """Whether time or effort is limited, and so the depth is not the only limit."""
        return (self.seconds, self.nodes, self.soft_seconds) != (None, None, None)

    def after(self, seconds: float) -> Self:
        """The limits that are left after so much time; a little is always left."""

        def left(limit: float | None) -> float | None:
            return None if limit is None else max(limit - seconds, _LEAST_LEFT_S)

        return replace(self, seconds=left(self.seconds), soft_seconds=left(self.soft_seconds))


def _require_number(name: str, value: object, least: int, *, is_whole: bool) -> None:
    kinds = (int,) if is_whole else (int, float)
    if value is not None and (not isinstance(value, kinds) or isinstance(value, bool) or not value >= least):
        raise InvalidSettings(f"{name} must be a number of at least {least}, got {shown(value)}")


@dataclass(frozen=True, slots=True)
class Pacing:
    """How a kind of search shares out its clock."""

    moves: int
    """Among how many moves the remaining time is shared, if nobody says how many moves are left."""
    begin_until: float
    """Of the average time for a move, the part up to which a deeper search is begun."""


# What ends the search of a level that is held back are its nodes; the clock only has to suffice for them.
LIMITED_PACING = Pacing(moves=40, begin_until=1.0)


@dataclass(frozen=True, slots=True)
class Budget:
    """No deeper search is begun after `soft_s`; the answer is on its way after `hard_s`."""

    soft_s: float
    hard_s: float
    is_shared: bool = True
    """Whether unused time is kept for later moves: on a clock, but not with a time for each move."""

    def limits(self, depth: int | None = None, nodes: int | None = None, *, spent_s: float = 0.0) -> Limits:
        """The limits of a search within this budget, after `spent_s` of it were used."""
        soft_s, hard_s = (max(seconds - spent_s, _LEAST_LEFT_S) for seconds in (self.soft_s, self.hard_s))
        return Limits(depth, hard_s, nodes, soft_s, strict=True, is_patient=self.is_shared)


def clock_budget(
    remaining_ms: float, increment_ms: float, moves_to_go: int | None, overhead_ms: float, pacing: Pacing
) -> Budget:
    """The budget for this move of a game; an empty or negative clock gives the smallest one."""
    usable_ms = max(remaining_ms - overhead_ms, 0.0)
    moves = min(moves_to_go, pacing.moves) if moves_to_go and moves_to_go > 0 else pacing.moves
    average_ms = usable_ms / moves + _OF_INCREMENT * max(increment_ms, 0.0)
    share = _MOST_OF_LAST_MOVE if moves == 1 else _MOST_OF_CLOCK
    hard_ms = min(_STRETCH * average_ms, share * usable_ms)
    return Budget(_at_least(min(pacing.begin_until * average_ms, hard_ms)), _at_least(hard_ms))


def move_budget(move_ms: float, overhead_ms: float) -> Budget:
    """The budget if a fixed time is given for this one move."""
    hard_s = _at_least(move_ms - overhead_ms)
    return Budget(hard_s, hard_s, is_shared=False)


def _at_least(milliseconds: float) -> float:
    return max(milliseconds / 1000.0, _LEAST_S)


class Patience:
    """Is told the result of each depth, and says by what factor to change the soft time limit."""

    def __init__(self) -> None:
        self._move: object = None
        self._steady = 0
        self._expected: float | None = None

    def after_depth(self, move: object, value: float) -> float:
        """The factor: above 1 if the best move changed or the value fell, below 1 if both are settled."""
        self._steady = self._steady + 1 if move == self._move else 0
        self._move = move
        expected = self._expected if self._expected is not None else value
        fall = min(max(expected - value, 0.0) / _ALARMING_FALL, 1.0)
        self._expected = expected + _OF_LAST_VALUE * (value - expected)
        return _BY_STEADY_DEPTHS[min(self._steady, len(_BY_STEADY_DEPTHS) - 1)] * (1.0 + fall)
