"""`heatmap-engine heat`: the picture of a position, in the terminal."""

import json
from typing import Any

import chess
import click

from heatmap_engine.board.heat import heatmap
from heatmap_engine.classic import scoring
from heatmap_engine.classic.weights import PRESETS, Weights
from heatmap_engine.cli.common import (
    FROM_STDIN,
    CommandWithMoves,
    answer_lines,
    depth_option,
    fen_argument,
    fen_text,
    moves_option,
    weights_option,
)
from heatmap_engine.cli.foretelling import foretell
from heatmap_engine.cli.heat_view import heat_console, print_heat
from heatmap_engine.cli.move_text import board_after
from heatmap_engine.reports.report_data import side_as_data


@click.command("heat", cls=CommandWithMoves)
@fen_argument
@moves_option
@depth_option
@weights_option
@click.option(
    "--view",
    type=click.Choice(["sides", "blend"]),
    default="sides",
    show_default=True,
    help="White's and Black's heat side by side, or both on one board, blended by colour.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def command(fen: tuple[str, ...], moves: str, depth: int, preset: str, view: str, as_json: bool) -> None:
    """Show where both sides can move, and what that makes of the score.

    FEN may be quoted or six bare words; without it the start position is shown. With `-`, each line of
    standard input is a FEN and gives one line of JSON. Each ply of --depth takes some thirty times as long;
    Ctrl-C stops.

    \b
    Examples:
      heatmap-engine heat --moves e4 e5 Nf3 Nc6 Bb5
      heatmap-engine heat r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3
    """
    weights = PRESETS[preset]
    if fen == FROM_STDIN:
        answer_lines(lambda text: json.dumps(heat_as_json(board_after(text, moves), depth, weights)))
        return
    board = board_after(fen_text(fen), moves)
    foretell(lambda plies: heat_as_json(board, plies, weights), board, depth)
    if as_json:
        click.echo(json.dumps(heat_as_json(board, depth, weights)))
        return
    print_heat(heat_console(), board, depth, weights, blended=view == "blend")


def heat_as_json(board: chess.Board, depth: int, weights: Weights) -> dict[str, Any]:
    """A position's heat, score and the parts of the score, as plain values."""
    explanation = scoring.explain(board, depth, weights)
    heat = heatmap(board, depth)
    return {
        "fen": explanation.fen,
        "depth": depth,
        "weights": weights.name,
        "terminal": explanation.terminal,
        "score": explanation.score,
        "white": side_as_data(explanation.white, heat[chess.WHITE]),
        "black": side_as_data(explanation.black, heat[chess.BLACK]),
    }
