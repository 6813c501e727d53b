"""What the commands share that ask either search: `--mode`, and the limits of a deep one."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import chess
import click

from heatmap_engine.cli.common import given
from heatmap_engine.deep.search import DeepLimits
from heatmap_engine.engines.mode_names import MODES
from heatmap_engine.engines.mode_names import Mode as Mode  # handed on with `mode_option`
from heatmap_engine.errors import InvalidSettings, shown
from heatmap_engine.kernel.deep.search import MAX_DEPTH
from qtable import QTable

Command = TypeVar("Command", bound=Callable[..., Any])

# How deep is looked where no limit is given: the same answer each time, in less than a second.
DEPTH = 10

nodes_option = click.option(
    "--nodes", type=click.IntRange(1), metavar="N", help="How many positions the deep search visits."
)

weights_option = click.option(
    "--weights",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Weights of the deep search, such as `tune` makes; the package's unless given.",
)

_DEEP_OPTIONS = (
    click.option(
        "--depth",
        type=click.IntRange(1, MAX_DEPTH),
        metavar="N",
        help=f"How deep the deep search looks: {DEPTH}, or with --nodes or --seconds no limit.",
    ),
    nodes_option,
    weights_option,
)


# Options that only one search knows: who gives them means that one.
_ONLY: dict[Mode, set[str | None]] = {"deep": {"depth", "nodes", "weights"}, "classic": {"plies", "tactical"}}


def mode_option(default: Mode | None, words: str) -> Callable[[Command], Command]:
    """`--mode`; without a default `chosen_mode` tells."""
    return click.option("--mode", type=click.Choice(MODES), default=default, show_default=True, help=words)


def chosen_mode(
    context: click.Context,
    mode: Mode | None,
    table: Path | None,
    default: Mode,
    *,
    shared: Collection[str] = (),
) -> Mode:
    """The mode that was named; else the one that other options or the named table belong to.

    `shared` are options of a command that mean something in both.
    """
    of_mode = {each: (_ONLY[each] & given(context)).difference(shared) for each in MODES}
    chosen = mode or next((each for each in MODES if of_mode[each]), None)
    if chosen is None:
        # With --no-table as well, the command says that this contradicts itself.
        chosen = default if table is None or context.params["no_table"] else mode_of_table(table)
    wrong = of_mode["classic" if chosen == "deep" else "deep"]
    if options := sorted(option.opts[0] for option in context.command.params if option.name in wrong):
        raise click.UsageError(f"{', '.join(options)} means nothing in the mode {chosen}")
    return chosen


def mode_of_table(path: Path) -> Mode:
    """The mode whose values the table in a file holds."""
    with QTable(path, readonly=True) as table:
        return mode_of(table)


def mode_of(table: QTable) -> Mode:
    return "deep" if table.settings.get("mode") == "deep" else "classic"


def deep_options(command: Command) -> Command:
    """The limits of a deep search, but for the time, and its weights."""
    for option in reversed(_DEEP_OPTIONS):
        command = option(command)
    return command


def deep_limits(depth: int | None, nodes: int | None, seconds: float | None) -> DeepLimits:
    """The limits that were given; without any, a depth."""
    if (depth, nodes, seconds) == (None, None, None):
        return DeepLimits(depth=DEPTH)
    if seconds is not None and not seconds > 0:
        raise InvalidSettings(f"--seconds must be above zero, got {shown(seconds)}")
    milliseconds = None if seconds is None else 1000 * seconds
    return DeepLimits(MAX_DEPTH if depth is None else depth, nodes, hard_ms=milliseconds)


def value_text(value: int, mate_in: int | None, turn: chess.Color) -> str:
    """A deep value, White minus Black, as people read it; `mate_in` is the mover's."""
    if mate_in is None:
        return f"{value:+d}" if value else "0"
    winner = chess.COLOR_NAMES[turn if mate_in > 0 else not turn].capitalize()
    return f"{winner} mates in {abs(mate_in)}" if mate_in else f"{winner} has mated"
