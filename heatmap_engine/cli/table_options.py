"""Which table a command reads: the one that is named, or the user's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from heatmap_engine.engines.mode import DEFAULT, MODE_NAMES, Mode, mode_named
from heatmap_engine.errors import HeatmapError
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


# Stands for your own table, as in the UCI option QTable.
_OWN = "<own>"
_MODE = f"{__name__}.mode"
_DEFAULT = click.core.ParameterSource.DEFAULT


class TableCommand(click.Command):
    """Its table is the first argument, and yours if there is one argument too few."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            rest = super().parse_args(ctx, [*args])
        except click.MissingParameter:
            if not self._takes_a_table:
                raise
            rest = super().parse_args(ctx, [_OWN, *args])
            if ctx.params.get("force"):  # two files may be meant, of which one was forgotten
                raise click.UsageError("--force overwrites a file: name the table, too", ctx) from None
            return rest
        if self._takes_a_table and ctx.get_parameter_source("mode") is not _DEFAULT:
            raise click.UsageError("--mode says which table of yours is meant, but a table was named", ctx)
        return rest

    @property
    def _takes_a_table(self) -> bool:
        return any(isinstance(parameter, _TableArgument) for parameter in self.params)


class _TableArgument(click.Argument):
    """A table that must be there, or with `is_made` one that the command makes."""

    def __init__(self, *names: Any, is_made: bool, **settings: Any) -> None:
        super().__init__(*names, type=click.Path(path_type=Path), **settings)
        self._is_made = is_made

    def process_value(self, ctx: click.Context, value: Any) -> Path:
        path: Path = super().process_value(ctx, value)
        if str(path) == _OWN:
            mode = mode_named(ctx.meta[_MODE])
            return table_to_write(None, mode) if self._is_made else own_table(mode)
        return path


def table_argument(name: str, *, is_made: bool = False) -> Callable[[Command], Command]:
    """The table of a `TableCommand`, with the option that says which of yours is meant."""
    argument = click.argument(name, cls=_TableArgument, is_made=is_made, metavar=f"[{name.upper()}]")
    return lambda command: argument(own_mode_option(command))


def own_mode_option(command: Command) -> Command:
    """Which of your own tables is meant."""
    return click.option(
        "--mode",
        type=click.Choice(MODE_NAMES),
        default=DEFAULT,
        show_default=True,
        is_eager=True,
        expose_value=False,
        callback=_keep_mode,
        help="Which of your own tables is meant.",
    )(command)


def _keep_mode(context: click.Context, _option: click.Parameter, name: str) -> None:
    context.meta[_MODE] = name


def own_table_path() -> Path:
    """Where the table is that the running command's `--mode` means."""
    return mode_named(click.get_current_context().meta[_MODE]).default_table


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
    # Imported here: the commands that look after tables need no chess.
    from heatmap_engine.memory.tables import open_to_read

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
