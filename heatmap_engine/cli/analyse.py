"""`heatmap-engine analyse`: what the engine thinks of a position, and why."""

import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import chess
import click
from rich.console import Console
from rich.table import Table

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.board.ends import how_it_ended, terminal
from heatmap_engine.cli.analyse_deep import LINES, analyse_deep
from heatmap_engine.cli.common import (
    FROM_STDIN,
    CommandWithMoves,
    answer_lines,
    fen_argument,
    fen_text,
    moves_option,
    require_a_move,
)
from heatmap_engine.cli.heat import heat_as_json
from heatmap_engine.cli.heat_view import LEAST_WIDTH, heat_console, print_heat
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.mode_options import (
    Mode,
    asking_options,
    chosen_mode,
    deep_limits,
    deep_options,
    mode_option,
    pick_now_or_on_ctrl_c,
)
from heatmap_engine.cli.move_text import board_after
from heatmap_engine.cli.table_options import table_to_read
from heatmap_engine.deep.weights import weights_of
from heatmap_engine.engines.classic import Engine, Limits, Pick

if TYPE_CHECKING:
    from _typeshed import SupportsLenAndGetItem


_TOP = 10


class _First(Random):
    """Tells equal candidates apart in the same way each time: a question asked again has the same answer."""

    def choice(self, seq: "SupportsLenAndGetItem[Any]") -> Any:
        return seq[0]


@click.command("analyse", cls=CommandWithMoves)
@fen_argument
@moves_option
@mode_option(None, "Which search: the one that other options or the table are of, else deep.")
@deep_options
@asking_options
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    help=f"How many moves to print: {_TOP}, and in deep mode {LINES}, each of which is searched.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object with all candidates.")
@click.pass_context
def command(
    context: click.Context,
    fen: tuple[str, ...],
    moves: str,
    mode: Mode | None,
    depth: int | None,
    nodes: int | None,
    weights: Path | None,
    plies: int | None,
    tactical: int,
    seconds: float | None,
    table: Path | None,
    no_table: bool,
    top: int | None,
    as_json: bool,
) -> None:
    """Rank the moves, and say why the best one is, or show the heat after it.

    FEN may be quoted or six bare words; without it the start position is meant. With `-`, each line of
    standard input is a FEN and gives one line of JSON. Values come from the search, and from your own table
    of its mode if there is one; nothing is recorded. Ctrl-C shows what was found so far.

    \b
    Examples:
      heatmap-engine analyse --moves e4 e5 Nf3 Nc6 Bb5 --seconds 5
      heatmap-engine analyse --moves e4 e5 Nf3 Nc6 Bb5 --mode classic --plies 3
    """
    if chosen_mode(context, mode, table, "deep") == "deep":
        analyse_deep(
            fen,
            lambda text: _position(text, moves),
            table_to_read(table, no_table, "deep"),
            weights_of(weights),
            deep_limits(depth, nodes, seconds),
            top or LINES,
            as_json,
        )
        return
    limits = Limits(plies=plies, seconds=seconds)
    source = table_to_read(table, no_table)
    with Engine(
        source, tactical_plies=tactical, record="off", random=_First(), readonly=True, report=warn
    ) as engine:
        if fen == FROM_STDIN:
            answer_lines(lambda text: _line_of_json(engine, _position(text, moves), limits))
            return
        board = _position(fen_text(fen), moves)
        pick = pick_now_or_on_ctrl_c(engine, board, limits)
        if as_json:
            click.echo(json.dumps(_as_json(engine, board, pick)))
        else:
            _print(heat_console(), engine, board, pick, top or _TOP)


def _position(fen: str, moves: str) -> chess.Board:
    board = board_after(fen, moves)
    require_a_move(board)
    return board


def _line_of_json(engine: Engine, board: chess.Board, limits: Limits) -> str:
    """The answer to one line of many: here Ctrl-C ends the run, and does not only hurry one answer."""
    return json.dumps(_as_json(engine, board, engine.pick_move(board, limits)))


def _as_json(engine: Engine, board: chess.Board, pick: Pick) -> dict[str, Any]:
    settings = engine.settings
    return {
        "mode": "classic",
        "fen": board.fen(),
        "terminal": terminal(board),
        "move": pick.move.uci(),
        "san": board.san(pick.move),
        "score": pick.score,
        "plies": pick.plies,
        "tactical_plies": pick.tactical_plies,
        "nodes": pick.nodes,
        "moves_visited": pick.moves_visited,
        "table": None if engine.table is None else str(engine.table.path),
        "table_hits": pick.table_hits,
        "seconds": pick.seconds,
        "candidates": [_candidate_as_json(board, candidate) for candidate in pick.candidates],
        "after": heat_as_json(_after(board, pick.move), settings.heat_depth, settings.weights),
    }


def _candidate_as_json(board: chess.Board, candidate: Candidate) -> dict[str, Any]:
    return {
        "move": candidate.move.uci(),
        "san": board.san(candidate.move),
        "score": candidate.score,
        "source": _source(candidate),
        "reply": candidate.reply and candidate.reply.uci(),
        "line": [move.uci() for move in candidate.line],
        "line_san": board.variation_san(candidate.line),
    }


def _print(console: Console, engine: Engine, board: chess.Board, pick: Pick, top: int) -> None:
    width, console.width = console.width, max(console.width, LEAST_WIDTH)
    console.print(f"{chess.COLOR_NAMES[board.turn].capitalize()} to move in {board.fen()}", soft_wrap=True)
    if ended := how_it_ended(board):
        console.print(f"By the rules the game is over: {ended}. The moves are ranked as if it went on.")
    console.print(_candidate_table(board, pick.candidates[:top]))
    if left_out := pick.candidates[top:]:
        console.print(f"and {len(left_out)} more, down to {left_out[-1].score:+.4f}")
    console.print(_work(engine, pick), soft_wrap=True)
    console.print(f"\nThe heat after {board.variation_san([pick.move])}, as it stands there:\n")
    console.width = width
    print_heat(console, _after(board, pick.move), engine.settings.heat_depth, engine.settings.weights)


def _candidate_table(board: chess.Board, candidates: tuple[Candidate, ...]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", "move", "UCI", "score", "from", "reply", "line"):
        table.add_column(
            heading, justify="right" if heading in ("", "score") else "left", no_wrap=heading != "line"
        )
    for rank, candidate in enumerate(candidates, start=1):
        table.add_row(str(rank), *_row(board, candidate), style="bold" if rank == 1 else None)
    return table


def _row(board: chess.Board, candidate: Candidate) -> tuple[str, ...]:
    reply = candidate.reply
    return (
        board.san(candidate.move),
        candidate.move.uci(),
        f"{candidate.score:+.4f}",
        _source(candidate),
        "" if reply is None else _after(board, candidate.move).san(reply),
        board.variation_san(candidate.line),
    )


def _source(candidate: Candidate) -> str:
    return "table" if candidate.from_table else "search"


def _work(engine: Engine, pick: Pick) -> str:
    known = "no table" if engine.table is None else f"{pick.table_hits:,} values from {engine.table.path}"
    return (
        f"{pick.plies} {'ply' if pick.plies == 1 else 'plies'} and {pick.tactical_plies} tactical, "
        f"{pick.nodes:,} nodes, "
        f"{pick.moves_visited:,} moves visited, {pick.seconds:.3f} seconds, {known}"
    )


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy()
    after.push(move)
    return after
