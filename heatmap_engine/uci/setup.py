"""From the options to an engine and its table; whatever is wrong with the table, there is an engine."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from heatmap_engine.board.tablebases import Tablebases
from heatmap_engine.deep import adopted
from heatmap_engine.deep.weights import DeepWeights, learned_weights
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import Mode, mode_named
from heatmap_engine.errors import InvalidSettings, InvalidWeights
from heatmap_engine.memory.lazy_table import LazyTable
from heatmap_engine.memory.tables import opened_table, table_settings
from heatmap_engine.reports.words import counted
from heatmap_engine.uci.options import (
    MEMORY_TABLE,
    NO_TABLE,
    OWN_TABLE,
    OWN_TABLE_BEFORE,
    OWN_WEIGHTS,
    PACKAGE_WEIGHTS,
    Options,
)
from heatmap_engine.user_files import given_path
from qtable import QTable


def random_source(options: Options) -> random.Random:
    """One source for ties and exploration: seeded, or different every time."""
    seed = options.number("Random Seed")
    return random.Random(None if seed < 0 else seed)


def weights_of(name: str) -> DeepWeights:
    """The weights that the option names; raises InvalidWeights."""
    if name == PACKAGE_WEIGHTS:
        name = adopted.PACKAGE
    return adopted.weights_of(None if name in (OWN_WEIGHTS, "") else given_path(name))


def weights_to_begin_with(tell: Callable[[str], None]) -> DeepWeights:
    """Those in use; the package's, and why, where they cannot be read: a GUI must find an engine."""
    try:
        return adopted.weights_in_use()
    except InvalidWeights as error:
        tell(f"playing with the package's weights: {error}")
        return learned_weights()


def takes_syzygy(mode: Mode) -> bool:
    return "syzygy" in mode.setting_names


def tablebases_in_words(folders: str) -> str:
    """What endgame tables there are; raises InvalidSettings where there are none."""
    tables = Tablebases.open(folders)
    found = f"Syzygy tables of {counted(len(tables), 'ending')} with up to {tables.most_pieces} pieces"
    tables.close()
    return found


_SMALLEST_HASH_MIB = 1

# The options that are settings of a mode, by the names of these; `weights` are read when they are set.
_OPTIONS_OF = {
    "plies": "Plies",
    "tactical_plies": "TacticalPlies",
    "heat_depth": "HeatDepth",
    "hash_mib": "Hash",
    "threads": "Threads",
}


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """What the options said when an engine was asked for; they may change before it is made."""

    mode: Mode
    settings: Any
    table: str
    is_readonly: bool
    record: str

    @classmethod
    def of(cls, options: Options, weights: DeepWeights) -> Self:
        mode = mode_named(options.text("Mode"))
        given = {
            name: options.number(_OPTIONS_OF[name]) for name in mode.setting_names if name in _OPTIONS_OF
        }
        texts = {"syzygy": options.text("SyzygyPath")} if takes_syzygy(mode) else {}
        settings = mode.settings(
            **given, **texts, **({"weights": weights} if mode.takes_weights_file else {})
        )
        record = options.text("Record")
        return cls(
            mode,
            settings,
            options.text("QTable"),
            options.is_on("ReadOnly"),
            record if record in mode.record_modes else mode.record_modes[0],
        )

    def engine(self, source: random.Random, tell: Callable[[str], None]) -> Engine:
        """A new engine; its table stays open with it, and is to be closed after it."""
        table = self._opened(tell)
        record = "off" if table is None or table.is_readonly else self.record

        def made(settings: Any) -> Engine:
            return Engine(table, settings=settings, record=record, random=source, report=tell)

        try:
            return made(self.settings)
        except MemoryError:
            tell(
                f"there is no memory for a Hash of {self.settings.hash_mib} MiB; "
                f"it has {_SMALLEST_HASH_MIB} MiB now"
            )
            return made(replace(self.settings, hash_mib=_SMALLEST_HASH_MIB))
        except InvalidSettings as error:
            if not (takes_syzygy(self.mode) and self.settings.syzygy):
                raise
            tell(f"playing without endgame tables: {error}")  # they were there when the option was set
            return made(replace(self.settings, syzygy=""))

    def _opened(self, tell: Callable[[str], None]) -> QTable | None:
        if self.table in (NO_TABLE, ""):
            return None
        if self.table == MEMORY_TABLE:
            return QTable.in_memory(settings=table_settings(self.settings))
        try:
            path = _path(self.table, self.mode)
            table = opened_table(path, self.settings, self.is_readonly, tell)
            return table.made() if isinstance(table, LazyTable) else table
        except Exception as error:  # whatever it is: without an engine the GUI would wait for ever
            tell(f"playing without a table: {error}")
            return None


def _path(name: str, mode: Mode) -> Path:
    if name not in (OWN_TABLE, OWN_TABLE_BEFORE):
        return given_path(name)
    path = mode.default_table
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
