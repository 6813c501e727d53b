"""A learning curve as a picture; needs matplotlib, which is in the extra `plot`."""

from collections.abc import Sequence
from pathlib import Path

from heatmap_engine.cli.run_plot import require_drawable  # isort: skip # says so where matplotlib is missing

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from heatmap_engine.match.curve import SEEN, UNSEEN, Point
from heatmap_engine.match.standing import MatchStanding
from heatmap_engine.match.strength import Strength

__all__ = ["draw", "draw_strengths", "require_drawable"]

# From Okabe and Ito's colours, which people tell apart however they see colours; markers differ as well.
_LOOKS = {SEEN: ("#0072B2", "o"), UNSEEN: ("#D55E00", "s")}
# Where both parts have a point for the same games, they stand so far apart, as factors of the games.
_ASIDE = {SEEN: 0.985, UNSEEN: 1.015}

Match = tuple[Point, MatchStanding]


def draw(played: Sequence[Match], title: str, path: Path) -> None:
    """Draw Elo with its 95 % interval over the games learned, and the share of draws by repetition."""
    figure = Figure(figsize=(9, 7.5), layout="constrained")
    figure.suptitle(title, fontsize=15)
    strength, repetitions = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    for part in _LOOKS:
        matches = [(point, standing) for point, standing in played if point.part == part]
        if matches:
            _elo(strength, part, matches)
            _repetitions(repetitions, part, matches)
    _finish(strength, repetitions, [point.games_learned for point, _ in played])
    figure.savefig(path, dpi=110)


def _elo(place: Axes, part: str, matches: Sequence[Match]) -> None:
    colour, marker = _LOOKS[part]
    known = [(point.games_learned * _ASIDE[part], standing.strength) for point, standing in matches]
    draw_strengths(
        place, known, colour, marker, f"openings {'seen until then' if part == SEEN else 'never seen'}"
    )


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


def _repetitions(place: Axes, part: str, matches: Sequence[Match]) -> None:
    colour, marker = _LOOKS[part]
    shares = [standing.repetitions / standing.games for _, standing in matches]
    place.plot([point.games_learned for point, _ in matches], shares, color=colour, marker=marker)


def _finish(strength: Axes, repetitions: Axes, games: Sequence[int]) -> None:
    strength.axhline(0, color="#606060", linewidth=1, linestyle="--")
    strength.set_title("Elo against the untrained engine, with 95 % intervals", loc="left", fontsize=11)
    strength.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
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
