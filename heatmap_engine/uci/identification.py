"""Who the engine is, and which options it has. This module loads next to nothing: it answers `uci`."""

from heatmap_engine.uci.options import Options


def identification(options: Options) -> list[str]:
    """The answer to `uci`."""
    from importlib.metadata import version

    name = f"Heatmap Engine {version('heatmap-engine')}"
    authors = "the Heatmap Engine maintainers"
    return [f"id name {name}", f"id author {authors}", *options.declarations(), "uciok"]
