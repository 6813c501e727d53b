"""Elo over the games learned, a part of several pictures; needs matplotlib, which is in the extra `plot`."""

from collections.abc import Sequence
from pathlib import Path

from heatmap_engine.errors import HeatmapError
from heatmap_engine.match.curve import SEEN, UNSEEN, Point
from heatmap_engine.match.standing import MatchStanding
from heatmap_engine.match.strength import Strength

try:
    from matplotlib.axes import Axes
except ModuleNotFoundError as error:
    raise HeatmapError(
        "curves need matplotlib, which is not installed; "
        'in the folder of Heatmap Engine, run: pip install ".[plot]"'
    ) from error

# From Okabe and Ito's colours, which people tell apart however they see colours; markers differ as well.
LOOKS = {SEEN: ("#0072B2", "o"), UNSEEN: ("#D55E00", "s")}
# Where both parts have a point for the same games, they stand so far apart, as factors of the games.
_ASIDE = {SEEN: 0.985, UNSEEN: 1.015}

_KINDS = (".png", ".svg")

Match = tuple[Point, MatchStanding]


def require_drawable(path: Path, *, force: bool) -> None:
    """Raise HeatmapError for a name that is no picture's, no place for one, or taken."""
    if path.suffix not in _KINDS:
        raise HeatmapError(f"expected a picture's name to end in {' or '.join(_KINDS)}, got {path}")
    if not path.parent.is_dir():
        raise HeatmapError(f"the folder of {path} does not exist")
    if path.exists() and not force:
        raise HeatmapError(f"{path} is already there and was left alone; --force draws over it")


def draw_matches(place: Axes, matches: Sequence[Match]) -> None:
    """Elo against the untrained engine, on openings that were seen and on others."""
    for part, (colour, marker) in LOOKS.items():
        known = [
            (point.games_learned * _ASIDE[part], standing.strength)
            for point, standing in matches
            if point.part == part
        ]
        if known:
            label = f"openings {'seen until then' if part == SEEN else 'never seen'}"
            draw_strengths(place, known, colour, marker, label)
    place.axhline(0, color="#606060", linewidth=1, linestyle="--")
    place.set_title("Elo against the untrained engine, with 95 % intervals", loc="left", fontsize=11)
    place.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)


def draw_strengths(
    place: Axes, known: Sequence[tuple[float, Strength]], colour: str, marker: str, label: str
) -> None:
    """Elo over games with its 95 % interval, where both are finite."""
    curve = [(games, strength.elo) for games, strength in known if strength.elo is not None]
    place.plot(
        [games for games, _ in curve],
        [elo for _, elo in curve],
        color=colour,
        marker=marker,
        label=label,
    )
    bars = [
        (games, strength.elo_low, strength.elo_high)
        for games, strength in known
        if strength.elo_low is not None and strength.elo_high is not None
    ]
    for games, low, high in bars:
        place.vlines(games, low, high, color=colour, linewidth=1.6, alpha=0.7)
