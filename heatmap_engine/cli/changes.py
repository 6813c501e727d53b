"""`heatmap-engine changes`: what learning has changed in a table."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import chess
import click

from games.chess.journal import LearnedGame
from heatmap_engine.board.breakdown import PatternPart
from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.reading import pack
from heatmap_engine.cli.mode_options import chosen_mode, mode_option
from heatmap_engine.cli.table_options import own_table
from heatmap_engine.learning.changes import Change, Changes, changes_of, games_since, last_game
from heatmap_engine.learning.changes_data import PatternsOf, changes_as_data
from heatmap_engine.learning.runs.folder import RunFolder, games_of_run
from heatmap_engine.memory.tables import open_to_read
from heatmap_engine.reports.words import patterns_in_words, value_text
from heatmap_engine.winning_chances import Unit

_SPAN = re.compile(r"(\d{1,6}) ?([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
# A line to a position far into a game is shown from so many plies before it.
_PLIES_SHOWN = 8


def _moment(context: click.Context, parameter: click.Parameter, text: str | None) -> datetime | None:
    """A date, a date with a time, or a span before now."""
    if text is None:
        return None
    span = _SPAN.fullmatch(text)
    try:
        if span is not None:
            return datetime.now(UTC) - timedelta(**{_UNITS[span[2]]: int(span[1])})
        when = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        message = f"expected a date such as 2026-03-01, or a span such as 3h or 2d, got {text!r:.80}"
        raise click.BadParameter(message, context, parameter) from None
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)


@click.command("changes")
@click.option(
    "--last-game", "of_last_game", is_flag=True, help="Show what the last game changed. This is the default."
)
@click.option(
    "--run",
    "run_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Show what the games of a self-play run changed in the run's table.",
)
@click.option(
    "--since",
    callback=_moment,
    metavar="WHEN",
    help="Show what the games learned since a date (UTC) changed, or since 3h or 2d ago.",
)
@click.option(
    "--table", type=click.Path(path_type=Path), metavar="T", help="The table to ask, instead of your own."
)
@mode_option
@click.option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="How many positions to list of each kind.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_context
def command(
    context: click.Context,
    of_last_game: bool,
    run_folder: Path | None,
    since: datetime | None,
    table: Path | None,
    mode: str | None,
    top: int,
    as_json: bool,
) -> None:
    """Show what learning has changed: other best moves, and the greatest changes of values.

    The table's journal holds what was known of each position of a game before and after the game was learned.

    \b
    Examples:
      heatmap-engine changes
      heatmap-engine changes --since 2d --top 3
      heatmap-engine changes --run runs/first --json
    """
    if [of_last_game, run_folder is not None, since is not None].count(True) > 1:
        raise click.UsageError("--last-game, --run and --since exclude each other")
    run = None if run_folder is None else RunFolder.open(run_folder).config
    named = table if table is not None or run is None else Path(run.table)
    chosen = chosen_mode(context, named)
    path = named if named is not None else own_table(chosen)
    with open_to_read(path) as asked:
        games: Iterable[LearnedGame]
        if run is not None:
            games = games_of_run(asked, run.run)
        elif since is not None:
            games = games_since(asked, since.timestamp())
        else:
            games = last_game(asked)
        unit = chosen.unit
        found = changes_of(games, top, unit.is_mate)

        def patterns_of(board: chess.Board) -> Sequence[PatternPart]:
            return chosen.patterns(asked, pack(board))

        if as_json:
            click.echo(json.dumps(changes_as_data(found, str(path), patterns_of)))
        else:
            click.echo("\n".join(_in_words(found, path, unit, patterns_of)))


def _in_words(found: Changes, path: Path, unit: Unit, patterns_of: PatternsOf) -> Iterator[str]:
    yield f"{_count(found.games, 'game')} of {path}"
    if found.silent_games:
        yield (
            f"{_count(found.silent_games, 'game')} of them: learned before the journal said what changes; "
            "heatmap-engine learn --rebuild makes it say so"
        )
    if not found.positions:
        return
    if not found.known_before:
        yield f"{_count(found.positions, 'position')}, none known before: there is nothing to compare with"
        return
    yield f"{_count(found.positions, 'position')}, {found.known_before:,} of them known before"
    but = ", excluding mates" if found.uncounted else ""
    yield f"mean value change {found.mean_change:.2f}{but}"
    yield f"another best move at {_count(found.picks_changed, 'position')}"
    yield from _listed("Another best move", found.other_picks, unit, patterns_of)
    yield from _listed("Greatest changes", found.greatest, unit, patterns_of)
    yield f"\nValues are White minus Black, in {unit.words}."


def _listed(heading: str, changes: Iterable[Change], unit: Unit, patterns_of: PatternsOf) -> Iterator[str]:
    for number, change in enumerate(changes, start=1):
        if number == 1:
            yield f"\n{heading}"
        values = f"{_value(change, change.old_value, unit)} -> {_value(change, change.new_value, unit)}"
        if not any(map(unit.is_mate, (change.old_value, change.new_value))):
            values += f" ({value_text(change.value_change, None, change.board.turn, unit)})"
        games = f", {change.games} games" if change.games > 1 else ""
        yield f"{number:3}. {values}  {_picks(change)}{games}, last in game {change.game_id[:8]}"
        yield f"     {_way(change.board)}"
        if patterns := patterns_of(change.board):
            yield f"     {patterns_in_words(patterns)}"
        yield f"     {change.board.fen()}"


def _value(change: Change, value: float, unit: Unit) -> str:
    """A value, or who mates when, counted from the position."""
    turn = change.board.turn
    return value_text(value, unit.mate_in(movers_view(turn, value), 0), turn, unit)


def _picks(change: Change) -> str:
    new = change.board.san(change.new_pick)
    if change.old_pick is None:
        return f"best move {new}, none was known"
    old = change.board.san(change.old_pick)
    return f"best move {new} as before" if old == new else f"best move {old} -> {new}"


def _way(board: chess.Board) -> str:
    """The moves that lead to a position, or the last of them."""
    if not board.move_stack:
        return "where the game began"
    start = board.copy()
    for _ in range(min(_PLIES_SHOWN, len(board.move_stack))):
        start.pop()
    shown = board.move_stack[len(start.move_stack) :]
    return ("after ... " if start.move_stack else "after ") + start.variation_san(shown)


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"
