"""What is measured of each checkpoint, as one line."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from heatmap_engine.errors import InvalidRun
from heatmap_engine.match.strength import Pentanomial, Strength, strength_of
from qtable.json_input import MISSHAPEN, parse_json_object

_COUNTS_OF_PAIRS = 5


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A checkpoint's match, from its side."""

    pentanomial: Pentanomial

    @classmethod
    def of(cls, points: Iterable[float]) -> Self:
        """From the points of each pair, 0 to 2."""
        result = Pentanomial()
        for pair in points:
            result = result.plus(pair)
        return cls(result)

    @property
    def games(self) -> int:
        return 2 * self.pentanomial.pairs

    @property
    def strength(self) -> Strength:
        return strength_of(self.pentanomial)

    def as_json(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "score": self.pentanomial.score,
            "pentanomial": [*self.pentanomial.counts],
            **asdict(self.strength),
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        counts = data["pentanomial"]
        if len(counts) != _COUNTS_OF_PAIRS:
            raise ValueError(f"expected {_COUNTS_OF_PAIRS} counts of pairs, got {counts!r:.80}")
        return cls(Pentanomial(tuple(counts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneMeasurement:
    """A checkpoint in numbers. None stands where its method or its run measures nothing."""

    round: int
    games: int
    """Played to learn from until then; matches that only measure are counted apart."""
    cpu_seconds: float
    """Spent on playing these games and on learning from them, by all processes together."""
    positions: int | None = None
    """That the last fit used."""
    loss_before: float | None = None
    loss: float | None = None
    """How much the results of held-back games surprise, before and after the last fit."""
    match_games: int = 0
    match_cpu_seconds: float = 0.0
    against_start: MatchResult | None = None
    against_last: MatchResult | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain data, with the figures of each match by name."""
        data: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        return data | {name: data[name] and data[name].as_json() for name in _MATCHES}

    def to_json(self) -> str:
        return json.dumps(self.as_json())

    @classmethod
    def from_json(cls, text: str) -> Self:
        try:
            data = parse_json_object(text)
            for name in _MATCHES:
                data[name] = data[name] and MatchResult.of_json(data[name])
            return cls(**data)
        except MISSHAPEN as error:
            raise InvalidRun(f"expected a line of measurements, got {text[:80]!r}: {error}") from error


_MATCHES = ("against_start", "against_last")
