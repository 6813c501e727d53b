"""How good a tree search is at a position: consistency, balance, what rollouts tell, convergence."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from games.wood_block.evaluation import Evaluation
from games.wood_block.fields import Field
from games.wood_block.mcts import Decision, TreeOptions, TreeSearch
from games.wood_block.rollouts import play_out
from games.wood_block.rules import Action, points_of
from games.wood_block.tree import POLICIES

# No game of a rollout policy lives as long.
_TO_THE_END = 100_000
_SEEDS = 1 << 63


@dataclass(frozen=True)
class Quality:
    """The indicators, each from 0 to 1 but the quality of rollouts, which is from -1 to 1."""

    consistency: float
    """The share of seeds that choose the action that is chosen most often."""
    balance: float
    """How evenly the explored actions were visited, on average."""
    rollout_quality: float | None
    """The rank correlation between the actions' means and their scores in games played to the end."""
    convergence: dict[int, float]
    """For numbers of simulations: the share of seeds that choose what the most simulations choose."""


def quality_of(
    field: Field,
    options: TreeOptions,
    board: int,
    hand: Sequence[int | None],
    *,
    evaluation: Evaluation | None = None,
    seeds: int = 20,
    games: int = 20,
    seed: int = 1,
) -> Quality | None:
    """The indicators at a position; None if no action is possible there."""
    choices = random.Random(seed)
    numbers = [choices.randrange(_SEEDS) for _ in range(seeds)]
    steps = [max(1, options.simulations // 4), options.simulations, 4 * options.simulations]
    decisions = {step: _decisions(field, options, board, hand, evaluation, numbers, step) for step in steps}
    usual = decisions[options.simulations]
    if not usual:
        return None
    surest = _most_common(decisions[steps[-1]])[0]
    return Quality(
        _most_common(usual)[1] / len(usual),
        sum(one.balance for one in usual) / len(usual),
        _rollout_quality(field, options, board, hand, usual[0], games, choices),
        {step: sum(one.action == surest for one in found) / len(found) for step, found in decisions.items()},
    )


def _decisions(
    field: Field,
    options: TreeOptions,
    board: int,
    hand: Sequence[int | None],
    evaluation: Evaluation | None,
    seeds: Sequence[int],
    simulations: int,
) -> list[Decision]:
    search = TreeSearch(field, replace(options, simulations=simulations, keep_tree=False), evaluation)
    found = [search.decide(board, hand, seed) for seed in seeds]
    return [one for one in found if one is not None]


def _most_common(decisions: Sequence[Decision]) -> tuple[Action, int]:
    return Counter(one.action for one in decisions).most_common(1)[0]


def _rollout_quality(
    field: Field,
    options: TreeOptions,
    board: int,
    hand: Sequence[int | None],
    decision: Decision,
    games: int,
    choices: random.Random,
) -> float | None:
    """Whether actions with better means do better when games are played on to their end."""
    means, scores = [], []
    policy = POLICIES["random" if options.rollout_policy == "evaluation" else options.rollout_policy]
    for candidate in decision.candidates:
        action = candidate.action
        block = hand[action.block]
        after = None if block is None else field.put(board, block, action.row, action.column)
        if after is None:
            continue
        left = [None if slot == action.block else one for slot, one in enumerate(hand)]
        played = [
            play_out(field, after[0], left, policy, choices.randrange(_SEEDS), _TO_THE_END)[0]
            for _ in range(games)
        ]
        means.append(candidate.mean)
        scores.append(points_of(after[1]) + sum(played) / games)
    return correlation(_ranks(means), _ranks(scores))


def _ranks(values: Sequence[float]) -> list[float]:
    """The places of values in their order; equal ones share the mean of theirs."""
    order = sorted(values)
    first = {value: order.index(value) for value in set(values)}
    count = Counter(values)
    return [first[value] + (count[value] - 1) / 2 for value in values]


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """The correlation of two rows; None where one of them is the same everywhere."""
    number = len(one)
    if number < 2:
        return None
    mean, other_mean = sum(one) / number, sum(other) / number
    products = sum((x - mean) * (y - other_mean) for x, y in zip(one, other, strict=True))
    squares = sum((x - mean) ** 2 for x in one) * sum((y - other_mean) ** 2 for y in other)
    return products / float(squares**0.5) if squares > 0 else None
