"""A chess engine that scores positions by heat. See README.md for a first session.

Names are imported when they are first used: the command line and the UCI loop start without numpy,
the compiled kernel or a table until they need one.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heatmap_engine.errors import HeatmapError as HeatmapError
    from heatmap_engine.errors import InvalidPosition as InvalidPosition

    __version__: str

# Each public name and the module that defines it.
_PUBLIC = {
    "HeatmapError": "heatmap_engine.errors",
    "InvalidPosition": "heatmap_engine.errors",
}

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("heatmap-engine")
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC, "__version__"])
