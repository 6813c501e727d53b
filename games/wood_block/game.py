"""A game in play, on the compiled rules."""

import random
from dataclasses import dataclass, field

from games.wood_block.errors import InvalidQuestion
from games.wood_block.fields import Field
from games.wood_block.rules import HAND, Action, points_of

Hand = list[int | None]
"""The blocks of a hand by their numbers in the set; None where one was used."""


@dataclass
class Game:
    """A board, a hand and a score. A new hand comes when all three blocks are used."""

    rules: Field
    deals: random.Random
    """For the hands that come."""
    chances: random.Random = field(default_factory=random.Random)
    """For players, so that all of them get the same hands."""
    board: int = 0
    hand: Hand = field(default_factory=list)
    score: int = 0
    hands: int = 0
    """How many hands were placed to the end."""

    def __post_init__(self) -> None:
        if not self.hand:
            self.hand = self._dealt()

    def _dealt(self) -> Hand:
        return [self.deals.randrange(len(self.rules.source.blocks.blocks)) for _ in range(HAND)]

    def actions(self) -> list[Action]:
        """Every possible action, by block, row and column."""
        return [
            Action(slot, row, column)
            for slot, block in enumerate(self.hand)
            if block is not None
            for row, column in self.rules.places(self.board, block)
        ]

    @property
    def is_over(self) -> bool:
        """Whether none of the blocks left fits anywhere."""
        return not any(self.rules.places(self.board, block) for block in self.hand if block is not None)

    def play(self, action: Action) -> int:
        """Place a block; how many rows, columns and boxes vanished."""
        block = self.hand[action.block] if 0 <= action.block < len(self.hand) else None
        after = None if block is None else self.rules.put(self.board, block, action.row, action.column)
        if after is None:
            raise InvalidQuestion(f"expected an action that is possible, got {action.number}")
        self.board, clears = after
        self.hand[action.block] = None
        self.score += points_of(clears)
        if not any(block is not None for block in self.hand):
            self.hands += 1
            self.hand = self._dealt()
        return clears
