"""What is to be expected of a position when both its value and the results of games there are known.

Expected points are (K·x(value) + W + D/2) / (K + N): a value counts as much as K games do, so that results
take over as they come in.
"""

import math
from dataclasses import dataclass

from qtable import Entry

# How many games a value counts for in classic mode's self-play.
_TRUST = 3.0
# How much is hoped of what has seldom been tried.
_HOPE = 0.2


@dataclass(frozen=True, slots=True)
class Results:
    """Games that went through a position, counted for one side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @classmethod
    def after_move(cls, entry: Entry) -> "Results":
        """The results of the position after a move, for who made it."""
        return cls(entry.losses, entry.draws, entry.wins)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def expected(self, points: float, trust: float = _TRUST) -> float:
        """The points to be expected where the value alone promises `points`, from 0 to 1.

        The value counts as much as `trust` games do.
        """
        return (trust * points + self.wins + self.draws / 2) / (trust + self.games)

    def promise(self, points: float, games_of_all: int) -> float:
        """The same and what may be hoped for: of all moves the one that promises most is to be tried next."""
        return self.expected(points) + _HOPE * math.sqrt(math.log(1 + games_of_all) / (1 + self.games))
