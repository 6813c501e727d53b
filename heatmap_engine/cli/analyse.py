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
from heatmap_engine.classic.weights import CMHM2
from heatmap_engine.cli.common import (
    FROM_STDIN,
    CommandWithMoves,
    answer_lines,
    fen_argument,
    fen_text,
    moves_option,
    named_position,
    require_a_move,
)
from heatmap_engine.cli.heat import heat_as_json
from heatmap_engine.cli.heat_view import LEAST_WIDTH, heat_console, print_heat
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c, warn
from heatmap_engine.cli.mode_options import chosen_mode, limits_of, search_options, settings_of
from heatmap_engine.cli.move_text import board_after
from heatmap_engine.cli.table_options import table_options, table_to_read
from heatmap_engine.cli.why import print_reason
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.pick import Pick
from heatmap_engine.limits import Limits
from heatmap_engine.reports.why import Reason, Verdict, reason_of
from heatmap_engine.reports.why_data import reason_as_data, source_of
from heatmap_engine.reports.words import value_text

if TYPE_CHECKING:
    from _typeshed import SupportsLenAndGetItem

# So many lines are searched, and of the moves that are found anyway so many are printed.
_LINES = 3
_TOP = 10


class _First(Random):
    """Tells equal candidates apart in the same way each time: a question asked again has the same answer."""

    def choice(self, seq: "SupportsLenAndGetItem[Any]") -> Any:
        return seq[0]


@click.command("analyse", cls=CommandWithMoves)
@fen_argument
@moves_option
@search_options
@table_options
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    help=f"How many moves to rank: {_LINES}; of --mode classic, which ranks all, print {_TOP}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_context
def command(
    context: click.Context,
    fen: tuple[str, ...],
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
    top: int | None,
    as_json: bool,
) -> None:
    """Rank the moves, say why the best one is, and draw the heat after it.

    FEN may be quoted or six bare words; without it the start position is meant. With `-`, each line of
    standard input is a FEN and gives one line of JSON. Values come from the search, and from your own table
    of its mode if there is one; nothing is recorded. Ctrl-C shows what was found so far.

    \b
    Examples:
      heatmap-engine analyse --moves e4 e5 Nf3 Nc6 Bb5 --seconds 5
      heatmap-engine analyse --moves e4 e5 Nf3 Nc6 Bb5 --mode classic --plies 3
    """
    chosen = chosen_mode(context, table)
    limits = limits_of(depth, nodes, seconds, plies)
    with Engine(
        table_to_read(table, no_table, chosen),
        settings=settings_of(chosen, weights=weights, tactical=tactical),
        record="off",
        random=_First(),
        readonly=True,
        report=warn,
    ) as engine:
        analysis = _Analysis(engine, limits, moves, top)
        if fen == FROM_STDIN:  # Ctrl-C ends the run, and does not only hurry one answer
            answer_lines(lambda text: json.dumps(analysis.as_json(*analysis.of(text))))
            return
        board = analysis.position(fen_text(fen))
        pick = now_or_on_ctrl_c(lambda: analysis.pick(board), engine.stop)
        if as_json:
            click.echo(json.dumps(analysis.as_json(board, pick)))
        else:
            analysis.print(heat_console(), board, pick)


