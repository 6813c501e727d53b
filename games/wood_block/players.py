"""Who plays: at random, by Monte Carlo tree search, or by a search of the whole hand."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from games.wood_block.errors import InvalidRules
from games.wood_block.evaluation import SCALE, Evaluation
from games.wood_block.fields import Field
from games.wood_block.game import Game
from games.wood_block.hands import Search
from games.wood_block.mcts import TreeOptions, TreeSearch
from games.wood_block.rollouts import choose
from games.wood_block.rules import Action, Rules
from games.wood_block.tree import POLICIES
from games.wood_block.weights import Weights, learned_weights

_SEEDS = 1 << 63


class Player(Protocol):
    """Somebody who plays games."""

    def actions(self, game: Game) -> list[Action]:
        """The next actions, one or more; none where no block can be placed."""
        ...


class RandomPlayer:
    """Any possible action, each with the same probability."""

    def actions(self, game: Game) -> list[Action]:
        found = choose(game.rules, game.board, game.hand, POLICIES["random"], game.chances.randrange(_SEEDS))
        return [] if found is None else [Action(*found)]


class TreePlayer:
    """Monte Carlo tree search, an action at a time."""

    def __init__(self, field: Field, options: TreeOptions, weights: Weights | None = None) -> None:
        self._search = TreeSearch(field, options, evaluation_of(field, weights))
        self.decisions = 0
        self._totals = Counter[str]()

    def actions(self, game: Game) -> list[Action]:
        decision = self._search.decide(game.board, game.hand, game.chances.randrange(_SEEDS))
        if decision is None:
            return []
        self.decisions += 1
        self._totals.update(decision.metrics())
        return [decision.action]

    def metrics(self) -> dict[str, float]:
        """The means of all decisions so far, by the names of their figures."""
        return {name: total / max(1, self.decisions) for name, total in self._totals.items()}


@dataclass(frozen=True)
class Effort:
    """How far a search of hands looks."""

    width: tuple[int, int] = (0, 0)
    """The best boards after one block and after two that are followed; 0 is all."""
    kept: int = 8
    """Of a dangerous hand so many boards are compared by what the next hand makes of them."""
    samples: int = 16
    """So many next hands of hard blocks are tried on each."""
    next_width: tuple[int, int] = (4, 4)
    above: float = 0.0
    """How much more than the weights say is dangerous."""

    def __post_init__(self) -> None:
        if not (
            1 <= self.kept <= 32 and 0 <= self.samples <= 256 and min(*self.width, *self.next_width) >= 0
        ):
            raise InvalidRules(f"expected at most 32 boards and 256 samples, got {self}")


EFFORTS = {
    "quick": Effort(width=(8, 8), samples=0),
    "fast": Effort(width=(24, 60), kept=6, samples=20, next_width=(3, 3)),
    "strong": Effort(width=(40, 120), kept=12, samples=32, next_width=(4, 4), above=-5.0),
}
# What it costs if the next hand cannot be placed: more than any board that can be played on.
_DEATH = 150.0
# For each so much above what is dangerous twice as many next hands are tried: such boards are rare, and
# games end there.
_DOUBLING = 12.0
# So large a share of the blocks counts as hard to place.
_HARD = 0.2


def hard_blocks(rules: Rules, dealt: Sequence[int]) -> list[int]:
    """Of the blocks that are dealt those with the most cells, at least a fifth.

    Next hands are tried with these. Usual ones end a game so rarely that a few dozen of them do not tell
    which board is safer.
    """
    sizes = {number: len(rules.blocks.blocks[number].cells) for number in dealt}
    least = sorted((sizes[number] for number in dealt), reverse=True)[math.ceil(_HARD * len(dealt)) - 1]
    return [number for number in dealt if sizes[number] >= least]


def evaluation_of(field: Field, weights: Weights | None = None) -> Evaluation:
    """The evaluation with these weights, or with those that were learned for the rules."""
    return Evaluation(field, (weights or learned_weights(field.source)).values)


def hand_search(
    field: Field,
    effort: Effort,
    weights: Weights | None = None,
    *,
    per_point: float = 0.0,
    deal: Sequence[int] | None = None,
) -> Search:
    """A search of hands; `deal` are the blocks that the next hand comes from, or None for all of the set."""
    chosen = weights or learned_weights(field.source)
    evaluation = Evaluation(field, chosen.values, per_point)
    dealt = range(len(field.source.blocks.blocks)) if deal is None else deal
    danger = {"danger": round(SCALE * (chosen.danger + effort.above))} if effort.samples else {}
    return Search(
        evaluation,
        width=effort.width,
        kept=effort.kept,
        samples=effort.samples,
        next_width=effort.next_width,
        death=round(SCALE * _DEATH),
        doubling=round(SCALE * _DOUBLING),
        deal=dealt,
        next_deal=hard_blocks(field.source, dealt),
        **danger,
    )


class SearchPlayer:
    """All orders and places of the hand, by a learned evaluation."""

    def __init__(self, field: Field, effort: Effort | None = None, weights: Weights | None = None) -> None:
        self.search = hand_search(field, effort or EFFORTS["fast"], weights)

    def actions(self, game: Game) -> list[Action]:
        _, steps, *_ = self.search.answer(game.board, game.hand, game.chances.randrange(_SEEDS))
        return [Action(*step) for step in steps]
