"""What a run is set up to do: decided when it begins, kept in its folder, the same after every stop."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from heatmap_engine.classic.weights import CMHM2
from heatmap_engine.deep.adopted import PACKAGE
from heatmap_engine.engines.mode import ModeSettings, mode_named
from heatmap_engine.errors import HeatmapError, InvalidRun, InvalidSettings
from heatmap_engine.learning.exploring import EPSILON, WAYS
from heatmap_engine.learning.runs.checkpoints import Marks
from heatmap_engine.learning.selfplay import PlaySettings
from heatmap_engine.players.game_loop import Ends, adjudication
from heatmap_engine.players.sides import Side, side_as_json, side_of_json
from qtable.json_input import MISSHAPEN, InvalidJson, parse_json_object

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_VERSION = 1
Settings = TypeVar("Settings", bound="DataclassInstance")
EXPLORERS = ("both", "alternate")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """A run's length, its table, and how its games are played; either `games` or `hours` is given."""

    run: str
    """The run's name in records: no other run has it."""
    table: str
    """The path of the table that it learns into."""
    games: int | None = None
    hours: float | None = None
    seed: int = 0
    epsilon_first: float = 0.2
    epsilon_last: float = 0.02
    explore: str = EPSILON
    """How games come to differ: by random moves, or by what the tree of results promises (`ucb`)."""
    explorers: str = EXPLORERS[0]
    """Who plays random moves: both sides, or one side in each game, the colours in turn."""
    plies: int = 2
    tactical_plies: int = 1
    heat_depth: int = 1
    weights: str = CMHM2.name
    record: str | None = None
    """What is recorded of games in classic mode; None is what its settings say."""
    most_entries: int | None = None
    """The table is held at so many entries; None is no limit."""
    movetime_ms: int | None = None
    max_plies: int = 300
    adjudicates: bool = False
    walks: int = 1
    checkpoints: str = "doubling"
    mode: str = "classic"
    nodes: int = 20_000
    """Of each pick in deep mode, unless it has a movetime."""
    learning_nodes: int = 20_000
    """Of a position that is walked back, in deep mode; more where many games have been."""
    deep_weights: str | None = None
    """A file; None are those of the package."""
    opponents: Sequence[Mapping[str, Any]] = ()
    """Whom the games are played against, in turn, for `side_of_json`; the engine itself where empty."""
    first_length: float | None = None
    """The games or hours that a lengthened run was to have at first; over these epsilon falls."""

    def __post_init__(self) -> None:
        if (self.games is None) == (self.hours is None):
            raise InvalidSettings("expected a number of games or of hours, one of them")
        _require_positive("games", self.games)
        _require_positive("hours", self.hours)
        _require_positive("the first length", self.first_length)
        _require_positive("most entries", self.most_entries)
        _require_positive("movetime", self.movetime_ms)
        _require_positive("walks", self.walks)
        _require_positive("nodes", self.nodes)
        for epsilon in (self.epsilon_first, self.epsilon_last):
            if not 0.0 <= epsilon <= 1.0:
                raise InvalidSettings(f"epsilon must be from 0 to 1, got {epsilon!r:.80}")
        if self.explore not in WAYS:
            raise InvalidSettings(f"explore must be one of {', '.join(WAYS)}, got {self.explore!r:.80}")
        if self.explorers not in EXPLORERS:
            raise InvalidSettings(
                f"explorers must be one of {', '.join(EXPLORERS)}, got {self.explorers!r:.80}"
            )
        for name in (self.run, self.table, self.deep_weights or ""):
            _require_utf_8(name)
        Marks.parse(self.checkpoints)
        # As they come back from a file.
        object.__setattr__(self, "opponents", tuple(side_as_json(side) for side in self.opposing_sides))
        self.play_settings()

    @property
    def played_with(self) -> dict[str, Any]:
        """The settings of the mode that the run plays with, by their names."""
        mode = mode_named(self.mode)
        weights = self.deep_weights if mode.takes_weights_file else self.weights
        given = {**asdict(self), "weights": weights}
        return {name: given[name] for name in mode.setting_names if given.get(name) is not None}

    @property
    def search(self) -> ModeSettings:
        """How values are found while games are walked back."""
        mode = mode_named(self.mode)
        packages = {"weights": PACKAGE} if mode.takes_weights_file else {}
        settings: ModeSettings = mode.settings_named(**{**packages, **self.played_with})
        return settings

    def play_settings(self) -> PlaySettings:
        """What every game's task carries."""
        mode = mode_named(self.mode)
        ends = Ends(self.max_plies, adjudication(mode) if self.adjudicates else None)
        nodes = self.nodes if mode.plays_by_nodes and self.movetime_ms is None else None
        return PlaySettings(
            self.run, self.seed, self.search, self.movetime_ms, ends, self.walks, nodes, self.explore
        )

    @property
    def opposing_sides(self) -> tuple[Side, ...]:
        """Whom the games are played against, in turn."""
        return tuple(map(side_of_json, self.opponents))

    @property
    def length(self) -> float:
        """How many games, or how many hours."""
        length = self.hours if self.games is None else self.games
        assert length is not None
        return length

    @property
    def unit(self) -> str:
        """What the length counts."""
        return "hours" if self.games is None else "games"

    def lengthened(self, unit: str, length: float) -> Self:
        """The same run with so many games or hours in all; its epsilons stay, and the last one goes on."""
        if unit != self.unit:
            raise InvalidSettings(
                f"the run counts {self.unit}, not {unit}; --{self.unit} with a larger number lengthens it"
            )
        if not length >= self.length:
            raise InvalidSettings(
                f"a run can only be lengthened: expected at least {self.length} {unit}, got {length}"
            )
        if length == self.length:
            return self
        first = self.length if self.first_length is None else self.first_length
        games, hours = (int(length), None) if unit == "games" else (None, length)
        return replace(self, games=games, hours=hours, first_length=first)

    def epsilon(self, fraction: float) -> float:
        """The share of random moves when this fraction of the first length is over; it falls evenly."""
        return self.epsilon_first + (self.epsilon_last - self.epsilon_first) * min(max(fraction, 0.0), 1.0)

    def to_json(self) -> str:
        return json.dumps({"version": _VERSION, **asdict(self)}, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        return settings_of(cls, text, _VERSION)


def settings_of(kind: type[Settings], text: str, version: int) -> Settings:
    """The settings that were written as JSON, with no field too many; raises InvalidRun."""
    data = _parsed(text, version)
    if unknown := set(data) - {item.name for item in fields(kind)}:
        raise InvalidRun(f"expected the settings of a run, got also {', '.join(sorted(unknown))}")
    try:
        return kind(**data)
    except (HeatmapError, *MISSHAPEN) as error:
        raise InvalidRun(f"expected the settings of a run: {error}") from error


def _parsed(text: str, version: int) -> dict[str, Any]:
    try:
        data = parse_json_object(text)
    except InvalidJson as error:
        raise InvalidRun(f"expected the settings of a run as JSON: {error}") from error
    if data.pop("version", None) != version:
        raise InvalidRun(f"expected the settings of a run, version {version}, got {text[:80]!r}")
    return data


def _require_utf_8(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise InvalidSettings(f"a run keeps its names as text; expected UTF-8, got {name!r:.300}") from error


def _require_positive(name: str, value: float | None) -> None:
    if value is not None and not value > 0:
        raise InvalidSettings(f"{name} must be more than 0, got {value!r:.80}")
