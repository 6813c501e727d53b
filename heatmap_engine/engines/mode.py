"""The two modes: one object each, which holds all their differences. This module imports very little.

Whoever needs something that the modes do differently asks the object; nobody asks for its name.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, Self

from heatmap_engine.errors import InvalidSettings, shown
from heatmap_engine.limits import Budget, Pacing
from heatmap_engine.user_files import default_table_path
from heatmap_engine.winning_chances import Unit

if TYPE_CHECKING:
    from heatmap_engine.board.breakdown import Breakdown, PatternPart
    from heatmap_engine.engines.pick import FoundDepth
    from heatmap_engine.engines.thinker import Thinker
    from heatmap_engine.kernel.board.packed import PackedPosition
    from heatmap_engine.memory.views import NoteSource
    from heatmap_engine.memory.walk import Reanalysis
    from heatmap_engine.reports.yardstick import Yardstick
    from qtable import QTable

# The first is the mode of whoever does not name one.
MODE_NAMES = ("deep", "classic")
DEFAULT = MODE_NAMES[0]

Scalar = str | int | float | bool


class ModeSettings(Protocol):
    """How one mode searches and learns: plain data, which travels to workers."""

    @property
    def mode(self) -> str:
        """The mode's name."""
        ...

    @property
    def heat_depth(self) -> int:
        """How many plies of further moves are counted as heat."""
        ...

    @property
    def weights_name(self) -> str:
        """The name of the weights that positions are valued with."""
        ...

    @property
    def meaning(self) -> dict[str, Scalar]:
        """What values found with these settings mean."""
        ...

    @property
    def learner(self) -> dict[str, Scalar]:
        """What the journal keeps of how a game was learned."""
        ...


class Generalizer(Protocol):
    """Learns from all games of a table together; only the table's writer may ask it to."""

    def game_recorded(self) -> None:
        """A game was recorded: learn, if there are enough new ones."""
        ...

    def finish(self) -> None:
        """Learn from what has come in since the last time; a batch or a command ends."""
        ...

    def described(self) -> Sequence[str]:
        """What it has learned, in some lines; nothing where it has learned nothing."""
        ...


@dataclass(frozen=True)
class Bench:
    """What is asked of a search to compare it with others."""

    add: Callable[[str], object]
    """Searches a position for the signature."""
    signature: Callable[[], int]
    """A number that changes with anything that the search does otherwise."""
    work: Callable[[str], int]
    """Searches a position for some tenths of a second, and says its effort."""


@dataclass(frozen=True)
class Mode:
    """What one mode does its own way."""

    name: str
    unit: Unit
    table_file: str
    """The name of the user's own table of this mode."""
    pacing: Pacing
    due_after_ponder: "Callable[[Budget, float, FoundDepth | None], float]"
    """In how many seconds the answer is due when the clock begins to run, after so many of pondering."""
    max_depth: int
    """The deepest search that can be asked for."""
    record_modes: tuple[str, ...]
    """What may be recorded; the first is what is recorded where nobody says otherwise."""
    recording: Callable[[Any, str], Any]
    """Settings with what is to be recorded, where settings say that."""
    takes_weights_file: bool
    """Whether its weights are a file, such as `tune` makes; else they are presets."""
    has_levels: bool
    """Whether it can be held back to a level in Elo."""
    plays_by_nodes: bool
    """Whether a move of self-play is limited by nodes; else its depth is the limit."""
    results_choose: bool
    """Whether the results of games decide between moves in play."""
    won_score: float
    """A score at which 99 games of 100 are won."""
    drawn_score: float
    """A score this near to 0 is level."""
    settings: Callable[..., Any]
    """Settings from values by name."""
    settings_named: Callable[..., Any]
    """The same with weights by name or file, as command lines and files have them."""
    settings_of_game: Callable[[Mapping[str, Scalar | None], Mapping[str, Scalar]], Any]
    """From what the journal says of a game, and from a table's settings, how it is learned again."""
    effort: str
    """What its searches count."""
    bench: Callable[[Any], Bench]
    """A search that has looked at nothing yet."""
    thinker: "Callable[[Any, Random, Callable[[], float]], Thinker]"
    reanalysis: "Callable[[Any], Reanalysis]"
    patterns: "Callable[[NoteSource, PackedPosition], Sequence[PatternPart]]"
    """What of a position's static value comes from what a table has learned of parts of positions."""
    yardstick: "Callable[[Any, NoteSource | None], Yardstick]"
    """How positions are valued as they stand, with what a table notes of all of them."""
    generalizer: "Callable[[QTable], Generalizer]"
    """Who learns from a table's games, all together, what holds for positions that it has never seen."""
    breakdown: "Callable[[Any, NoteSource | None], Breakdown]"
    """How a position's value is taken apart."""

    def __reduce__(self) -> tuple[Callable[[str], Self], tuple[str]]:
        return mode_named, (self.name,)  # type: ignore[return-value] # Self is Mode

    @property
    def default_table(self) -> Path:
        """The user's own table of this mode. Neither it nor its folder need exist yet."""
        return default_table_path(self.table_file)

    @property
    def setting_names(self) -> tuple[str, ...]:
        """The names of its settings."""
        return tuple(item.name for item in fields(self.settings))  # type: ignore[arg-type] # a dataclass

    def settings_from(self, given: Mapping[str, Any]) -> Any:
        """Settings of this mode; raises InvalidSettings for an unknown name."""
        if unknown := sorted(set(given) - set(self.setting_names)):
            known = ", ".join(self.setting_names)
            raise InvalidSettings(f"mode {self.name} has the settings {known}, got {unknown[0]!r:.80}")
        return self.settings(**given)


def mode_named(name: str) -> Mode:
    """The mode of this name; its search is loaded when it is first asked for."""
    if name not in MODE_NAMES:
        raise InvalidSettings(f"mode must be one of {', '.join(MODE_NAMES)}, got {shown(name)}")
    mode: Mode = importlib.import_module(f"heatmap_engine.engines.{name}").MODE
    return mode


def mode_of(settings: ModeSettings) -> Mode:
    """The mode that these settings are of."""
    return mode_named(settings.mode)


def mode_of_meaning(meaning: Mapping[str, object]) -> Mode:
    """The mode whose values a table with these settings holds; the oldest tables do not name it."""
    return mode_named(str(meaning.get("mode", "classic")))
