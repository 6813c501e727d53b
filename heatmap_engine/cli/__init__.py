"""The command line: parse, print, nothing else.

Each command lives in a module of its own here and is imported only when it is run, so that
`heatmap-engine --version` and the UCI loop start without loading what they do not need.
"""

from heatmap_engine.start import begin, end_on_ctrl_c


def main() -> None:
    """Run the command line."""
    end_on_ctrl_c()
    try:
        from heatmap_engine.cli.commands import run

        run()
    finally:
        begin()
