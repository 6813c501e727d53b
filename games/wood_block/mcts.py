"""Monte Carlo tree search as a player: options, decisions, and what was observed of them."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from games.wood_block.errors import InvalidRules
from games.wood_block.evaluation import Evaluation
from games.wood_block.fields import Field
from games.wood_block.rules import Action
from games.wood_block.tree import POLICIES, Tree

# A child has to be visited more often than this before it ends the search.
SETTLED = 5
_LARGEST_TREE = 1 << 24
# After so many simulations Ctrl-C is heard.
_STEP = 20_000


@dataclass(frozen=True)
class TreeOptions:
    """How a tree is grown."""

    simulations: int = 50
    exploration: float = math.sqrt(2)
    """C of UCB1, for rewards on a scale from the least of the tree to the greatest."""
    max_depth: int = 10
    """How deep the tree grows, and how many blocks a rollout places."""
    rollout_policy: str = "heuristic"
    """random, heuristic, or evaluation: the learned evaluation of the leaf instead of a rollout."""
    adaptive_depth: bool = False
    """Rollouts become shorter as the board fills, because games end soon there."""
    early_stop: float = 0.0
    """The search ends when an action with more than five visits has this mean; 0 is never."""
    most_actions: int = 0
    """A node keeps so many actions, those that touch the most nearly full regions; 0 is all."""
    most_nodes: int = 1 << 16
    """When the tree has so many nodes, those that were visited least go."""
    yield_every: int = 0
    """After so many simulations whoever asked is told how far it is; 0 is never."""
    keep_tree: bool = False
    """After an action its part of the tree is kept, and the rest is cleaned up; else all of it goes."""

    def __post_init__(self) -> None:
        _require("simulations", self.simulations, 1 <= self.simulations <= 10**8, "1 to 100,000,000")
        _require("exploration", self.exploration, 0 <= self.exploration < 1e6, "0 or more")
        _require("max_depth", self.max_depth, 1 <= self.max_depth <= 1000, "1 to 1,000")
        _require(
            "rollout_policy",
            self.rollout_policy,
            self.rollout_policy in POLICIES,
            f"one of {', '.join(POLICIES)}",
        )
        _require("early_stop", self.early_stop, 0 <= self.early_stop < math.inf, "0 or more")
        _require("most_actions", self.most_actions, self.most_actions >= 0, "0 or more")
        _require("most_nodes", self.most_nodes, 16 <= self.most_nodes <= _LARGEST_TREE, "16 to 16,777,216")
        _require("yield_every", self.yield_every, self.yield_every >= 0, "0 or more")


def _require(name: str, value: object, holds: bool, expected: str) -> None:
    if not holds:
        raise InvalidRules(f"expected {expected} for {name}, got {value!r:.60}")


@dataclass(frozen=True)
class Candidate:
    """A visited action of the root."""

    action: Action
    visits: int
    mean: float
    """The mean reward: points, or what less the board costs where the evaluation values leaves."""


@dataclass(frozen=True)
class Decision:
    """What a search has chosen, and its metrics."""

    candidates: tuple[Candidate, ...]
    """The visited actions, the chosen one first."""
    simulations: int
    depth: int
    nodes: int
    seconds: float
    stopped_early: bool
    pruned_actions: int
    pruned_nodes: int
    kept_nodes: int
    """What was left of the tree of the decision before."""
    yields: int

    @property
    def action(self) -> Action:
        return self.candidates[0].action

    @property
    def mean_visits(self) -> float:
        """Visits per explored action."""
        return sum(one.visits for one in self.candidates) / len(self.candidates)

    @property
    def balance(self) -> float:
        """How evenly the explored actions were visited: 1 is evenly, 0 is one action alone.

        The entropy of the visits, divided by the one of as many even visits.
        """
        total = sum(one.visits for one in self.candidates)
        if len(self.candidates) < 2:
            return 0.0
        shares = [one.visits / total for one in self.candidates]
        return -sum(share * math.log(share) for share in shares) / math.log(len(shares))

    def metrics(self) -> dict[str, float]:
        """The figures by their names."""
        data = {name: value for name, value in asdict(self).items() if name != "candidates"}
        return {**data, "mean_visits": self.mean_visits, "balance": self.balance}


class TreeSearch:
    """Decides by the most visits."""

    def __init__(self, field: Field, options: TreeOptions, evaluation: Evaluation | None = None) -> None:
        self.options = options
        self._tree = Tree(
            field,
            evaluation,
            exploration=options.exploration,
            policy=POLICIES[options.rollout_policy],
            max_depth=options.max_depth,
            rollout_length=options.max_depth,
            adaptive=options.adaptive_depth,
            early_stop=options.early_stop,
            settled=SETTLED,
            most_actions=options.most_actions,
            most_nodes=options.most_nodes,
        )

    def decide(
        self,
        board: int,
        hand: Sequence[int | None],
        seed: int,
        when_yielding: Callable[[int], bool | None] = lambda simulations: None,
    ) -> Decision | None:
        """The action with the most visits; None if no action is possible.

        `when_yielding` hears how many simulations were run. If it says False, the search ends there.
        """
        begin = time.process_time()
        kept = self._begin(board, hand, seed)
        yields = self._grow(when_yielding)
        found = [
            Candidate(Action(slot, row, column), visits, mean)
            for slot, row, column, visits, mean in self._tree.children()
        ]
        if not found:
            return None
        found.sort(key=lambda one: (-one.visits, -one.mean, one.action))
        return Decision(
            tuple(found),
            self._tree.simulations,
            self._tree.depth,
            self._tree.size,
            time.process_time() - begin,
            self._tree.has_stopped,
            self._tree.pruned_actions,
            self._tree.pruned_nodes,
            kept,
            yields,
        )

    def _begin(self, board: int, hand: Sequence[int | None], seed: int) -> int:
        if self.options.keep_tree and self._tree.size:
            return self._tree.advance(board, hand, seed)
        self._tree.begin(board, hand, seed)
        return 0

    def _grow(self, when_yielding: Callable[[int], bool | None]) -> int:
        left, yields = self.options.simulations, 0
        step = self.options.yield_every or _STEP
        while left > 0 and not self._tree.has_stopped:
            left -= self._tree.run(min(step, left))
            if self.options.yield_every:
                yields += 1
                if when_yielding(self._tree.simulations) is False:
                    break
        return yields
