"""Opens and makes tables. A table whose values mean something else is refused."""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Protocol

from heatmap_engine.board.keys import KEY_FORMAT
from heatmap_engine.memory.lazy_table import LazyTable
from qtable import QTable
from qtable.errors import TableMismatch, TableReadOnly
from qtable.file import read_header, require_writable
from qtable.schema import LAYOUT, require_settings

# How long a writer waits for another one: unnoticed in a game, while `flush` and learning try again.
WRITE_TIMEOUT_S = 0.05


class Settings(Protocol):
    """How values are found, in either mode."""

    @property
    def meaning(self) -> dict[str, str | int | float | bool]:
        """What these values mean."""
        ...

    @property
    def learner(self) -> dict[str, str | int | float | bool]:
        """What the journal keeps of how a game was learned."""
        ...


def table_settings(settings: Settings) -> dict[str, str | int | float | bool]:
    """What the values in a table mean: tables of other settings must not be mixed with these."""
    return {**settings.meaning, "key_format": KEY_FORMAT}


def open_table(
    path: str | PathLike[str],
    settings: Settings,
    *,
    readonly: bool = False,
    timeout_s: float = WRITE_TIMEOUT_S,
) -> QTable:
    """The table at `path`, made if it is missing, for values of these settings."""
    if readonly:
        bring_up_to_date(path)
    try:
        return QTable(path, settings=table_settings(settings), readonly=readonly, timeout_s=timeout_s)
    except TableMismatch:
        with QTable(path, readonly=True) as table:
            if table.settings:
                _require_mode(table, settings)
        raise


def open_to_read(path: str | PathLike[str]) -> QTable:
    """The table at `path`, whatever its values mean."""
    bring_up_to_date(path)
    return QTable(path, readonly=True)


def bring_up_to_date(path: str | PathLike[str]) -> None:
    """Give a table of an older layout today's, if it may be written: it could not be read otherwise.

    Who only wants to read, such as a question or a match against an old checkpoint, need not know of layouts.
    """
    header = read_header(Path(path))
    if header is not None and header.version < LAYOUT:
        with suppress(TableReadOnly), QTable(path, must_exist=True):
            pass


def _require_mode(table: QTable, settings: Settings) -> None:
    """Raise TableMismatch, in words for people, if the table holds values of the other mode."""
    found, expected = (each.get("mode", "classic") for each in (table.settings, settings.meaning))
    if found != expected:
        raise TableMismatch(
            f"{table.path or 'the table in memory'} holds values of mode {found}, expected those of mode "
            f"{expected}, which are in another unit; use another file"
        )


def require_meaning(table: QTable, settings: Settings) -> None:
    """Raise TableMismatch if a table's values mean something else; one without settings is taken as it is."""
    if table.settings:
        _require_mode(table, settings)
        require_settings(table.path, table.settings, table_settings(settings))


def opened_table(
    table: str | PathLike[str] | QTable | None,
    settings: Settings,
    readonly: bool,
    report: Callable[[str], None],
) -> QTable | LazyTable | None:
    """The table for an engine. A missing one is made when it is first written to."""
    if table is None:
        return None
    if isinstance(table, QTable):
        require_meaning(table, settings)
        return table
    path = Path(os.path.realpath(table))  # the process may go elsewhere before it is made
    try:
        if not readonly and read_header(path) is None:
            require_writable(path)
            return LazyTable(path, partial(open_table, path, settings))
        return open_table(path, settings, readonly=readonly)
    except TableReadOnly as error:
        report(f"{error}; what is found will not be remembered")
        return open_table(path, settings, readonly=True)
