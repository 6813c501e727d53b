"""What the commands share that ask either search: `--mode`, and the limits of a deep one."""

from collections.abc import Callable
from typing import Any, Literal, TypeVar, get_args

import chess
import click

from heatmap_engine.cli.common import given
from heatmap_engine.deep import DeepLimits
from heatmap_engine.kernel.deep import DEEPEST

Command = TypeVar("Command", bound=Callable[..., Any])

Mode = Literal["deep", "classic"]
MODES: tuple[Mode, ...] = get_args(Mode)

# How deep is looked where no limit is given: the same answer each time, in less than a second.
DEPTH = 10

_LIMIT_OPTIONS = (
    click.option(
        "--depth",
        type=click.IntRange(1, DEEPEST),
        metavar="N",
        help=f"How deep the deep search looks: {DEPTH}, or with --nodes or --time no limit.",
    ),
    click.option(
        "--nodes", type=click.IntRange(1), metavar="N", help="How many positions the deep search visits."
    ),
    click.option(
        "--time",
        "--seconds",
        "seconds",
        type=click.FloatRange(0, min_open=True),
        metavar="S",
        help="Look deeper until so much time has passed.",
    ),
)


def mode_option(default: Mode | None, words: str) -> Callable[[Command], Command]:
    """`--mode`; without a default the table that is asked tells."""
    return click.option("--mode", type=click.Choice(MODES), default=default, show_default=True, help=words)


def limit_options(command: Command) -> Command:
    """The limits of a deep search."""
    for option in reversed(_LIMIT_OPTIONS):
        command = option(command)
    return command


def deep_limits(depth: int | None, nodes: int | None, seconds: float | None) -> DeepLimits:
    """The limits that were given; without any, a depth."""
    if (depth, nodes, seconds) == (None, None, None):
        return DeepLimits(depth=DEPTH)
    milliseconds = None if seconds is None else 1000 * seconds
    return DeepLimits(depth or DEEPEST, nodes, hard_ms=milliseconds)


def require_no_others(context: click.Context, names: set[str], mode: Mode) -> None:
    """Raise UsageError for options that only another mode knows: to pass them over would be a mistake."""
    wrong = given(context) & names
    if options := sorted(option.opts[0] for option in context.command.params if option.name in wrong):
        raise click.UsageError(f"{', '.join(options)}: not in the mode {mode}")


def value_text(value: int, mate_in: int | None, turn: chess.Color) -> str:
    """A deep value, White minus Black, as people read it; `mate_in` is the mover's."""
    if mate_in is None:
        return f"{value:+d}" if value else "0"
    winner = chess.COLOR_NAMES[turn if mate_in > 0 else not turn].capitalize()
    return f"{winner} mates in {abs(mate_in)}" if mate_in else f"{winner} has mated"
