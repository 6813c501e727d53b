"""What the commands share: the rules, the weights, and the options of the tree search."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from games.wood_block.blocks import read_set
from games.wood_block.mcts import TreeOptions
from games.wood_block.players import EFFORTS
from games.wood_block.rules import LARGEST, SMALLEST, Rules
from games.wood_block.tree import POLICIES
from games.wood_block.weights import Weights, read_weights

Command = TypeVar("Command", bound=Callable[..., object])

_TREE = TreeOptions()


def set_option(command: Command) -> Command:
    return click.option(
        "--set",
        "blocks",
        default="21",
        show_default=True,
        metavar="21|47|FILE",
        help="The blocks: the 21 of the original game, the 47 of Blockudoku, or a file of your own.",
    )(command)


def size_option(command: Command) -> Command:
    return click.option(
        "--size",
        default=9,
        show_default=True,
        type=click.IntRange(SMALLEST, LARGEST),
        metavar="N",
        help=f"Rows and columns of the grid, {SMALLEST} to {LARGEST}. There are boxes on 6 and 9.",
    )(command)


def effort_option(command: Command) -> Command:
    return click.option(
        "--effort",
        type=click.Choice(list(EFFORTS)),
        default="fast",
        show_default=True,
        help="search: how far it looks.",
    )(command)


def weights_option(command: Command) -> Command:
    return click.option(
        "--weights",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Weights that `train` has written, instead of those of the package.",
    )(command)


def seed_option(command: Command) -> Command:
    return click.option(
        "--seed",
        default=1,
        show_default=True,
        type=click.IntRange(0, 2**32),
        metavar="S",
        help="Which hands come.",
    )(command)


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


_TREE_OPTIONS = (
    click.option(
        "--simulations",
        default=_TREE.simulations,
        show_default=True,
        metavar="N",
        help="mcts: for each action.",
    ),
    click.option(
        "--exploration",
        default=round(_TREE.exploration, 4),
        show_default=True,
        metavar="C",
        help="mcts: C of UCB1, for rewards from 0 to 1.",
    ),
    click.option(
        "--max-depth",
        default=_TREE.max_depth,
        show_default=True,
        metavar="N",
        help="mcts: how deep the tree grows, and how many blocks a rollout places.",
    ),
    click.option(
        "--rollout-policy",
        type=click.Choice(list(POLICIES)),
        default=_TREE.rollout_policy,
        show_default=True,
        help="mcts: how rollouts play; `evaluation` values the leaf instead.",
    ),
    click.option("--adaptive-depth", is_flag=True, help="mcts: shorter rollouts on full boards."),
    click.option(
        "--early-stop",
        default=_TREE.early_stop,
        metavar="POINTS",
        help="mcts: end the search when an action has this mean. Without it, never.",
    ),
    click.option(
        "--most-actions",
        default=_TREE.most_actions,
        metavar="N",
        help="mcts: keep the N most promising actions.",
    ),
    click.option(
        "--most-nodes",
        default=_TREE.most_nodes,
        show_default=True,
        metavar="N",
        help="mcts: prune the tree when it has so many nodes.",
    ),
    click.option(
        "--yield-every",
        default=_TREE.yield_every,
        metavar="N",
        help="mcts: pause after N simulations, for whoever waits. Without it, never.",
    ),
    click.option("--keep-tree", is_flag=True, help="mcts: keep the part of the tree that was played."),
)


def tree_options(command: Command) -> Command:
    for option in reversed(_TREE_OPTIONS):
        command = option(command)
    return command


def tree_of(settings: dict[str, Any]) -> TreeOptions:
    """The options of the tree search among the settings of a command."""
    names = {item.name for item in dataclasses.fields(TreeOptions)}
    return TreeOptions(**{name: value for name, value in settings.items() if name in names})


def rules_of(blocks: str, size: int) -> Rules:
    return Rules(size, read_set(blocks))


def weights_of(path: Path | None) -> Weights | None:
    return None if path is None else read_weights(path)
