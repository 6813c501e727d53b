"""Numbers of a run in words."""

from collections.abc import Iterator

from heatmap_engine.deep.yardstick import TENFOLD_CHANCE
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.summary import Summary


def lines_of_summary(summary: Summary, recent: Summary, mode: str) -> Iterator[str]:
    """Results and length of all games, what the recent ones have taught, and the table's size."""
    yield (
        f"White won {summary.white_wins:,}, drawn {summary.draws:,}, Black won {summary.black_wins:,} "
        f"({number(summary.repetition_share, '.0%')} by repetition)"
    )
    yield f"{number(summary.plies.value, '.1f')} plies per game"
    yield from _lines_of_change(recent, mode)
    yield f"{summary.new:,} entries new, {summary.changed:,} changed"
    yield f"table {number(summary.entries, ',')} entries, {megabytes(summary.table_bytes)}"


def _lines_of_change(recent: Summary, mode: str) -> Iterator[str]:
    change = number(recent.value_change.value, ",.2f")
    points = number(recent.points_change.value, ".4f")
    if mode == "deep":
        yield f"values change by {points} expected points"
        yield f"values that are no mates change by {change} ({TENFOLD_CHANCE})"
    else:
        yield f"values change by {change} heat units ({points} expected points)"


def described(folder: RunFolder, summary: Summary) -> Iterator[str]:
    """What a run has come to, for the end of a command."""
    yield f"{folder.path}: {games(summary.games)} learned into {folder.config.table}"
    yield from (f"  {line}" for line in lines_of_summary(summary, summary, folder.config.mode))


def games(count: int) -> str:
    return f"{count:,} {'game' if count == 1 else 'games'}"


def number(value: float | None, form: str) -> str:
    """A number in this form, or a dash where nobody knows it."""
    return "-" if value is None else format(value, form)


def megabytes(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:,.1f} MB"
