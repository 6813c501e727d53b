"""The settings of classic mode: how far to search, how to score, and what to record."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from heatmap_engine.classic.weights import CMHM2, PRESETS, Weights
from heatmap_engine.errors import InvalidSettings, shown
from heatmap_engine.kernel.board.landings import MAX_HEAT_DEPTH

MAX_PLIES = 16

# What picks and lessons record. What is met again is nearly all in the beginnings of games (docs/figures.md,
# "What is worth its room"): "useful" are the positions of games, and the moves of their first so many plies.
USEFUL, SEARCHED, ALL = "useful", "searched", "all"
RECORDED = (USEFUL, SEARCHED, ALL)
PLIES_OF_BEGINNINGS = 20

# A score in heat units at which 99 games of 100 are won; a result that is believed counts as much.
WON = 190.0


@dataclass(frozen=True, slots=True)
class ClassicSettings:
    """How far to look, what a leaf is worth, and what is recorded."""

    plies: int = 2
    tactical_plies: int = 1
    heat_depth: int = 1
    weights: Weights = CMHM2
    record: str = USEFUL

    def __post_init__(self) -> None:
        _require_int("plies", self.plies, 1, MAX_PLIES)
        _require_int("tactical_plies", self.tactical_plies, 0, MAX_PLIES)
        _require_int("heat_depth", self.heat_depth, 0, MAX_HEAT_DEPTH)
        if self.record not in RECORDED:
            raise InvalidSettings(f"record must be one of {', '.join(RECORDED)}, got {shown(self.record)}")
        if not isinstance(self.weights, Weights):
            raise InvalidSettings(f"weights must be he.Weights, such as he.CMHM2, got {self.weights!r:.80}")

    @property
    def mode(self) -> str:
        return "classic"

    @property
    def weights_name(self) -> str:
        return self.weights.identity

    @property
    def meaning(self) -> dict[str, str | int | float | bool]:
        """What values found with these settings mean."""
        return {"weights": self.weights.identity, "heat_depth": self.heat_depth}

    @property
    def learner(self) -> dict[str, str | int | float | bool]:
        """What the journal keeps of how a game was learned."""
        recorded = {} if self.record == USEFUL else {"record": self.record}
        return {"plies": self.plies, "tactical_plies": self.tactical_plies, **self.meaning, **recorded}

    def recording(self, record: str) -> Self:
        """The same with what is recorded; nothing at all is not for the settings to say."""
        return replace(self, record=record) if record in RECORDED else self

    @classmethod
    def named(cls, *, weights: str = CMHM2.name, record: str = USEFUL, **numbers: int) -> Self:
        """Settings with weights by the name of their preset, as command lines and files have them."""
        if weights not in PRESETS:
            raise InvalidSettings(f"weights must be one of {', '.join(PRESETS)}, got {shown(weights)}")
        return cls(**numbers, weights=PRESETS[weights], record=record)


def settings_of_game(
    of_game: Mapping[str, str | int | float | bool | None], of_table: Mapping[str, object]
) -> ClassicSettings:
    """How a game was learned, for the values that a table holds."""
    weights, heat_depth = of_table.get("weights"), of_table.get("heat_depth")
    if weights not in PRESETS or not isinstance(heat_depth, int):
        raise InvalidSettings(
            f"expected a table of the weights {' or '.join(PRESETS)}, got {weights!r}: "
            "other weights are known to the program that made them only"
        )
    given = {name: of_game[name] for name in ("plies", "tactical_plies", "record") if name in of_game}
    return ClassicSettings(**given, heat_depth=heat_depth, weights=PRESETS[str(weights)])  # type: ignore[arg-type] # it checks them


def _require_int(name: str, value: int, lowest: int, highest: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise InvalidSettings(f"{name} must be an int from {lowest} to {highest}, got {value!r:.80}")
