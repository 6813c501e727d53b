"""`heatmap-engine perft`: count move sequences, to check the rules and the speed."""

import click

from heatmap_engine.board.perft import perft, perft_divide
from heatmap_engine.cli.common import FROM_STDIN, answer_lines, fen_argument, fen_text


@click.command("perft")
@click.argument("depth", type=int)
@fen_argument
@click.option("--divide", is_flag=True, help="Show the count below each legal move as well.")
def command(depth: int, fen: tuple[str, ...], divide: bool) -> None:
    """Count the sequences of DEPTH legal moves from a position.

    FEN may be quoted or six bare words; without it the count starts from the start position. With `-`,
    each line of standard input is a FEN and gives one line of output.

    \b
    Example:
      heatmap-engine perft 4
      197281
    """
    if fen == FROM_STDIN:
        if divide:
            raise click.UsageError("--divide prints many lines for a position and cannot be used with '-'")
        answer_lines(lambda text: str(perft(text, depth)))
    elif divide:
        _print_divided(fen_text(fen), depth)
    else:
        click.echo(perft(fen_text(fen), depth))


def _print_divided(text: str, depth: int) -> None:
    counts = perft_divide(text, depth)
    for move, count in sorted(counts.items()):
        click.echo(f"{move}: {count}")
    click.echo(f"total: {sum(counts.values())}")
