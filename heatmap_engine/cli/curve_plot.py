"""A learning curve as a picture; needs matplotlib, which is in the extra `plot`."""

from collections.abc import Sequence
from pathlib import Path

from heatmap_engine.cli.strength_plot import LOOKS, Match, draw_matches, require_drawable  # isort: skip # or says so

from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["draw", "require_drawable"]


def draw(played: Sequence[Match], title: str, path: Path) -> None:
    """Draw Elo with its 95 % interval over the games learned, and the share of draws by repetition."""
    figure = Figure(figsize=(9, 7.5), layout="constrained")
    figure.suptitle(title, fontsize=15)
    strength, repetitions = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    draw_matches(strength, played)
    for part in LOOKS:
        matches = [(point, standing) for point, standing in played if point.part == part]
        if matches:
            _repetitions(repetitions, part, matches)
    _finish(strength, repetitions, [point.games_learned for point, _ in played])
    figure.savefig(path, dpi=110)


def _repetitions(place: Axes, part: str, matches: Sequence[Match]) -> None:
    colour, marker = LOOKS[part]
    shares = [standing.repetitions / standing.games for _, standing in matches]
    place.plot([point.games_learned for point, _ in matches], shares, color=colour, marker=marker)


def _finish(strength: Axes, repetitions: Axes, games: Sequence[int]) -> None:
    repetitions.set_title("Draws by repetition, share of games", loc="left", fontsize=11)
    repetitions.set_ylim(0, 1)
    repetitions.set_xlabel("games learned")
    repetitions.set_xscale("log")
    ticks = sorted(set(games))
    repetitions.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    repetitions.set_xticks([], minor=True)
    # A single checkpoint would else be as wide as the picture, and its two points at the picture's ends.
    repetitions.set_xlim(ticks[0] / 1.2, ticks[-1] * 1.2)
    for place in (strength, repetitions):
        place.grid(alpha=0.25)
        place.spines[["top", "right"]].set_visible(False)
