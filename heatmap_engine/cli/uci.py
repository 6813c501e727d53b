"""`heatmap-engine uci`: the engine for chess GUIs."""

import click

from heatmap_engine import uci


@click.command("uci")
def command() -> None:
    """Run as a UCI engine for a chess GUI, until `quit` or the end of the input.

    For GUIs that take no arguments, `heatmap-engine-uci` does the same, and so does `heatmap-engine` when its
    input is a pipe. Type `help` for commands that are made for people.

    \b
    Example:
      printf 'position startpos moves e2e4\\ngo movetime 100\\n' | heatmap-engine uci
    """
    uci.main()
