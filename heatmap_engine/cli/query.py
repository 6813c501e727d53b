"""`heatmap-engine query`: what the table knows of a position and of every legal move."""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path

import click

from heatmap_engine.cli.common import (
    FROM_STDIN,
    CommandWithMoves,
    answer_lines,
    fen_argument,
    fen_text,
    moves_option,
    schema_option,
)
from heatmap_engine.cli.heat_view import heat_console
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.mode_options import chosen_mode, mode_option
from heatmap_engine.cli.move_text import board_after
from heatmap_engine.cli.query_view import print_report
from heatmap_engine.cli.table_options import table_options, table_to_read
from heatmap_engine.engines.engine import Engine
from heatmap_engine.errors import HeatmapError
from heatmap_engine.reports.report import MoveReport, Report
from heatmap_engine.reports.report_data import Data, as_data, invalid_as_data, move_as_data, schema
from heatmap_engine.reports.walking import MAX_COVERAGE_PLIES

_SORTS: dict[str, Callable[[MoveReport], tuple[float | str, ...]]] = {
    "q": lambda move: (move.rank,),
    "visits": lambda move: (-(move.standing.known.visits if move.standing.known else 0), move.rank),
    "san": lambda move: (move.san,),
}

# The columns, also where there is no move; they are the fields of a move in the JSON.
_CSV_FIELDS = (
    "uci",
    "san",
    "rank",
    "over",
    "capture",
    "check",
    "known",
    "q",
    "q_mover",
    "static",
    "learned",
    "depth",
    "visits",
    "wins",
    "draws",
    "losses",
    "source",
    "updated",
    "win",
    "draw",
    "loss",
    "centipawns",
    "reply",
    "mate_in",
)


@click.command("query", cls=CommandWithMoves)
@fen_argument
@moves_option
@mode_option
@table_options
@click.option(
    "--sort", type=click.Choice(list(_SORTS)), default="q", show_default=True, help="The order of the moves."
)
@click.option("--all", "shows_all", is_flag=True, help="Print every move, however many are unknown.")
@click.option("--candidates", is_flag=True, help="Add the moves as a short search ranks them.")
@click.option("--line", is_flag=True, help="Add the line of best moves that the table knows.")
@click.option(
    "--tree",
    type=click.IntRange(1, MAX_COVERAGE_PLIES),
    metavar="PLIES",
    help="Add how many of the positions up to so many plies ahead the table has.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the moves as CSV.")
@schema_option(schema)
@click.pass_context
def command(
    context: click.Context,
    fen: tuple[str, ...],
    moves: str,
    mode: str | None,
    table: Path | None,
    no_table: bool,
    sort: str,
    shows_all: bool,
    candidates: bool,
    line: bool,
    tree: int | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Show what the table knows of a position and of every legal move.

    FEN may be quoted or six bare words. Without it, the start position is asked about. With `-`, each line
    of standard input is a FEN and gives one line of JSON. Without --table, your own table is asked if there
    is one. Nothing is recorded, and nothing is searched without --candidates: a move that the table does not
    know is shown with the evaluation of the position after it.

    \b
    Examples:
      heatmap-engine query --moves e4 e5 Nf3
      heatmap-engine query --line --tree 3
      heatmap-engine query - < positions.fen > answers.jsonl
    """
    if as_csv and (as_json or fen == FROM_STDIN):
        raise click.UsageError("--csv is for one position, and does not go with --json")
    if as_csv and (candidates or line or tree):
        raise click.UsageError("--csv prints only the moves: --candidates, --line and --tree need --json")
    chosen = chosen_mode(context, table)
    source = table_to_read(table, no_table, chosen)
    with Engine(source, mode=chosen.name, readonly=True, record="off", report=warn) as engine:

        def ask(text: str) -> Report:
            board = board_after(text, moves)
            return engine.report(board, candidates=candidates, line=line, plies=tree or 0)

        def answer(text: str) -> str:
            report = ask(text)
            return json.dumps(as_data(report, _sorted(report, sort)))

        if fen == FROM_STDIN:
            answer_lines(answer, _bad_answer)
        elif as_json:
            _print_json(answer, fen_text(fen))
        elif as_csv:
            report = ask(fen_text(fen))
            _print_csv(report, _sorted(report, sort))
        else:
            report = ask(fen_text(fen))
            print_report(heat_console(), report, _sorted(report, sort), shows_all=shows_all)


def _sorted(report: Report, sort: str) -> list[MoveReport]:
    return sorted(report.moves, key=_SORTS[sort])


def _bad_answer(text: str, error: HeatmapError) -> str:
    return json.dumps(invalid_as_data(text, str(error)))


def _print_json(answer: Callable[[str], str], text: str) -> None:
    """One object, also of what is no position: a program then reads its answer where it always does."""
    try:
        click.echo(answer(text))
    except HeatmapError as error:
        click.echo(_bad_answer(text, error))
        raise


def _print_csv(report: Report, moves: list[MoveReport]) -> None:
    rows = [_flat(move_as_data(report, move)) for move in moves]
    writer = csv.DictWriter(sys.stdout, fieldnames=_CSV_FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _flat(move: Data) -> Data:
    """A move's fields with its reply's name instead of the reply, and truth written as in JSON."""
    named = {**move, "reply": move["reply"] and move["reply"]["uci"]}
    return {name: json.dumps(value) if isinstance(value, bool) else value for name, value in named.items()}
