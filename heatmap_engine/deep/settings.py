"""How the deep mode learns, and what the values in its tables mean."""

import math
from dataclasses import dataclass, field

from heatmap_engine.deep.weights import DeepWeights, learned_weights
from heatmap_engine.errors import InvalidSettings, shown

# A side that is ahead by so many units is expected to score ten for each one that the other side scores.
TENFOLD = 400

# A value that is as good as won where no mate is counted: a resignation, an adjudication.
WON = 3 * TENFOLD


@dataclass(frozen=True, slots=True)
class DeepSettings:
    """With which weights, and how many nodes at each position of a game that is walked backwards."""

    weights: DeepWeights = field(default_factory=learned_weights)
    nodes: int = 20_000
    hash_mib: int = 16

    def __post_init__(self) -> None:
        for name in ("nodes", "hash_mib"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise InvalidSettings(f"{name} must be an int of at least 1, got {shown(value)}")

    @property
    def meaning(self) -> dict[str, str | int | float | bool]:
        """Not the weights: values are chances, whichever weights they were found with."""
        return {"mode": "deep", "tenfold": TENFOLD}

    @property
    def learner(self) -> dict[str, str | int | float | bool]:
        """What the journal keeps of how a game was learned."""
        return {"mode": "deep", "nodes": self.nodes, "weights": self.weights.name}


def expected_points(value: float) -> float:
    """The points expected of a game with this value: 1 for a win, 0.5 for a draw."""
    return 1.0 / (1.0 + math.pow(10.0, -max(-10 * TENFOLD, min(10 * TENFOLD, value)) / TENFOLD))
