"""A persistent table of values for any game's states: keys are text, values are entries.

Names are imported when they are first used, so that `import qtable.errors` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qtable.dictionary import TableDict as TableDict
    from qtable.entry import SOURCES as SOURCES
    from qtable.entry import Entry as Entry
    from qtable.entry import combine as combine
    from qtable.entry import decode as decode
    from qtable.entry import encode as encode
    from qtable.errors import TableBusy as TableBusy
    from qtable.errors import TableError as TableError
    from qtable.journal import JournalLine as JournalLine
    from qtable.recovery import recover as recover
    from qtable.table import QTable as QTable

# Each public name and the module that defines it.
_PUBLIC = {
    "SOURCES": "qtable.entry",
    "Entry": "qtable.entry",
    "JournalLine": "qtable.journal",
    "QTable": "qtable.table",
    "TableBusy": "qtable.errors",
    "TableDict": "qtable.dictionary",
    "TableError": "qtable.errors",
    "combine": "qtable.entry",
    "decode": "qtable.entry",
    "encode": "qtable.entry",
    "recover": "qtable.recovery",
}

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
