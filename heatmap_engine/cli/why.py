"""`heatmap-engine why`: why a move has its score, in words and numbers."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import chess
import click
from rich.console import Console
from rich.table import Table

from heatmap_engine.cli.common import CommandWithMoves, fen_text, moves_option
from heatmap_engine.cli.heat_view import heat_console
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c, warn
from heatmap_engine.cli.mode_options import (
    Mode,
    chosen_mode,
    deep_limits,
    deep_options,
    mode_option,
    seconds_option,
)
from heatmap_engine.cli.move_text import board_after, parse_move
from heatmap_engine.cli.table_options import table_options, table_to_read
from heatmap_engine.cli.why_deep import print_why_deep
from heatmap_engine.deep.search import DeepLimits
from heatmap_engine.deep.weights import weights_of
from heatmap_engine.engines.classic import Engine
from heatmap_engine.engines.deep import DeepEngine, DeepPick
from heatmap_engine.errors import InvalidMove
from heatmap_engine.reports.deep_asking import ask_why
from heatmap_engine.reports.deep_why_data import deep_answer_as_data, deep_why_schema
from heatmap_engine.reports.why import Reason, Term, Why

# The parts of the score that say most; the others are summed up.
_TERMS_SHOWN = 6


def _print_schema(context: click.Context, _option: click.Parameter, is_wanted: bool) -> None:
    if is_wanted:
        click.echo(json.dumps(deep_why_schema(), indent=2))
        context.exit()


@click.command("why", cls=CommandWithMoves)
@click.argument("words", nargs=-1, required=True, metavar="[FEN] MOVE")
@moves_option
@table_options
@mode_option(None, "Which search explains; else the one that the table is of, or classic.")
@deep_options
@seconds_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of --mode deep, and end.",
)
@click.pass_context
def command(
    context: click.Context,
    words: tuple[str, ...],
    moves: str,
    table: Path | None,
    no_table: bool,
    mode: Mode | None,
    depth: int | None,
    nodes: int | None,
    weights: Path | None,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Say why a move has its score: the line that decides it, what changes, what the table adds.

    FEN may be quoted or six bare words; without it the start position is meant. The engine searches as it
    does for a pick, and records nothing. In deep mode the difference between here and the end of the line is
    told in heat: moves, squares, men.

    \b
    Examples:
      heatmap-engine why e4
      heatmap-engine why Bb5 --moves e4 e5 Nf3 Nc6
      heatmap-engine why Bb5 --moves e4 e5 Nf3 Nc6 --mode deep --depth 12
    """
    mode = chosen_mode(context, mode, table, "classic")
    if mode == "classic" and seconds is not None:
        raise click.UsageError("--seconds is for --mode deep")
    board = board_after(fen_text(words[:-1]), moves)
    try:
        move = parse_move(board, words[-1])
    except InvalidMove as error:
        raise InvalidMove(f"{error} in {board.fen()}") from error
    if mode == "deep":
        source, limits = table_to_read(table, no_table, mode), deep_limits(depth, nodes, seconds)
        with DeepEngine(
            source, weights=weights_of(weights), readonly=True, record="off", report=warn
        ) as engine:
            _answer_deep(engine, board, move, limits, as_json)
        return
    with Engine(table_to_read(table, no_table), readonly=True, record="off", report=warn) as engine:
        found = engine.why(board, move)
        path = None if engine.table is None else str(engine.table.path)
    if as_json:
        click.echo(json.dumps(_as_data(found, path)))
    else:
        _print(heat_console(), found, path)


def _answer_deep(
    engine: DeepEngine, board: chess.Board, move: chess.Move, limits: DeepLimits, as_json: bool
) -> None:
    def find(position: chess.Board, moves: Sequence[chess.Move]) -> DeepPick:
        return engine.pick_move(position, limits, moves=moves)

    answer = now_or_on_ctrl_c(lambda: ask_why(find, engine.settings.weights, board, move), engine.stop)
    if as_json:
        click.echo(json.dumps(deep_answer_as_data(answer)))
    else:
        print_why_deep(heat_console(), answer)


def _print(console: Console, found: Why, path: str | None) -> None:
    board, reason = found.board, found.reason
    rank = f"number {reason.rank} of {_count(found.moves)}"
    console.print(f"{board.variation_san([reason.move])} scores {reason.score:+.2f}: {rank}", style="bold")
    for sentence in _sentences(board, reason, path):
        console.print(sentence, soft_wrap=True)
    if reason.is_explained_by_terms:
        here, there = f"here ({reason.root.score:+.2f})", f"there ({reason.leaf.score:+.2f})"
        console.print(f"\nWhat changes from {here} to the end of the line, {there}:")
        _print_terms(console, reason.terms, "here", "there")
    console.print()
    if reason.move == found.best.move:
        console.print("It is the best move.")
        return
    for sentence in _comparison(found, path):
        console.print(sentence, soft_wrap=True)
    if found.is_explained_by_terms:
        console.print("\nWhat the ends of the two lines differ in:")
        _print_terms(console, found.terms, board.san(found.best.move), board.san(reason.move))


