"""`heatmap-engine score`: one number for a position."""

import json

import click

from heatmap_engine.board.ends import terminal
from heatmap_engine.classic import scoring
from heatmap_engine.classic.weights import PRESETS
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
from heatmap_engine.cli.move_text import board_after


@click.command("score", cls=CommandWithMoves)
@fen_argument
@moves_option
@depth_option
@weights_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def command(fen: tuple[str, ...], moves: str, depth: int, preset: str, as_json: bool) -> None:
    """Print the score of a position: White minus Black, in heat units.

    FEN may be quoted or six bare words; without it the start position is scored. With `-`, each line of
    standard input is a FEN and gives one line of output.

    \b
    Examples:
      heatmap-engine score --moves e4
      heatmap-engine score rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
      10.0
    """

    def answer(text: str) -> str:
        board = board_after(text, moves)
        score = scoring.score(board, depth, PRESETS[preset])
        if not as_json:
            return repr(score)
        return json.dumps(
            {
                "fen": board.fen(),
                "depth": depth,
                "weights": preset,
                "terminal": terminal(board),
                "score": score,
            }
        )

    if fen == FROM_STDIN:
        answer_lines(answer)
    else:
        board = board_after(fen_text(fen), moves)
        foretell(lambda plies: scoring.score(board, plies), board, depth)
        click.echo(answer(fen_text(fen)))
