"""`heatmap-engine heat`: the picture of a position, in the terminal."""

import json
from typing import Any

import chess
import click
from rich.console import Console

from heatmap_engine import scoring
from heatmap_engine.cli.common import (
    FROM_STDIN,
    answer_lines,
    depth_option,
    fen_argument,
    fen_text,
    weights_option,
)
from heatmap_engine.cli.heat_view import LEAST_WIDTH, breakdown, pictures
from heatmap_engine.positions import as_board
from heatmap_engine.weights import PRESETS, Weights


@click.command("heat")
@fen_argument
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
def command(fen: tuple[str, ...], depth: int, preset: str, view: str, as_json: bool) -> None:
    """Show where both sides can move, and what that makes of the score.

    FEN may be quoted or six bare words; without it the start position is shown. With `-`, each line of
    standard input is a FEN and gives one line of JSON.

    \b
    Example:
      heatmap-engine heat r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3
    """
    weights = PRESETS[preset]
    if fen == FROM_STDIN:
        answer_lines(lambda text: json.dumps(_as_json(as_board(text), depth, weights)))
        return
    board = as_board(fen_text(fen))
    if as_json:
        click.echo(json.dumps(_as_json(board, depth, weights)))
        return
    heat = scoring.heatmap(board, depth)
    explanation = scoring.explain(board, depth, weights)
    console = _console()
    pictured = pictures(console, board, heat, blended=view == "blend")
    # A terminal too narrow for the breakdown breaks its lines itself; rich would cut the numbers off.
    console.width = max(console.width, LEAST_WIDTH)
    console.print(pictured)
    console.print(breakdown(explanation))


def _console() -> Console:
    """Colours where there are at least 256 of them and the men can be written, else plain text."""
    console = Console(highlight=False)
    if console.no_color or console.color_system == "standard" or not _writes_men(console):
        return Console(highlight=False, color_system=None)
    return console


def _writes_men(console: Console) -> bool:
    try:
        "".join(chess.UNICODE_PIECE_SYMBOLS.values()).encode(console.encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def _as_json(board: chess.Board, depth: int, weights: Weights) -> dict[str, Any]:
    explanation = scoring.explain(board, depth, weights)
    heat = scoring.heatmap(board, depth)
    return {
        "fen": explanation.fen,
        "depth": depth,
        "weights": weights.name,
        "terminal": explanation.terminal,
        "score": explanation.score,
        "white": _side_as_json(explanation.white, heat[chess.WHITE]),
        "black": _side_as_json(explanation.black, heat[chess.BLACK]),
    }


def _side_as_json(side: scoring.Side, heat: scoring.Heat) -> dict[str, Any]:
    return {
        "mobility": {chess.piece_name(piece): value for piece, value in side.mobility.items()},
        "pressure": {chess.piece_name(piece): value for piece, value in side.pressure.items()},
        "heat": heat.tolist(),
    }
