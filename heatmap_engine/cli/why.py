"""`heatmap-engine why`: why a move has its score, in words and numbers."""

import json
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from heatmap_engine.board.breakdown import Part
from heatmap_engine.cli.common import CommandWithMoves, fen_text, moves_option, schema_option
from heatmap_engine.cli.heat_view import heat_console
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c, warn
from heatmap_engine.cli.mode_options import chosen_mode, limits_of, search_options, settings_of
from heatmap_engine.cli.move_text import board_after, parse_move
from heatmap_engine.cli.table_options import table_options, table_to_read
from heatmap_engine.engines.engine import Engine
from heatmap_engine.errors import InvalidMove
from heatmap_engine.reports.why import Reason, Why
from heatmap_engine.reports.why_data import why_as_data, why_schema
from heatmap_engine.reports.why_words import comparison, headline, number_of, sentences
from heatmap_engine.reports.words import part_name
from heatmap_engine.winning_chances import Unit

# The parts that say most; the others are summed up.
_PARTS_SHOWN = 10


@click.command("why", cls=CommandWithMoves)
@click.argument("words", nargs=-1, required=True, metavar="[FEN] MOVE")
@moves_option
@search_options
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@schema_option(why_schema)
@click.pass_context
def command(
    context: click.Context,
    words: tuple[str, ...],
    moves: str,
    mode: str | None,
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    weights: Path | None,
    plies: int | None,
    tactical: int | None,
    table: Path | None,
    no_table: bool,
    as_json: bool,
) -> None:
    """Say why a move has its score, and why the best move is better.

    FEN may be quoted or six bare words; without it the start position is meant. Moves that lead to the
    position follow --moves. The answer is the line that the score comes from, and what changes until its
    end: pieces, heat, and the parts of the evaluation. Values come from the search, and from your own table
    of its mode if there is one; nothing is recorded.
    Ctrl-C answers with what was found so far.

    \b
    Examples:
      heatmap-engine why e4
      heatmap-engine why Bb5 --moves e4 e5 Nf3 Nc6 --depth 12
      heatmap-engine why Bb5 --moves e4 e5 Nf3 Nc6 --mode classic
    """
    chosen = chosen_mode(context, table)
    limits = limits_of(depth, nodes, seconds, plies)
    board = board_after(fen_text(words[:-1], before=words[-1]), moves)
    try:
        move = parse_move(board, words[-1])
    except InvalidMove as error:
        raise InvalidMove(f"{error} in {board.fen()}") from error
    with Engine(
        table_to_read(table, no_table, chosen),
        settings=settings_of(chosen, weights=weights, tactical=tactical),
        readonly=True,
        record="off",
        report=warn,
    ) as engine:
        found = now_or_on_ctrl_c(lambda: engine.why(board, move, limits), engine.stop)
    if as_json:
        click.echo(json.dumps(why_as_data(found)))
    else:
        _print(heat_console(), found)


def _print(console: Console, why: Why) -> None:
    asked, best, unit = why.asked, why.best, why.unit
    console.print(headline(why), style="bold", soft_wrap=True)
    print_reason(console, asked, unit, why.table)
    console.print()
    if asked.move == best.move:
        console.print("It is the best move.")
        return
    console.print(comparison(why), soft_wrap=True)
    _print_sentences(console, best, unit, why.table)
    if why.parts:
        console.print("\nWhat the ends of the two lines differ in:")
        _print_parts(console, why.parts, unit, why.board.san(best.move), why.board.san(asked.move))


def print_reason(console: Console, reason: Reason, unit: Unit, table: str | None) -> None:
    """Print the line that a move's score comes from, and what changes until its end."""
    _print_sentences(console, reason, unit, table)
    if reason.parts:
        console.print("\nWhat changes from here to the end of the line:")
        _print_parts(console, reason.parts, unit, "here", "there")


def _print_sentences(console: Console, reason: Reason, unit: Unit, table: str | None) -> None:
    for sentence in sentences(reason, unit, table):
        console.print(sentence, soft_wrap=True)


def _print_parts(console: Console, parts: Sequence[Part], unit: Unit, before: str, after: str) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", before, after, "for White"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for part in parts[:_PARTS_SHOWN]:
        change = number_of(part.change, unit)
        table.add_row(part_name(part), _amount(part.before), _amount(part.after), change)
    if rest := parts[_PARTS_SHOWN:]:
        table.add_row(f"{len(rest)} smaller parts", "", "", _sum_of(rest, unit))
    table.add_row("all parts", "", "", _sum_of(parts, unit), style="bold")
    console.print(table)


def _sum_of(parts: Sequence[Part], unit: Unit) -> str:
    return number_of(sum(part.change for part in parts), unit)


def _amount(amount: float | None) -> str:
    """Moves and pieces are counted; heat has fractions."""
    return "" if amount is None else f"{amount:.2f}" if isinstance(amount, float) else str(amount)
