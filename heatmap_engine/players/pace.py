"""How long a side may think: a clock, a time or an effort for each move; and the clock that is kept of it.

Clocks are kept here, outside of the engines: nobody's own measure of its time counts.
"""

import re
from dataclasses import dataclass
from typing import Self

from heatmap_engine.errors import InvalidSettings

_TIME_CONTROL = re.compile(
    r"(?:(?P<moves>[1-9]\d{0,3})/)?(?P<base>\d{1,6}(?:\.\d+)?)(?:\+(?P<increment>\d{1,5}(?:\.\d+)?))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """So many seconds for the game, or for so many moves, and an increment after each move."""

    base_s: float
    increment_s: float = 0.0
    moves: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """From "8+0.08" or "40/60+0.5"; raises InvalidSettings for anything else."""
        match = _TIME_CONTROL.fullmatch(text)
        if match is None or not float(match["base"]):
            raise InvalidSettings(
                f"expected a time control such as 8+0.08 or 40/60 (moves/seconds+increment), got {text!r:.80}"
            )
        moves = int(match["moves"]) if match["moves"] else None
        return cls(float(match["base"]), float(match["increment"] or 0), moves)

    def __str__(self) -> str:
        moves = f"{self.moves}/" if self.moves else ""
        increment = f"+{self.increment_s:g}" if self.increment_s else ""
        return f"{moves}{self.base_s:g}{increment}"


@dataclass(frozen=True, slots=True)
class Pace:
    """The limits of a side. All None means an engine's own default, which only ours has."""

    clock: TimeControl | None = None
    move_ms: int | None = None
    nodes: int | None = None
    plies: int | None = None

    def __post_init__(self) -> None:
        for name in ("move_ms", "nodes", "plies"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidSettings(f"expected {name} of at least 1, got {value}")
        if self.clock is not None and self.move_ms is not None:
            raise InvalidSettings("expected a time control or a time for each move, got both")

    @property
    def is_limited(self) -> bool:
        return self != Pace()

    def __str__(self) -> str:
        limits = {"tc": self.clock, "movetime": self.move_ms, "nodes": self.nodes, "plies": self.plies}
        return " ".join(f"{name}={value}" for name, value in limits.items() if value is not None)


class Clock:
    """A side's clock in one game; without a time control, only what a single move may take."""

    def __init__(self, pace: Pace, margin_s: float) -> None:
        self._control = pace.clock
        self._move_s = None if pace.move_ms is None else pace.move_ms / 1000
        self._margin_s = margin_s
        self._played = 0
        self.remaining_s = None if self._control is None else self._control.base_s

    @property
    def increment_s(self) -> float | None:
        return None if self._control is None else self._control.increment_s

    @property
    def moves_to_go(self) -> int | None:
        """Moves until the next base time is added."""
        if self._control is None or self._control.moves is None:
            return None
        return self._control.moves - self._played % self._control.moves

    @property
    def allowed_s(self) -> float | None:
        """What the next move may take; None without any limit in time."""
        if self.remaining_s is not None:
            return self.remaining_s + self._margin_s
        return None if self._move_s is None else self._move_s + self._margin_s

    def spend(self, seconds: float) -> bool:
        """Take a move's time off the clock; False if that was more than it may take."""
        allowed = self.allowed_s
        if allowed is not None and seconds > allowed:
            return False
        self._played += 1
        if self._control is not None and self.remaining_s is not None:
            # What was taken of the margin is not owed.
            self.remaining_s = max(self.remaining_s - seconds, 0.0) + self._control.increment_s
            if self._control.moves is not None and self._played % self._control.moves == 0:
                self.remaining_s += self._control.base_s
        return True
