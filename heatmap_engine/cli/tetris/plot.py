"""How long what was learned survives, as a picture; needs matplotlib, which is in the extra `plot`."""

from collections.abc import Sequence
from pathlib import Path

from heatmap_engine.cli.strength_plot import require_drawable  # isort: skip # says so where matplotlib is missing

from matplotlib.figure import Figure

from games.tetris.survival import Survival
from heatmap_engine.errors import HeatmapError

__all__ = ["draw", "require_drawable"]

_COLOUR = "#0072B2"


def draw(name: str, points: Sequence[tuple[int, Survival]], title: str, path: Path) -> None:
    """Draw the mean lines of a game with its 95 % interval, over generations or rounds."""
    known = [(number, found) for number, found in points if found.mean is not None]
    if not known:
        raise HeatmapError(f"expected at least one {name} that was measured, the run has none yet")
    figure = Figure(figsize=(9, 5.5), layout="constrained")
    figure.suptitle(title, fontsize=15)
    place = figure.subplots()
    place.plot([number for number, _ in known], [found.mean or 0 for _, found in known], "o-", color=_COLOUR)
    for number, found in known:
        low, high = found.interval
        place.vlines(number, low, high or found.lines, color=_COLOUR, linewidth=1.6, alpha=0.7)
    place.set_yscale("log")
    place.set_xlabel(name)
    place.set_title("Mean lines of a game, with 95 % intervals", loc="left", fontsize=11)
    place.grid(alpha=0.25)
    place.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
