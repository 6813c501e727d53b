"""The settings of deep mode: weights, nodes for learning, hash table, threads and endgame tables."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Self

from heatmap_engine.deep.adopted import weights_in_use, weights_of
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.errors import InvalidSettings, shown

# A side that is ahead by so many units is expected to score ten for each one that the other side scores: so
# weights are fitted and results of games weighed against values, and so tables say what their values mean.
# Once a search has confirmed a lead it is worth more: winning_chances.py has what games then came to.
TENFOLD = 400

# A value that is as good as won where no mate is counted: a resignation, an adjudication.
WON = 3 * TENFOLD


@dataclass(frozen=True, slots=True)
class DeepSettings:
    """Which weights, how many nodes to search at each position of a game that is learned, and with what."""

    weights: DeepWeights = field(default_factory=weights_in_use)
    """Without any, the user's own, if some were adopted, or else the package's."""
    learning_nodes: int = 20_000
    """To search at a position of a game that is learned; more where many games have been."""
    hash_mib: int = 16
    threads: int = 1
    syzygy: str | PathLike[str] = ""
    """Folders of endgame tables, with the system's separator between."""

    def __post_init__(self) -> None:
        if not isinstance(self.weights, DeepWeights):
            raise InvalidSettings(f"weights must be those of the deep search, got {shown(self.weights)}")
        for name in ("learning_nodes", "hash_mib", "threads"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise InvalidSettings(f"{name} must be an int of at least 1, got {shown(value)}")
        if not isinstance(self.syzygy, str | PathLike):
            raise InvalidSettings(f"syzygy must be a path or several, got {shown(self.syzygy)}")

    @property
    def mode(self) -> str:
        return "deep"

    @property
    def heat_depth(self) -> int:
        """The depth at which heat is shown, as in classic mode."""
        return 1

    @property
    def weights_name(self) -> str:
        return self.weights.name

    @property
    def meaning(self) -> dict[str, str | int | float | bool]:
        """What values in a table mean. They mean chances, whatever the weights were."""
        return {"mode": "deep", "tenfold": TENFOLD}

    @property
    def learner(self) -> dict[str, str | int | float | bool]:
        """What the journal keeps of how a game was learned."""
        return {"mode": "deep", "nodes": self.learning_nodes, "weights": self.weights.name}

    @classmethod
    def named(cls, *, weights: str | Path | None = None, **others: Any) -> Self:
        """Settings with the weights in a file, as command lines have them; None are those in use."""
        return cls(weights_of(weights), **others)


def settings_of_game(
    of_game: Mapping[str, str | int | float | bool | None], of_table: Mapping[str, object]
) -> DeepSettings:
    """The settings to learn a game again with: its nodes, and the weights in use."""
    nodes = {"learning_nodes": of_game["nodes"]} if "nodes" in of_game else {}
    return DeepSettings(**nodes)  # type: ignore[arg-type] # it checks them


def expected_points(value: float) -> float:
    """The points expected of a game with this value: 1 for a win, 0.5 for a draw."""
    return 1.0 / (1.0 + math.pow(10.0, -max(-10 * TENFOLD, min(10 * TENFOLD, value)) / TENFOLD))
