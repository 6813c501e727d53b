"""`heatmap-engine why`: why a move has its score, in words and numbers."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import click
from rich.console import Console
from rich.table import Table

from heatmap_engine.board.breakdown import Part
from heatmap_engine.board.heat import Heat
from heatmap_engine.cli.common import CommandWithMoves, fen_text, moves_option, schema_option
from heatmap_engine.cli.heat_view import heat_console
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c, warn
from heatmap_engine.cli.mode_options import chosen_mode, limits_of, search_options, settings_of, value_text
from heatmap_engine.cli.move_text import board_after, parse_move
from heatmap_engine.cli.table_options import table_options, table_to_read
from heatmap_engine.engines.engine import Engine
from heatmap_engine.errors import InvalidMove
from heatmap_engine.reports.why import Reason, Why
from heatmap_engine.reports.why_data import why_as_data, why_schema
from heatmap_engine.reports.words import counted, part_name, pieces_in_words, side_name
from heatmap_engine.winning_chances import Unit

# The parts that say most; the others are summed up.
_PARTS_SHOWN = 10
# So many squares are named on which a side's heat grows or shrinks most.
_SQUARES_SHOWN = 4
# The deep search counts in whole numbers, while evaluations have fractions: less than this is rounding.
_WORTH_SAYING = 1.0


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
    console.print(_headline(why), style="bold", soft_wrap=True)
    print_reason(console, asked, unit, why.table)
    console.print()
    if asked.move == best.move:
        console.print("It is the best move.")
        return
    console.print(_comparison(why), soft_wrap=True)
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


def _headline(why: Why) -> str:
    asked, unit = why.asked, why.unit
    rank = "" if asked.rank is None else f", number {asked.rank} of {counted(why.moves, 'move')}"
    return (
        f"{why.board.variation_san([asked.move])}: {_worth(asked, unit)}{rank} "
        f"(depth {asked.depth}, {asked.nodes:,} nodes, weights {why.weights}, {why.table or 'no table'})"
    )


def _worth(reason: Reason, unit: Unit) -> str:
    return value_text(reason.score, reason.mate_in, reason.board.turn, unit)


def _comparison(why: Why) -> str:
    asked, best, unit = why.asked, why.best, why.unit
    name = why.board.san(best.move)
    if asked.score == best.score:
        return f"No move is better; {name} is as good."
    if why.is_best:
        return (
            f"The search prefers {name} with {_worth(best, unit)}; searched by itself, this move is no worse."
        )
    if asked.mate_in is not None or best.mate_in is not None:
        return f"The best move is {name}: {_worth(best, unit)}."
    side, more = side_name(why.board.turn), abs(asked.score - best.score)
    return f"The best move is {name} with {_worth(best, unit)}, {more:.{unit.decimals}f} better for {side}."


def _print_sentences(console: Console, reason: Reason, unit: Unit, table: str | None) -> None:
    for sentence in _sentences(reason, unit, table):
        console.print(sentence, soft_wrap=True)


def _sentences(reason: Reason, unit: Unit, table: str | None) -> Iterator[str]:
    if reason.over is not None and reason.reply is None:
        yield f"It ends the game: {reason.over}."
    else:
        yield from _reply_sentence(reason, unit)
        yield f"Line: {reason.board.variation_san(reason.line)}{_what_stands_there(reason, unit)}."
        yield pieces_in_words(reason.lost)
    yield from _evaluation_sentences(reason, unit)
    if reason.over is None:
        yield from filter(None, (heat_in_words(color, reason.heat_change) for color in chess.COLORS))
    yield from _table_sentence(reason, unit, table)


def _reply_sentence(reason: Reason, unit: Unit) -> Iterator[str]:
    if reason.reply is None:
        return
    after = reason.board.copy()
    after.push(reason.move)
    reply, other = after.san(reason.reply), reason.next_reply
    if after.legal_moves.count() == 1:
        yield f"{reply} is the only reply."
    elif other is not None and other.score == reason.score:
        yield f"The reply {reply} decides it; {after.san(other.move)} is as good."
    elif other is not None:
        left = value_text(other.score, None, after.turn, unit)
        yield f"The reply {reply} decides it; the next best, {after.san(other.move)}, would leave {left}."


def _what_stands_there(reason: Reason, unit: Unit) -> str:
    if reason.over is not None:
        return f", where the game is over ({reason.over})"
    if reason.from_table:
        return f", which the table values at {_worth(reason, unit)}"
    return ""


def _evaluation_sentences(reason: Reason, unit: Unit) -> Iterator[str]:
    if reason.root.silence is not None:
        yield f"There is no evaluation here: {reason.root.silence}."
    if reason.leaf.silence is not None and reason.over is None:
        yield f"There is no evaluation at the end of the line: {reason.leaf.silence}."
    if reason.root.value is not None and reason.leaf.value is not None:
        here, there = (_number_of(evaluation.value, unit) for evaluation in (reason.root, reason.leaf))
        yield f"The evaluation is {here} here and {there} at the end of the line."
    beyond = reason.beyond
    if beyond is not None and abs(beyond) >= _WORTH_SAYING and not reason.from_table:
        yield f"The search adds {_number_of(beyond, unit)} for what follows the line, such as captures."


def _number_of(value: float | None, unit: Unit) -> str:
    """An evaluation or a part of one, with more digits than a value of a search has."""
    return "" if value is None else f"{value:+.{max(1, unit.decimals)}f}"


def heat_in_words(color: chess.Color, change: Heat) -> str:
    """The squares on which a side's heat grows most and shrinks most; nothing where none changes."""
    heat = {square: value for square, value in enumerate(change[color].tolist()) if abs(value) >= 0.05}
    halves = []
    for word, sign in (("gains", 1), ("loses", -1)):
        squares = sorted(
            (square for square in heat if sign * heat[square] > 0), key=lambda square: -abs(heat[square])
        )
        if squares:
            named = (_square_change(square, heat[square]) for square in squares[:_SQUARES_SHOWN])
            halves.append(f"{word} {', '.join(named)}")
    return f"{side_name(color)}'s heat {' and '.join(halves)}." if halves else ""


def _square_change(square: chess.Square, heat: float) -> str:
    return f"{chess.square_name(square)} {f'{heat:+.1f}'.removesuffix('.0')}"


def _table_sentence(reason: Reason, unit: Unit, table: str | None) -> Iterator[str]:
    if table is None or reason.without_table is None or reason.learned is None:
        return
    if not reason.learned:
        yield f"Learning changed nothing: without {table} it is the same."
        return
    before = value_text(reason.without_table, None, reason.board.turn, unit)
    learned = _number_of(reason.learned, unit)
    yield f"Learning changed it by {learned}: without {table} it would be {before}."


def _print_parts(console: Console, parts: Sequence[Part], unit: Unit, before: str, after: str) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", before, after, "for White"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for part in parts[:_PARTS_SHOWN]:
        change = _number_of(part.change, unit)
        table.add_row(part_name(part), _amount(part.before), _amount(part.after), change)
    if rest := parts[_PARTS_SHOWN:]:
        table.add_row(f"{len(rest)} smaller parts", "", "", _sum_of(rest, unit))
    table.add_row("all parts", "", "", _sum_of(parts, unit), style="bold")
    console.print(table)


def _sum_of(parts: Sequence[Part], unit: Unit) -> str:
    return _number_of(sum(part.change for part in parts), unit)


def _amount(amount: float | None) -> str:
    """Moves and pieces are counted; heat has fractions."""
    return "" if amount is None else f"{amount:.2f}" if isinstance(amount, float) else str(amount)
