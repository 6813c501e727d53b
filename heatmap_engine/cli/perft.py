"""`heatmap-engine perft`: count move sequences, to check the rules and the speed."""

import chess
import click

from heatmap_engine.board.perft import perft, perft_divide
from heatmap_engine.cli.common import (
    FROM_STDIN,
    CommandWithMoves,
    answer_lines,
    fen_argument,
    fen_text,
    moves_option,
)
from heatmap_engine.cli.foretelling import foretell
from heatmap_engine.cli.move_text import board_after


@click.command("perft", cls=CommandWithMoves)
@click.argument("depth", type=int)
@fen_argument
@moves_option
@click.option("--divide", is_flag=True, help="Show the count below each legal move as well.")
def command(depth: int, fen: tuple[str, ...], moves: str, divide: bool) -> None:
    """Count the sequences of DEPTH legal moves from a position.

    FEN may be quoted or six bare words; without it the count starts from the start position. With `-`,
    each line of standard input is a FEN and gives one line of output.

    \b
    Example:
      heatmap-engine perft 4
      197281
      heatmap-engine perft 4 --moves e4 e5
    """
    if fen == FROM_STDIN:
        if divide:
            raise click.UsageError("--divide prints many lines for a position and cannot be used with '-'")
        answer_lines(lambda text: str(perft(board_after(text, moves), depth)))
        return
    board = board_after(fen_text(fen, before=str(depth)), moves)
    foretell(lambda plies: perft(board, plies), board, depth)
    if divide:
        _print_divided(board, depth)
    else:
        click.echo(perft(board, depth))


def _print_divided(board: chess.Board, depth: int) -> None:
    counts = perft_divide(board, depth)
    for move, count in sorted(counts.items()):
        click.echo(f"{move}: {count}")
    click.echo(f"total: {sum(counts.values())}")
