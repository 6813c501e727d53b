"""The two sides of a match as data: our engine with a table and settings, or any UCI or xboard engine."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from heatmap_engine.classic.search import SearchSettings
from heatmap_engine.classic.weights import CMHM2, PRESETS
from heatmap_engine.errors import InvalidSettings, shown
from heatmap_engine.match.deep_side import DeepSide
from heatmap_engine.match.pace import Pace, TimeControl


@dataclass(frozen=True, slots=True)
class OurSide:
    """Our engine, played in the process itself. Its table is only read, unless it `learns`."""

    name: str
    table: Path | None = None
    """None is the untrained engine."""
    plies: int = 2
    tactical_plies: int = 1
    heat_depth: int = 1
    weights: str = CMHM2.name
    learns: bool = False
    pace: Pace = field(default_factory=Pace)

    def __post_init__(self) -> None:
        if self.weights not in PRESETS:
            raise InvalidSettings(f"expected weights of {', '.join(PRESETS)}, got {shown(self.weights)}")
        if self.learns and self.table is None:
            raise InvalidSettings(f"{self.name}: a side without a table has nowhere to learn into")
        self.settings  # noqa: B018 raises for what no search can have

    @property
    def settings(self) -> SearchSettings:
        return SearchSettings(self.plies, self.tactical_plies, self.heat_depth, PRESETS[self.weights])


@dataclass(frozen=True, slots=True)
class UciSide:
    """A UCI engine in a process of its own."""

    name: str
    command: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)

    learns = False

    def __post_init__(self) -> None:
        if not self.command:
            raise InvalidSettings(f"{self.name}: expected the command of an engine, got nothing")
        if not self.pace.is_limited:
            raise InvalidSettings(
                f"{self.name}: an engine thinks without end unless it has a limit: a time control (tc), "
                "movetime, nodes or plies"
            )


@dataclass(frozen=True, slots=True)
class XboardSide(UciSide):
    """An engine that speaks the xboard protocol, version 2, with its `ping` and `setboard`."""

    def __post_init__(self) -> None:
        # super() without arguments fails in a dataclass with slots, which is made anew.
        UciSide.__post_init__(self)
        if self.pace.nodes is not None:
            raise InvalidSettings(f"{self.name}: the xboard protocol has no limit of nodes")
        if self.pace.clock is not None and self.pace.clock.moves is not None:
            raise InvalidSettings(
                f"{self.name}: expected a clock for the whole game: an xboard engine counts the opening's "
                f"moves with the first {self.pace.clock.moves}, and the clock here does not"
            )


Side = OurSide | DeepSide | UciSide


def side_as_json(side: Side) -> dict[str, Any]:
    """Plain data that `side_of_json` makes the same side of."""
    data = asdict(side)
    if isinstance(side, OurSide):
        data["table"] = None if side.table is None else str(side.table)
    if isinstance(side, XboardSide):
        data["protocol"] = "xboard"
    if isinstance(side, DeepSide):
        data["mode"] = "deep"
        for name, path in (("table", side.table), ("weights", side.weights)):
            data[name] = None if path is None else str(path)
    return data


def side_of_json(data: Mapping[str, Any]) -> Side:
    fields = dict(data)
    clock = fields["pace"].pop("clock")
    fields["pace"] = Pace(clock and TimeControl(**clock), **fields["pace"])
    if "command" in fields:
        fields["command"] = tuple(fields["command"])
        return XboardSide(**fields) if fields.pop("protocol", None) == "xboard" else UciSide(**fields)
    if fields.pop("mode", "classic") == "deep":
        for name in ("table", "weights"):
            fields[name] = None if fields[name] is None else Path(fields[name])
        return DeepSide(**fields)
    fields["table"] = None if fields["table"] is None else Path(fields["table"])
    return OurSide(**fields)
