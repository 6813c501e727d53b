"""`heatmap-engine score`: one number for a position."""

import json

import click

from heatmap_engine.board.ends import terminal
from heatmap_engine.board.reading import as_board
from heatmap_engine.classic import scoring
from heatmap_engine.classic.weights import PRESETS
from heatmap_engine.cli.common import (
    FROM_STDIN,
    answer_lines,
    depth_option,
    fen_argument,
    fen_text,
    weights_option,
)


@click.command("score")
@fen_argument
@depth_option
@weights_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def command(fen: tuple[str, ...], depth: int, preset: str, as_json: bool) -> None:
    """Print the score of a position: White minus Black, in heat units.

    FEN may be quoted or six bare words; without it the start position is scored. With `-`, each line of
    standard input is a FEN and gives one line of output.

    \b
    Example:
      heatmap-engine score rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
      10.0
    """

    def answer(text: str) -> str:
        board = as_board(text)
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
        click.echo(answer(fen_text(fen)))
