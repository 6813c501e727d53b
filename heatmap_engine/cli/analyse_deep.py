"""`heatmap-engine analyse` in deep mode: the best lines, and why the best move is the best."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import chess
import click
from rich.console import Console
from rich.table import Table

from heatmap_engine.board.ends import how_it_ended, terminal
from heatmap_engine.cli.common import FROM_STDIN, answer_lines, fen_text
from heatmap_engine.cli.heat_view import heat_console
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c, warn
from heatmap_engine.cli.mode_options import value_text
from heatmap_engine.cli.why_deep import print_sentences
from heatmap_engine.deep.search import DeepLimits, DeepResult
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.deep.yardstick import TENFOLD_CHANCE
from heatmap_engine.engines.deep import DeepEngine, DeepPick
from heatmap_engine.reports.deep_why import deep_why
from heatmap_engine.reports.deep_why_data import why_as_data

# How many lines are searched unless so many are wanted.
LINES = 3

Ranked = Sequence[DeepPick | DeepResult]


def analyse_deep(
    fen: tuple[str, ...],
    position: Callable[[str], chess.Board],
    table: Path | None,
    weights: DeepWeights,
    limits: DeepLimits,
    lines: int,
    as_json: bool,
) -> None:
    """Answer one position, or each line of standard input."""
    with DeepEngine(table, weights=weights, readonly=True, record="off", report=warn) as engine:

        def pick(board: chess.Board) -> DeepPick:
            engine.clear()  # a question asked again has the same answer
            return engine.pick_move(board, limits, lines=lines)

        def answer(text: str) -> str:
            board = position(text)
            return json.dumps(_as_json(engine, board, pick(board)))

        if fen == FROM_STDIN:
            answer_lines(answer)
            return
        board = position(fen_text(fen))
        picked = now_or_on_ctrl_c(lambda: pick(board), engine.stop)
        if as_json:
            click.echo(json.dumps(_as_json(engine, board, picked)))
        else:
            _print(heat_console(), engine, board, picked)


def _as_json(engine: DeepEngine, board: chess.Board, pick: DeepPick) -> dict[str, Any]:
    return {
        "mode": "deep",
        "unit": TENFOLD_CHANCE,
        "fen": board.fen(),
        "terminal": terminal(board),
        "move": pick.move.uci(),
        "san": board.san(pick.move),
        "score": pick.score,
        "mate_in": pick.mate_in,
        "depth": pick.depth,
        "selective_depth": pick.deepest,
        "nodes": pick.nodes,
        "weights": engine.settings.weights.name,
        "table": None if engine.table is None else str(engine.table.path),
        "table_hits": pick.table_hits,
        "seconds": pick.seconds,
        "candidates": [_line_as_json(board, line) for line in _ranked(pick)],
        "why": why_as_data(deep_why(board, pick, engine.settings.weights)),
    }


def _ranked(pick: DeepPick) -> Ranked:
    return [pick, *pick.others]


def _line_as_json(board: chess.Board, line: DeepPick | DeepResult) -> dict[str, Any]:
    return {
        "move": line.move.uci(),
        "san": board.san(line.move),
        "score": _for_white(board, line),
        "mate_in": line.mate_in,
        "depth": line.depth,
        "line": [move.uci() for move in line.line],
        "line_san": board.variation_san(line.line),
    }


def _for_white(board: chess.Board, line: DeepPick | DeepResult) -> int:
    return line.value if board.turn == chess.WHITE else -line.value


def _print(console: Console, engine: DeepEngine, board: chess.Board, pick: DeepPick) -> None:
    console.print(f"{chess.COLOR_NAMES[board.turn].capitalize()} to move in {board.fen()}", soft_wrap=True)
    console.print(f"mode deep; values are White minus Black, {TENFOLD_CHANCE}")
    if ended := how_it_ended(board):
        console.print(f"By the rules the game is over: {ended}. The moves are ranked as if it went on.")
    console.print(_table_of(board, _ranked(pick)))
    known = "no table" if engine.table is None else f"{pick.table_hits:,} values from {engine.table.path}"
    console.print(
        f"depth {pick.depth}, {pick.nodes:,} nodes, {pick.seconds:.3f} seconds, "
        f"weights {engine.settings.weights.name}, {known}\n",
        soft_wrap=True,
    )
    print_sentences(console, deep_why(board, pick, engine.settings.weights))


def _table_of(board: chess.Board, lines: Ranked) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", "move", "UCI", "value", "line"):
        table.add_column(
            heading, justify="right" if heading in ("", "value") else "left", no_wrap=heading != "line"
        )
    for rank, line in enumerate(lines, start=1):
        value = value_text(_for_white(board, line), line.mate_in, board.turn)
        cells = str(rank), board.san(line.move), line.move.uci(), value, board.variation_san(line.line)
        table.add_row(*cells, style="bold" if rank == 1 else None)
    return table
