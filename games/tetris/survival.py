"""How long a player survives: lines, deaths and the hazard, which is deaths for each line.

A player forgets how it came to a board, so that its games' lengths are nearly geometric: they scatter as much
as their mean is large, and only the number of deaths says how well the mean is known. A game that was ended
before its death is no game of so many lines; its lines count without a death.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

_BISECTIONS = 60
# Beyond so many events the sums take long, and the approximation is right to five digits.
_MANY = 500
_NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Survival:
    """What some games came to, together."""

    games: int = 0
    deaths: int = 0
    lines: int = 0
    pieces: int = 0

    def plus(self, other: "Survival") -> Self:
        return type(self)(
            self.games + other.games,
            self.deaths + other.deaths,
            self.lines + other.lines,
            self.pieces + other.pieces,
        )

    @classmethod
    def of(cls, parts: Iterable["Survival"]) -> Self:
        """All of these together."""
        total = cls()
        for part in parts:
            total = total.plus(part)
        return total

    @property
    def mean(self) -> float | None:
        """Lines for each death; None if nothing has died."""
        return self.lines / self.deaths if self.deaths else None

    @property
    def interval(self) -> tuple[float, float | None]:
        """Where the mean lines of a game lie, with 95 %; without a death there is no upper bound."""
        low, high = poisson_interval(self.deaths)
        return self.lines / high, self.lines / low if low else None

    @property
    def hazard(self) -> float | None:
        """Deaths for each line; None if no line was cleared."""
        return self.deaths / self.lines if self.lines else None

    def as_json(self) -> dict[str, Any]:
        low, high = self.interval
        return {
            "games": self.games,
            "deaths": self.deaths,
            "lines": self.lines,
            "pieces": self.pieces,
            "mean_lines": self.mean,
            "low_95": low,
            "high_95": high,
            "hazard": self.hazard,
        }

    def __str__(self) -> str:
        low, high = self.interval
        counts = f"{counted(self.games, 'game')}, {counted(self.deaths, 'death')}, {self.lines:,} lines"
        if self.mean is None:
            return f"{counts}: the mean is more than {low:,.0f} lines (95 %)"
        return f"{counts}: mean {self.mean:,.0f} lines (95 %: {low:,.0f} to {high:,.0f})"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def poisson_interval(events: int) -> tuple[float, float]:
    """The exact 95 % interval of a Poisson mean of which so many events were seen.

    Without an event it is one-sided: three, where 95 % of all means would have shown one.
    """
    if events == 0:
        return 0.0, -math.log(0.05)
    if events > _MANY:
        return _many(events, -_NORMAL_95), _many(events + 1, _NORMAL_95)
    tail = 0.025
    low = _solve(events, lambda mean: 1 - _at_most(events - 1, mean) < tail)
    high = _solve(events, lambda mean: _at_most(events, mean) > tail)
    return low, high


def _many(events: int, normal: float) -> float:
    """Wilson and Hilferty's approximation of a bound."""
    return float(events * (1 - 1 / (9 * events) + normal / (3 * math.sqrt(events))) ** 3)


def _solve(events: int, is_below: Callable[[float], bool]) -> float:
    low, high = 0.0, 10.0 * events + 20.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return (low + high) / 2


def _at_most(events: int, mean: float) -> float:
    """The probability of at most so many events where `mean` are expected."""
    if mean == 0:
        return 1.0
    logs = [count * math.log(mean) - mean - math.lgamma(count + 1) for count in range(events + 1)]
    most = max(logs)
    return min(1.0, math.exp(most) * sum(math.exp(log - most) for log in logs))