def _sentences(board: chess.Board, reason: Reason, path: str | None) -> Iterator[str]:
    if reason.reply is None:
        yield f"It ends the game: {reason.leaf.terminal}."
    else:
        after = board.copy()
        after.push(reason.move)
        yield f"The reply {after.san(reason.reply)} decides it{_other_reply(after, reason)}."
        yield f"Line: {board.variation_san(reason.line)}, {_what_stands_there(reason)}."
    if path is None:
        yield "There is no table: nothing is learned yet."
    elif reason.learned:
        yield (
            f"Learning changed it by {reason.learned:+.2f}: without {path} it would be "
            f"{reason.without_table:+.2f}."
        )
    else:
        yield f"Learning changed nothing: without {path} it is the same."


def _other_reply(after: chess.Board, reason: Reason) -> str:
    other = reason.next_reply
    if other is None:
        return ", the only one" if reason.reply and after.legal_moves.count() == 1 else ""
    if other.score == reason.score:
        return f"; {after.san(other.move)} is as good"
    return f"; the next best, {after.san(other.move)}, would leave {other.score:+.2f}"


def _what_stands_there(reason: Reason) -> str:
    if reason.leaf.terminal is not None:
        return f"where the game is over ({reason.leaf.terminal})"
    if reason.from_table:
        return f"where the table knows {reason.score:+.2f}, and the score now is {reason.leaf.score:+.2f}"
    return "where the score is computed"


def _comparison(found: Why, path: str | None) -> Iterator[str]:
    board, best = found.board, found.best
    name = board.san(best.move)
    if found.is_best:
        yield f"No move is better; {name} is as good."
    else:
        difference = abs(found.reason.score - best.score)
        side = chess.COLOR_NAMES[board.turn].capitalize()
        yield f"The best move is {name} with {best.score:+.2f}, which is {difference:.2f} better for {side}."
    yield from _sentences(board, best, path)


def _print_terms(console: Console, terms: tuple[Term, ...], before: str, after: str) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", before, after, "for White"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for term in terms[:_TERMS_SHOWN]:
        table.add_row(_name(term), f"{term.before:.2f}", f"{term.after:.2f}", f"{term.change:+.2f}")
    if rest := terms[_TERMS_SHOWN:]:
        table.add_row(f"{len(rest)} smaller parts", "", "", f"{sum(term.change for term in rest):+.2f}")
    table.add_row("all parts", "", "", f"{sum(term.change for term in terms):+.2f}", style="bold")
    console.print(table)


def _name(term: Term) -> str:
    return f"{chess.COLOR_NAMES[term.color].capitalize()}'s {chess.piece_name(term.piece)} {term.part}"


def _count(moves: int) -> str:
    return "1 move" if moves == 1 else f"{moves} moves"


def _as_data(found: Why, path: str | None) -> dict[str, Any]:
    return {
        "version": 1,
        "fen": found.board.fen(),
        "table": path,
        "moves": found.moves,
        "reason": _reason_as_data(found.board, found.reason),
        "best": _reason_as_data(found.board, found.best),
        "terms_against_best": _terms_as_data(found.terms),
    }


def _reason_as_data(board: chess.Board, reason: Reason) -> dict[str, Any]:
    other = reason.next_reply
    return {
        "uci": reason.move.uci(),
        "san": board.san(reason.move),
        "rank": reason.rank,
        "score": reason.score,
        "reply": reason.reply and reason.reply.uci(),
        "next_reply": other and {"uci": other.move.uci(), "score": other.score},
        "line": [move.uci() for move in reason.line],
        "line_san": board.variation_san(reason.line),
        "end_fen": reason.end.fen(),
        "over": reason.leaf.terminal,
        "source": "table" if reason.from_table else "search",
        "static_here": reason.root.score,
        "static_there": reason.leaf.score,
        "without_table": reason.without_table,
        "learned": reason.learned,
        "terms": _terms_as_data(reason.terms),
    }


def _terms_as_data(terms: Iterable[Term]) -> list[dict[str, Any]]:
    return [
        {
            "side": chess.COLOR_NAMES[term.color],
            "part": term.part,
            "piece": chess.piece_name(term.piece),
            "before": term.before,
            "after": term.after,
            "change": term.change,
        }
        for term in terms
    ]
