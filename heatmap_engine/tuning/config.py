"""What a tuning run is set up to do: decided when it begins, kept in its folder."""

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Self

from heatmap_engine.errors import InvalidSettings, shown
from heatmap_engine.learning.runs.config import settings_of
from qtable.json_input import InvalidJson, parse_json_object

_VERSION = 3  # in version 1 games left the ends of expected lines, in 2 nobody played against a lone king
# The method that tunes the constants of the search and leaves weights alone.
SPSA = "spsa"
METHODS = ("td", "results", "cem", "ga", SPSA)
# Both colours of the openings that nothing is learned from; at fixed nodes more would be the same games.
MOST_MATCH_GAMES = 288
# Methods that learn from how games went, position by position; the others only count points.
FITS = ("td", "results")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneConfig:
    """How a run learns; what its method does not use is left alone."""

    method: str
    start: str = "cmhm2"
    """Which weights it began with, for people; the weights themselves are in the folder."""
    rounds: int = 10
    nodes: int = 2000
    """A move's nodes, in games to learn from and in matches."""
    seed: int = 0

    games: int = 500
    """Of the first round."""
    growth: float = 1.0
    """Each round plays so many times the games of the round before, those against a lone king as well."""
    trace: float = 0.7
    """The lambda of temporal differences."""
    epsilon: float = 0.05
    """The share of random moves in games to learn from."""
    kept: int = 4
    """The fit uses the games of so many rounds, the last with them."""
    net_from: int = 1_000_000
    """A fit of so many positions learns a net, too."""
    random_plies: int = 6
    """A game goes on from its opening with up to so many random moves."""
    lone: int = 20
    """Games of the first round against a lone king."""
    sources: tuple[str, ...] = ()
    """Files or folders with what `td` or `results` learn from, if they do not play games themselves."""

    candidates: int = 24
    pairs: int = 8
    """Pairs of games of each candidate, or of each iteration."""
    best: float = 0.25
    """The share of the candidates that goes on."""
    noise: float = 0.2
    """How far candidates lie apart, in expected sizes of weights."""
    decay: float = 0.9
    """How much of the noise a round leaves to the next."""

    iterations: int = 20
    """Of a round, each with a match of its own."""
    gain: float = 6.0
    """How far the constants move for what a match says, at first: `a` of the usual rule."""
    delay: float = 20.0
    """Gains fall as if so many iterations had gone before: `A` of the usual rule."""
    spread: float = 1.0
    """How far players lie from the constants in the first match, in steps of each: `c` of the usual rule."""

    match_games: int = 100
    """Of each of a checkpoint's two matches; 0 plays none."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InvalidSettings(f"expected a method of {', '.join(METHODS)}, got {shown(self.method)}")
        for name in ("rounds", "nodes", "games", "kept", "net_from", "candidates", "pairs", "iterations"):
            _require(name.replace("_", " "), getattr(self, name), getattr(self, name) >= 1, "at least 1")
        _require("growth", self.growth, 1 <= self.growth <= 10, "from 1 to 10")
        _require("random plies", self.random_plies, self.random_plies >= 0, "at least 0")
        _require("lone", self.lone, self.lone >= 0, "at least 0")
        _require("lambda", self.trace, 0 <= self.trace <= 1, "from 0 to 1")
        _require("epsilon", self.epsilon, 0 <= self.epsilon <= 1, "from 0 to 1")
        _require("best", self.best, 0 < self.best <= 1, "above 0 and at most 1")
        _require("noise", self.noise, self.noise > 0, "above 0")
        _require("decay", self.decay, 0 < self.decay <= 1, "above 0 and at most 1")
        _require("gain", self.gain, 0 < self.gain < math.inf, "above 0")
        _require("delay", self.delay, 0 <= self.delay < math.inf, "at least 0")
        _require("spread", self.spread, 0 < self.spread < math.inf, "above 0")
        measures = 0 <= self.match_games <= MOST_MATCH_GAMES and self.match_games % 2 == 0
        _require("match games", self.match_games, measures, f"even and from 0 to {MOST_MATCH_GAMES}")
        if self.method == "ga":
            expected = f"less than 1 of {self.candidates} candidates, so that there are children"
            _require("best", self.best, self.survivors < self.candidates, expected)
        object.__setattr__(self, "sources", tuple(self.sources))  # JSON has a list
        if self.sources and self.method not in FITS:
            raise InvalidSettings(
                f"games from elsewhere are for the methods td and results, got {self.method}"
            )
        if self.sources and self.rounds != 1:
            raise InvalidSettings(f"games from elsewhere are fitted in one round, got {self.rounds}")

    @property
    def is_fit(self) -> bool:
        """Whether it fits weights to positions, and so can say how well they explain results."""
        return self.method in FITS

    def games_of(self, round_number: int) -> tuple[int, int]:
        """How many games a round plays to learn from: against itself, and against a lone king."""
        factor = self.growth ** (round_number - 1)
        return round(self.games * factor), round(self.lone * factor)

    @property
    def survivors(self) -> int:
        """How many candidates of a round go on."""
        return max(1, round(self.best * self.candidates))

    def to_json(self) -> str:
        return json.dumps({"version": _VERSION, **asdict(self)}, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        return settings_of(cls, _with_sources(text), _VERSION)

    def used(self) -> dict[str, object]:
        """What this run makes use of, for provenance."""
        other = unused(self.method, bool(self.sources))
        return {item.name: getattr(self, item.name) for item in fields(self) if item.name not in other}


_OF_TD = {"trace", "net_from"}
_OF_GAMES = {"games", "growth", "epsilon", "kept", "random_plies", "lone"}
_OF_CANDIDATES = {"candidates", "best", "noise", "decay"}
_OF_ITERATIONS = {"iterations", "gain", "delay", "spread"}


def unused(method: str, has_source: bool) -> set[str]:
    """The settings that such a run has no use for."""
    if method in FITS:
        of_others = _OF_GAMES if has_source else {"sources"}
        of_matches = {"pairs", *_OF_CANDIDATES, *_OF_ITERATIONS}
        return {*of_matches, *of_others, *(() if method == "td" else _OF_TD)}
    return {"sources", *_OF_TD, *_OF_GAMES, *(_OF_CANDIDATES if method == SPSA else _OF_ITERATIONS)}


def _with_sources(text: str) -> str:
    """The settings as they are written today: once there was one source, or none."""
    try:
        data = parse_json_object(text)
    except InvalidJson:
        return text  # which is refused later, in words
    if "source" not in data:
        return text
    source = data.pop("source")
    return json.dumps({**data, "sources": [] if source is None else [source]})


def _require(name: str, value: object, holds: bool, expected: str) -> None:
    if not holds:
        raise InvalidSettings(f"{name} must be {expected}, got {shown(value)}")