class _Analysis:
    """What every position of one call is asked, and how the answer is printed."""

    def __init__(self, engine: Engine, limits: Limits, moves: str, top: int | None) -> None:
        self._engine = engine
        self._limits = limits
        self._moves = moves
        self._top = top

    def of(self, fen: str) -> tuple[chess.Board, Pick]:
        board = self.position(fen)
        return board, self.pick(board)

    def position(self, fen: str) -> chess.Board:
        board = board_after(fen, self._moves)
        require_a_move(board)
        return board

    def pick(self, board: chess.Board) -> Pick:
        self._engine.clear()  # a question asked again has the same answer
        return self._engine.pick_move(board, self._limits, lines=self._top or _LINES)

    def _reason(self, board: chess.Board, pick: Pick) -> Reason:
        verdict = Verdict(candidate=pick.best, depth=pick.depth, nodes=pick.nodes, rank=1)
        return reason_of(
            board, verdict, self._engine.mode.breakdown(self._engine.settings, self._engine.known)
        )

    def as_json(self, board: chess.Board, pick: Pick) -> dict[str, Any]:
        engine = self._engine
        yardstick = engine.mode.yardstick(engine.settings, engine.known)
        after = _after(board, pick.move)
        return {
            "mode": engine.mode.name,
            "unit": engine.mode.unit.words,
            "fen": board.fen(),
            "terminal": terminal(board),
            "move": pick.move.uci(),
            "san": board.san(pick.move),
            "score": pick.score,
            "mate_in": pick.mate_in,
            "depth": pick.depth,
            "plies": pick.plies,
            "tactical_plies": pick.tactical_plies,
            "selective_depth": pick.selective_depth,
            "nodes": pick.nodes,
            "moves_visited": pick.moves_visited,
            "weights": yardstick.weights,
            "table": engine.table_name,
            "table_hits": pick.table_hits,
            "seconds": pick.seconds,
            "candidates": [_candidate_as_json(board, pick, line) for line in pick.lines],
            "why": reason_as_data(self._reason(board, pick)),
            "after": heat_as_json(after, yardstick.heat_depth, yardstick.heat_weights or CMHM2),
        }

    def print(self, console: Console, board: chess.Board, pick: Pick) -> None:
        engine = self._engine
        unit, yardstick = engine.mode.unit, engine.mode.yardstick(engine.settings, engine.known)
        width, console.width = console.width, max(console.width, LEAST_WIDTH)
        console.print(
            f"{chess.COLOR_NAMES[board.turn].capitalize()} to move in {named_position(board)}", soft_wrap=True
        )
        console.print(f"mode {unit.mode}; values are White minus Black, in {unit.words}")
        if engine.caution:
            console.print(engine.caution, soft_wrap=True)
        if ended := how_it_ended(board):
            console.print(f"By the rules the game is over: {ended}. The moves are ranked as if it went on.")
        self._print_moves(console, board, pick)
        console.print(self._work(pick), soft_wrap=True)
        console.print(f"\nWhy {board.variation_san([pick.move])}:\n")
        print_reason(console, self._reason(board, pick), unit, engine.table_name)
        name = board.variation_san([pick.move])
        console.print(f"\nThe heat after {name}, in heat units, as it stands there:\n")
        console.width = width
        weights = yardstick.heat_weights or CMHM2
        print_heat(console, _after(board, pick.move), yardstick.heat_depth, weights)

    def _print_moves(self, console: Console, board: chess.Board, pick: Pick) -> None:
        shown = self._top or _TOP
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for heading in ("", "move", "UCI", "value", "from", "line"):
            table.add_column(
                heading, justify="right" if heading in ("", "value") else "left", no_wrap=heading != "line"
            )
        for rank, line in enumerate(pick.lines[:shown], start=1):
            style = "bold" if rank == 1 else None
            table.add_row(str(rank), *self._row(board, line), style=style)
        console.print(table)
        if left_out := pick.lines[shown:]:
            console.print(f"and {len(left_out)} more, down to {self._value(board, left_out[-1])}")

    def _row(self, board: chess.Board, line: Candidate) -> tuple[str, ...]:
        name, source = board.san(line.move), source_of(line)
        return name, line.move.uci(), self._value(board, line), source, board.variation_san(line.line)

    def _value(self, board: chess.Board, line: Candidate) -> str:
        return value_text(line.score, line.mate_in, board.turn, self._engine.mode.unit)

    def _work(self, pick: Pick) -> str:
        engine = self._engine
        tactical = f" and {pick.tactical_plies} tactical" if pick.tactical_plies else ""
        table = engine.table_name
        known = "no table" if table is None else f"{pick.table_hits:,} values from {table}"
        return (
            f"depth {pick.depth}{tactical}, {pick.nodes:,} nodes, {pick.seconds:.3f} seconds, "
            f"weights {engine.settings.weights_name}, {known}"
        )


def _candidate_as_json(board: chess.Board, pick: Pick, line: Candidate) -> dict[str, Any]:
    return {
        "move": line.move.uci(),
        "san": board.san(line.move),
        "score": line.score,
        "mate_in": line.mate_in,
        "source": source_of(line),
        "depth": line.depth or pick.depth,
        "reply": line.reply and line.reply.uci(),
        "line": [move.uci() for move in line.line],
        "line_san": board.variation_san(line.line),
    }


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy()
    after.push(move)
    return after
