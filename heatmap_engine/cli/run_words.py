"""Numbers of a run in words."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from games.chess.opening_names import opening_of
from games.chess.openings import Opening
from heatmap_engine.engines.mode import mode_named, mode_of_meaning
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.report import OpeningScore, opening_scores
from heatmap_engine.learning.runs.summary import RunSummary
from heatmap_engine.memory.tables import open_to_read
from heatmap_engine.winning_chances import Unit

# How many openings are named that were best, and how many that were worst.
_SHOWN = 3


def lines_of_summary(summary: RunSummary, recent: RunSummary, unit: Unit) -> Iterator[str]:
    """Results and length of all games, what the recent ones have taught, and the table's size."""
    yield (
        f"White won {summary.white_wins:,}, drawn {summary.draws:,}, Black won {summary.black_wins:,} "
        f"({number(summary.repetition_share, '.0%')} by repetition)"
    )
    if summary.points.value is not None:
        yield (
            f"scored {summary.points.value:.1%} against its opponents, "
            f"{number(recent.points.value, '.1%')} lately"
        )
    yield f"{number(summary.plies.value, '.1f')} plies per game"
    yield mean_change(recent, unit)
    yield f"{summary.new:,} entries new, {summary.changed:,} changed"
    yield f"table {number(summary.entries, ',')} entries, {megabytes(summary.table_bytes)}"


def mean_change(recent: RunSummary, unit: Unit) -> str:
    """How much learning changes the value of a position, in the unit and in expected points."""
    change, points = number(recent.value_change.value, ",.2f"), number(recent.points_change.value, ".4f")
    but = "excluding mates; " if unit.has_mates else ""
    return f"mean value change {change} ({but}{unit.words}), or {points} expected points"


def described(folder: RunFolder, summary: RunSummary, strength: str | None) -> Iterator[str]:
    """What a run has come to: how much stronger it has made the engine, and then what was learned."""
    if strength is not None:
        yield strength
    yield f"{folder.path}: {games(summary.games)} learned into {folder.config.table}"
    unit = mode_named(folder.config.mode).unit
    yield from (f"  {line}" for line in lines_of_summary(summary, summary, unit))
    yield from (f"  {line}" for line in learned_everywhere(Path(folder.config.table)))
    yield from (f"  {line}" for line in _openings(opening_scores(folder)))


def _openings(scores: Sequence[OpeningScore]) -> Iterator[str]:
    """The openings that were best and worst for White."""
    if len(scores) >= 2 * _SHOWN:
        yield f"best for White: {'; '.join(map(_opening_score, scores[:_SHOWN]))}"
        yield f"best for Black: {'; '.join(map(_opening_score, scores[: -_SHOWN - 1 : -1]))}"


def _opening_score(score: OpeningScore) -> str:
    return f"{opening_words(score.opening)} ({score.white_wins}-{score.draws}-{score.black_wins})"


def opening_words(opening: Opening) -> str:
    """Its name, or that of the opening that its moves belong to, and the moves; at least its number."""
    board = opening.board()
    known = None if opening.is_named else opening_of(board)
    name = opening.name if known is None else known.name
    if not board.move_stack:
        return name
    moves = board.root().variation_san(board.move_stack)
    return moves if known is None and not opening.is_named else f"{name}, {moves}"


def learned_everywhere(path: Path) -> Sequence[str]:
    """What all games of a table together have taught of positions that it has never seen, in some lines."""
    if not path.exists():  # the run's report still has its own files
        return ()
    with open_to_read(path) as table:
        return mode_of_meaning(table.settings).generalizer(table).described()


def games(count: int) -> str:
    return f"{count:,} {'game' if count == 1 else 'games'}"


def number(value: float | None, form: str) -> str:
    """A number in this form, or a dash where nobody knows it."""
    return "-" if value is None else format(value, form)


def megabytes(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:,.1f} MB"
