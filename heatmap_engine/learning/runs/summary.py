"""What many games of a run come to, added up one by one."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from heatmap_engine.learning.runs.measurement import RunMeasurement

_SECONDS_AN_HOUR = 3600.0


@dataclass(slots=True)
class Mean:
    """A mean of those values that are known."""

    total: float = 0.0
    number: int = 0

    def add(self, value: float | None) -> None:
        if value is not None:
            self.total += value
            self.number += 1

    @property
    def value(self) -> float | None:
        return self.total / self.number if self.number else None


@dataclass(slots=True)
class RunSummary:
    """Games of a run in numbers; means are None where no game says anything."""

    games: int = 0
    white_wins: int = 0
    draws: int = 0
    black_wins: int = 0
    terminations: Counter[str] = field(default_factory=Counter)
    plies: Mean = field(default_factory=Mean)
    points: Mean = field(default_factory=Mean)
    """Of the engine against its opponents."""
    random_moves: Mean = field(default_factory=Mean)
    value_change: Mean = field(default_factory=Mean)
    points_change: Mean = field(default_factory=Mean)
    picks_changed: Mean = field(default_factory=Mean)
    new: int = 0
    changed: int = 0
    entries: int | None = None
    table_bytes: int | None = None
    seconds: float = 0.0
    """How long the run had been running at the last of these games."""

    @classmethod
    def of(cls, measurements: Iterable[RunMeasurement]) -> Self:
        summary = cls()
        for measurement in measurements:
            summary.add(measurement)
        return summary

    def add(self, game: RunMeasurement) -> None:
        """Count one more game."""
        self.games += 1
        self.white_wins += game.result == "1-0"
        self.black_wins += game.result == "0-1"
        self.draws += game.result == "1/2-1/2"
        self.terminations[game.termination] += 1
        self.plies.add(game.plies)
        for name in ("points", "random_moves", "value_change", "points_change", "picks_changed"):
            getattr(self, name).add(getattr(game, name))
        self.new += game.new or 0
        self.changed += game.changed or 0
        self.entries = self.entries if game.entries is None else game.entries
        self.table_bytes = self.table_bytes if game.table_bytes is None else game.table_bytes
        self.seconds = max(self.seconds, game.seconds or 0.0)

    @property
    def repetitions(self) -> int:
        return self.terminations["threefold repetition"]

    @property
    def repetition_share(self) -> float | None:
        return self.repetitions / self.games if self.games else None

    def games_per_hour(self, since_seconds: float = 0.0) -> float | None:
        """The speed after `since_seconds` of the run's running time, which must be when these games began."""
        running = self.seconds - since_seconds
        return self.games * _SECONDS_AN_HOUR / running if running > 0 else None

    def as_json(self) -> dict[str, object]:
        """The same names and units as in a line of measurements."""
        return {
            "games": self.games,
            "white_wins": self.white_wins,
            "draws": self.draws,
            "black_wins": self.black_wins,
            "terminations": dict(self.terminations.most_common()),
            "repetition_share": self.repetition_share,
            "plies_per_game": self.plies.value,
            "points_per_game": self.points.value,
            "random_moves_per_game": self.random_moves.value,
            "value_change": self.value_change.value,
            "points_change": self.points_change.value,
            "picks_changed_per_game": self.picks_changed.value,
            "new": self.new,
            "changed": self.changed,
            "entries": self.entries,
            "table_bytes": self.table_bytes,
            "seconds": self.seconds,
            "games_per_hour": self.games_per_hour(),
        }
