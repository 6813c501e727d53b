"""`heatmap-engine uci`: the engine for chess GUIs."""

import click

from heatmap_engine import uci


@click.command("uci")
def command() -> None:
    """Speak UCI with a chess GUI, until `quit` or the end of the input.

    Without any command and with its input on a pipe, `heatmap-engine` does the same, and so does
    `heatmap-engine-uci`, for GUIs that take no arguments. Type `help` for what people may ask besides.

    \b
    Example:
      printf 'position startpos moves e2e4\\ngo movetime 100\\n' | heatmap-engine uci
    """
    uci.main()
