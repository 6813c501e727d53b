"""What the commands share that ask a search: `--mode`, how far it looks, and with which weights."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import click

from heatmap_engine.cli.common import given
from heatmap_engine.engines.engine import mode_of_file
from heatmap_engine.engines.mode import DEFAULT, MODE_NAMES, Mode, mode_named
from heatmap_engine.errors import InvalidSettings, shown
from heatmap_engine.limits import Limits
from qtable.errors import TableMismatch

Command = TypeVar("Command", bound=Callable[..., Any])

# Options that only one mode knows, by the names of their parameters: who gives them means that mode.
_MODE_OF_OPTION = {
    "depth": "deep",
    "nodes": "deep",
    "learning_nodes": "deep",
    "weights": "deep",
    "syzygy": "deep",
    "elo": "deep",
    "heat_depth": "classic",
    "plies": "classic",
    "tactical": "classic",
    "record": "classic",
}

mode_option = click.option(
    "--mode",
    type=click.Choice(MODE_NAMES),
    help=f"The mode of the engine: {DEFAULT}, unless a named table or run is of the other one.",
)

depth_option = click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="N",
    help="Search depth. Without it 10, or with --nodes or --seconds no limit.",
)

nodes_option = click.option(
    "--nodes", type=click.IntRange(1), metavar="N", help="How many nodes (positions) to search."
)

weights_option = click.option(
    "--weights",
    type=click.Path(path_type=Path),
    metavar="FILE|package",
    help="A weights file, such as `tune` makes, or the package's weights. Without it, those in use.",
)

syzygy_option = click.option(
    "--syzygy",
    metavar="PATHS",
    help="Folders with Syzygy endgame tables, which the engine asks where few pieces are left.",
)

seconds_option = click.option(
    "--seconds",
    "--time",
    "seconds",
    type=float,
    metavar="S",
    help="How many seconds to search.",
)

plies_option = click.option(
    "--plies",
    type=click.IntRange(1),
    metavar="N",
    help="Only with --mode classic: full-width plies to search. Without it 2, or with --seconds no limit.",
)

tactical_option = click.option(
    "--tactical",
    type=click.IntRange(0),
    metavar="N",
    help="Only with --mode classic: plies that checks and captures are followed further. Without it 1.",
)

_SEARCH_OPTIONS = (
    mode_option,
    depth_option,
    nodes_option,
    seconds_option,
    weights_option,
    plies_option,
    tactical_option,
)


def search_options(command: Command) -> Command:
    """The mode, and how far its search looks."""
    for option in reversed(_SEARCH_OPTIONS):
        command = option(command)
    return command


def chosen_mode(context: click.Context, table: Path | None = None, *, shared: Collection[str] = ()) -> Mode:
    """The mode that was named; else the one of the named table, or of an option that only one mode knows.

    `shared` are options of this command that mean something in both. Raises TableMismatch where the table is
    of another mode than the one that was named.
    """
    named: str | None = context.params["mode"]
    implied = {_MODE_OF_OPTION[name] for name in given(context) - {*shared} if name in _MODE_OF_OPTION}
    # With --no-table as well, the command says that this contradicts itself.
    held = None if table is None or context.params.get("no_table") else mode_of_file(table)
    if named is not None and held is not None and held.name != named:
        raise TableMismatch(f"{table} is a table of mode {held.name}, but --mode {named} was given")
    mode = (
        mode_named(named) if named is not None else held or mode_named(next(iter(sorted(implied)), DEFAULT))
    )
    wrong = {
        name for name in given(context) - {*shared} if _MODE_OF_OPTION.get(name or "", mode.name) != mode.name
    }
    if options := sorted(option.opts[0] for option in context.command.params if option.name in wrong):
        other = _MODE_OF_OPTION[sorted(filter(None, wrong))[0]]
        raise click.UsageError(
            f"{', '.join(options)} works only with --mode {other}, and the mode is {mode.name}"
        )
    return mode


def settings_of(
    mode: Mode, *, weights: Path | None = None, tactical: int | None = None, **others: int | str | None
) -> Any:
    """The mode's settings with what was given; what it does not know was refused by `chosen_mode`."""
    wanted = {"weights": weights, "tactical_plies": tactical, **others}
    return mode.settings_named(**{name: value for name, value in wanted.items() if value is not None})


def limits_of(
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    plies: int | None = None,
) -> Limits:
    """The limits that were given; without any, the mode has its own."""
    if seconds is not None and not seconds > 0:
        raise InvalidSettings(f"--seconds must be above zero, got {shown(seconds)}")
    return Limits(depth if plies is None else plies, seconds, nodes)
