"""Which table a command reads: the one that is named, or the user's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from heatmap_engine.engines.mode import Mode
from heatmap_engine.errors import HeatmapError
from heatmap_engine.memory.tables import open_to_read
from qtable.errors import TableError

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--table",
        type=click.Path(path_type=Path),
        metavar="T",
        help="The table to read, instead of your own.",
    ),
    click.option("--no-table", is_flag=True, help="Read no table, not even your own."),
)


def table_options(command: Command) -> Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def table_to_read(table: Path | None, no_table: bool, mode: Mode) -> Path | None:
    """The table that was named, or the user's own if it is there."""
    if no_table:
        if table is not None:
            raise click.UsageError("--table and --no-table contradict each other")
        return None
    if table is not None:
        return table
    own = mode.default_table
    if not _is_there(own):
        return None
    try:
        with open_to_read(own):
            return own
    except TableError as error:
        # Nobody named this table, so nobody expects it to be in the way.
        raise HeatmapError(f"{error}; with --no-table it is not asked") from error


def table_to_write(table: Path | None, mode: Mode) -> Path:
    """The table that was named, or the user's own, whose folder is made."""
    if table is not None:
        return table
    mode.default_table.parent.mkdir(parents=True, exist_ok=True)
    return mode.default_table


def own_table(mode: Mode) -> Path:
    """The user's own table, which must be there."""
    path = mode.default_table
    if not _is_there(path):
        raise HeatmapError(f"there is no table yet at {path}, and no other one was named")
    return path


def _is_there(path: Path) -> bool:
    """Whether there is a table; a file of zero bytes was only about to become one."""
    return path.exists() and path.stat().st_size > 0
