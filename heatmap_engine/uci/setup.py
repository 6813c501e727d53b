"""From the options to an engine and its table; whatever is wrong with the table, there is an engine."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from heatmap_engine.classic.search import SearchSettings
from heatmap_engine.deep import weights as deep_weights
from heatmap_engine.deep.settings import DeepSettings
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.engines.base import TableEngine
from heatmap_engine.engines.classic import Engine
from heatmap_engine.engines.deep import DeepEngine
from heatmap_engine.memory.tables import Settings, open_table, table_settings
from heatmap_engine.uci.options import DEFAULT_TABLE, MEMORY_TABLE, NO_TABLE, PACKAGE_WEIGHTS, Options
from heatmap_engine.user_files import default_table_path, given_path
from qtable import QTable
from qtable.errors import TableReadOnly


def random_source(options: Options) -> random.Random:
    """One source for ties and exploration: seeded, or different every time."""
    seed = options.number("Random Seed")
    return random.Random(None if seed < 0 else seed)


def weights_of(name: str) -> DeepWeights:
    """The weights that the option names; raises InvalidWeights."""
    return deep_weights.weights_of(None if name in (PACKAGE_WEIGHTS, "") else given_path(name))


_SMALLEST_HASH_MIB = 1


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """What the options said when an engine was asked for; they may change before it is made."""

    mode: str
    settings: SearchSettings
    weights: DeepWeights
    hash_mib: int
    threads: int
    table: str
    is_readonly: bool
    record: str

    @classmethod
    def of(cls, options: Options, weights: DeepWeights) -> Self:
        return cls(
            options.text("Mode"),
            SearchSettings(
                options.number("Plies"), options.number("TacticalPlies"), options.number("HeatDepth")
            ),
            weights,
            options.number("Hash"),
            options.number("Threads"),
            options.text("QTable"),
            options.is_on("ReadOnly"),
            options.text("Record"),
        )

    @property
    def _meaning(self) -> Settings:
        return DeepSettings(self.weights) if self.mode == "deep" else self.settings

    def engine(self, source: random.Random, tell: Callable[[str], None]) -> TableEngine:
        """A new engine; its table stays open with it, and is to be closed after it."""
        table = self._opened(tell)
        record = "off" if table is None or table.is_readonly else self.record
        if self.mode == "deep":
            return self._deep_engine(table, record, tell)
        return Engine(
            table,
            self.settings.plies,
            self.settings.tactical_plies,
            self.settings.heat_depth,
            self.settings.weights,
            record=record,
            random=source,
            report=tell,
        )

    def _deep_engine(self, table: QTable | None, record: str, tell: Callable[[str], None]) -> DeepEngine:
        def made(hash_mib: int) -> DeepEngine:
            return DeepEngine(
                table,
                weights=self.weights,
                hash_mib=hash_mib,
                threads=self.threads,
                record="off" if record == "off" else "searched",
                report=tell,
            )

        try:
            return made(self.hash_mib)
        except MemoryError:
            tell(f"there is no memory for a Hash of {self.hash_mib} MiB; it has {_SMALLEST_HASH_MIB} MiB now")
            return made(_SMALLEST_HASH_MIB)

    def _opened(self, tell: Callable[[str], None]) -> QTable | None:
        if self.table in (NO_TABLE, ""):
            return None
        if self.table == MEMORY_TABLE:
            return QTable.in_memory(settings=table_settings(self._meaning))
        try:
            path = _path(self.table, self.mode)
            if self.is_readonly:
                return open_table(path, self._meaning, readonly=True)
            return self._opened_for_writing(path, tell)
        except Exception as error:  # whatever it is: without an engine the GUI would wait for ever
            tell(f"playing without a table: {error}")
            return None

    def _opened_for_writing(self, path: Path, tell: Callable[[str], None]) -> QTable:
        try:
            return open_table(path, self._meaning)
        except TableReadOnly as error:
            tell(f"{error}; what is found will not be remembered")
            return open_table(path, self._meaning, readonly=True)


def _path(name: str, mode: str) -> Path:
    if name != DEFAULT_TABLE:
        return given_path(name)
    path = default_table_path(mode)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
