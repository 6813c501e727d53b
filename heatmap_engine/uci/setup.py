"""From the options to an engine and its table; whatever is wrong with the table, there is an engine."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from heatmap_engine.engine import Engine
from heatmap_engine.errors import HeatmapError
from heatmap_engine.memory import open_table, table_settings
from heatmap_engine.places import default_table_path
from heatmap_engine.search import SearchSettings
from heatmap_engine.uci.options import DEFAULT_TABLE, MEMORY_TABLE, NO_TABLE, Options
from qtable import QTable
from qtable.errors import TableError, TableReadOnly


def random_source(options: Options) -> random.Random:
    """One source for ties and exploration: seeded, or different every time."""
    seed = options.number("Random Seed")
    return random.Random(None if seed < 0 else seed)


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """What the options said when an engine was asked for; they may change before it is made."""

    settings: SearchSettings
    table: str
    is_readonly: bool
    record: str

    @classmethod
    def of(cls, options: Options) -> Self:
        return cls(
            SearchSettings(
                options.number("Plies"), options.number("TacticalPlies"), options.number("HeatDepth")
            ),
            options.text("QTable"),
            options.is_on("ReadOnly"),
            options.text("Record"),
        )

    def engine(self, source: random.Random, tell: Callable[[str], None]) -> Engine:
        """A new engine; its table stays open with it, and is to be closed after it."""
        table = self._opened(tell)
        return Engine(
            table,
            self.settings.plies,
            self.settings.tactical_plies,
            self.settings.heat_depth,
            self.settings.weights,
            record="off" if table is None or table.is_readonly else self.record,
            random=source,
            report=tell,
        )

    def _opened(self, tell: Callable[[str], None]) -> QTable | None:
        if self.table in (NO_TABLE, ""):
            return None
        if self.table == MEMORY_TABLE:
            return QTable.in_memory(settings=table_settings(self.settings))
        try:
            path = _path(self.table)
            if self.is_readonly:
                return open_table(path, self.settings, readonly=True)
            return self._opened_for_writing(path, tell)
        except (TableError, HeatmapError, OSError, RuntimeError) as error:  # RuntimeError: no home folder
            tell(f"playing without a table: {error}")
            return None

    def _opened_for_writing(self, path: Path, tell: Callable[[str], None]) -> QTable:
        try:
            return open_table(path, self.settings)
        except TableReadOnly as error:
            tell(f"{error}; what is found will not be remembered")
            return open_table(path, self.settings, readonly=True)


def _path(name: str) -> Path:
    if name != DEFAULT_TABLE:
        return Path(name).expanduser()
    path = default_table_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
