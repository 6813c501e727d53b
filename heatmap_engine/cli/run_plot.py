"""The curves of a run as a picture; needs matplotlib, which is in the extra `plot`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from heatmap_engine.cli.strength_plot import Match, draw_matches, require_drawable  # isort: skip # says if it is missing

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from heatmap_engine.errors import HeatmapError
from heatmap_engine.learning.runs.report import RunPart, RunReport
from heatmap_engine.learning.runs.summary import RunSummary
from heatmap_engine.winning_chances import Unit

__all__ = ["draw", "require_drawable"]

# From Okabe and Ito's colours, which people tell apart however they see colours.
_BLUE, _ORANGE, _GREEN, _PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"

Panel = Callable[[Axes, Sequence[RunPart]], None]


def draw(report: RunReport, matches: Sequence[Match], title: str, unit: Unit, path: Path) -> None:
    """Draw strength, what learning changed, results, repetitions, the table's growth and the speed.

    All over the games of the run; the strength where there are matches that measured it.
    """
    if not report.parts:
        raise HeatmapError("expected at least one game to draw, the run has none yet")
    figure = Figure(figsize=(11, 13.5 if matches else 10), layout="constrained")
    figure.suptitle(f"{title}: {report.whole.games:,} games", fontsize=15)
    rows: list[Any] = [["strength", "strength"], *_ROWS] if matches else [*_ROWS]
    axes = figure.subplot_mosaic(rows, sharex=True)
    but = ", excluding mates" if unit.has_mates else ""
    _value_change(axes["values"], report.parts, title=f"Mean value change{but} ({unit.words})")
    for name, panel in _PANELS.items():
        panel(axes[name], report.parts)
    if matches:
        draw_matches(axes["strength"], matches)
    for place in axes.values():
        place.grid(alpha=0.25)
        place.set_axisbelow(True)
        place.margins(x=0)
        place.spines[["top", "right"]].set_visible(False)
    for name in _ROWS[-1]:
        axes[name].set_xlabel("games learned")
    # With room for the marks of the last matches.
    axes["values"].set_xlim(0, report.whole.games * (1.03 if matches else 1.0))
    figure.savefig(path, dpi=110)


def _curve(
    place: Axes, parts: Sequence[RunPart], title: str, value: Callable[[RunPart], float | None], colour: str
) -> None:
    known = [(_middle(part), found) for part in parts if (found := value(part)) is not None]
    games, values = [game for game, _ in known], [found for _, found in known]
    place.plot(games, values, color=colour, marker="o" if len(known) < 25 else "", markersize=4)
    place.set_title(title, loc="left", fontsize=11)
    place.set_ylim(bottom=0)


def _middle(part: RunPart) -> float:
    """Where a part's mean is drawn: half a game before its first one is where the run begins."""
    return (part.first - 1 + part.last) / 2


def _value_change(place: Axes, parts: Sequence[RunPart], title: str) -> None:
    _curve(place, parts, title, lambda part: part.summary.value_change.value, _BLUE)


def _points_change(place: Axes, parts: Sequence[RunPart]) -> None:
    _curve(place, parts, "Change of expected points", lambda part: part.summary.points_change.value, _PURPLE)


def _results(place: Axes, parts: Sequence[RunPart]) -> None:
    edges = [parts[0].first - 1, *(part.last for part in parts)]
    below = [0.0] * len(parts)
    counts: list[tuple[str, str, Callable[[RunSummary], int]]] = [
        ("White won", "#E8C26A", lambda summary: summary.white_wins),
        ("drawn", "#B8B8B8", lambda summary: summary.draws),
        ("Black won", "#404040", lambda summary: summary.black_wins),
    ]
    for label, colour, count in counts:
        above = [
            low + count(part.summary) / part.summary.games for low, part in zip(below, parts, strict=True)
        ]
        place.stairs(above, edges, baseline=below, fill=True, color=colour, label=label)
        below = above
    place.set_title("Results, share of games", loc="left", fontsize=11)
    place.set_ylim(0, 1)
    place.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=3, frameon=False, fontsize=9)


def _repetitions(place: Axes, parts: Sequence[RunPart]) -> None:
    _curve(
        place,
        parts,
        "Draws by repetition, share of games",
        lambda part: part.summary.repetition_share,
        _ORANGE,
    )
    place.set_ylim(0, 1)


def _table(place: Axes, parts: Sequence[RunPart]) -> None:
    games = [part.last for part in parts]
    entries = [(part.summary.entries or 0) / 1e6 for part in parts]
    place.plot(games, entries, color=_GREEN)
    place.set_title("Entries in the table, millions", loc="left", fontsize=11)
    place.set_ylim(bottom=0)


def _speed(place: Axes, parts: Sequence[RunPart]) -> None:
    _curve(place, parts, "Games per hour", lambda part: part.games_per_hour, _BLUE)


_ROWS = [["values", "points"], ["results", "repetitions"], ["table", "speed"]]
_PANELS: dict[str, Panel] = {
    "points": _points_change,
    "results": _results,
    "repetitions": _repetitions,
    "table": _table,
    "speed": _speed,
}
