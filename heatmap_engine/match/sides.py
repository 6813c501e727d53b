"""The two sides of a match as data: our engine with a table and settings, or any UCI or xboard engine."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from heatmap_engine.deep.adopted import PACKAGE
from heatmap_engine.engines.mode import DEFAULT, ModeSettings, mode_named
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.match.pace import Pace, TimeControl

# How a side's settings are called in the words of the command line and of a game's record.
WORDS = {
    "plies": "plies",
    "tactical_plies": "tactical",
    "heat_depth": "heat-depth",
    "weights": "weights",
    "hash_mib": "hash",
    "threads": "threads",
    "learning_nodes": "learning-nodes",
    "syzygy": "syzygy",
}


@dataclass(frozen=True, slots=True)
class OurSide:
    """Our engine, played in the process itself. Its table is only read, unless it `learns`."""

    name: str
    table: Path | None = None
    """None is the untrained engine."""
    mode: str = DEFAULT
    given: Mapping[str, str | int] = field(default_factory=dict)
    """Settings of the mode that are not its own, by their names; weights by their name or file.

    Without weights, deep mode has the package's: what is adopted meanwhile must not change a match.
    """
    learns: bool = False
    pace: Pace = field(default_factory=Pace)

    def __post_init__(self) -> None:
        mode = mode_named(self.mode)
        if unknown := sorted(set(self.given) - set(mode.setting_names)):
            raise InvalidSettings(f"{self.name}: mode {mode.name} has no setting {unknown[0]!r:.80}")
        try:
            if mode.takes_weights_file:  # which need not be there to look at a match
                mode.settings_named(**{name: self.given[name] for name in self.given if name != "weights"})
            else:
                mode.settings_named(**self.given)
        except InvalidSettings as error:
            raise InvalidSettings(f"{self.name}: {error}") from error
        if self.learns and self.table is None:
            raise InvalidSettings(f"{self.name}: a side without a table has nowhere to learn into")

    @property
    def settings(self) -> ModeSettings:
        mode = mode_named(self.mode)
        packages = {"weights": PACKAGE} if mode.takes_weights_file else {}
        settings: ModeSettings = mode.settings_named(**{**packages, **self.given})
        return settings

    def __str__(self) -> str:
        given = (f"{WORDS[name]}={value}" for name, value in self.given.items())
        return " ".join([f"mode={self.mode}", *given])


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


Side = OurSide | UciSide


def side_as_json(side: Side) -> dict[str, Any]:
    """Plain data that `side_of_json` makes the same side of."""
    data = asdict(side)
    if isinstance(side, OurSide):
        given = data.pop("given")
        data = {**data, "table": None if side.table is None else str(side.table), **given}
    if isinstance(side, XboardSide):
        data["protocol"] = "xboard"
    return data


def side_of_json(data: Mapping[str, Any]) -> Side:
    fields = dict(data)
    clock = fields["pace"].pop("clock")
    fields["pace"] = Pace(clock and TimeControl(**clock), **fields["pace"])
    if "command" in fields:
        fields["command"] = tuple(fields["command"])
        return XboardSide(**fields) if fields.pop("protocol", None) == "xboard" else UciSide(**fields)
    fields["table"] = None if fields["table"] is None else Path(fields["table"])
    given = {name: fields.pop(name) for name in WORDS if name in fields}
    # The oldest matches do not name the mode; None stands for the package's weights.
    given = {name: value for name, value in given.items() if value is not None}
    return OurSide(**{"mode": "classic", **fields, "given": given})
