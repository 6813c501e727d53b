"""The strength of a tuning run's checkpoints as a picture; needs matplotlib, which is in the extra `plot`."""

from collections.abc import Sequence
from pathlib import Path

from heatmap_engine.cli.strength_plot import draw_strengths, require_drawable  # isort: skip # says what is missing

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from heatmap_engine.errors import HeatmapError
from heatmap_engine.tuning.measurement import MatchResult, TuneMeasurement

__all__ = ["draw", "require_drawable"]

# From Okabe and Ito's colours; markers differ as well.
_START, _LAST, _LOSS = ("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "o")


def draw(measurements: Sequence[TuneMeasurement], title: str, path: Path) -> None:
    """Draw Elo with its 95 % interval over the games learned, and below it the loss on held-back games."""
    if not measurements:
        raise HeatmapError("expected at least one checkpoint to draw, the run has none yet")
    figure = Figure(figsize=(9, 7.5), layout="constrained")
    figure.suptitle(title, fontsize=15)
    strength, loss = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    _strengths(strength, [(m.games, m.against_start) for m in measurements], *_START, "against the start")
    _strengths(strength, [(m.games, m.against_last) for m in measurements], *_LAST, "against the one before")
    strength.axhline(0, color="#606060", linewidth=1, linestyle="--")
    strength.set_title("Elo of the checkpoints, with 95 % intervals", loc="left", fontsize=11)
    strength.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    known = [(m.games, m.loss) for m in measurements if m.loss is not None]
    loss.plot([games for games, _ in known], [found for _, found in known], color=_LOSS[0], marker=_LOSS[1])
    loss.set_title("Surprise at the results of held-back games", loc="left", fontsize=11)
    loss.set_xlabel("games learned from")
    for place in (strength, loss):
        place.grid(alpha=0.25)
        place.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


def _strengths(
    place: Axes, results: Sequence[tuple[int, MatchResult | None]], colour: str, marker: str, label: str
) -> None:
    known = [(games, result.strength) for games, result in results if result is not None]
    draw_strengths(place, known, colour, marker, label)
