"""`heatmap-engine perfect-clear …`: perfect clears in Tetris."""

from typing import Any

import click

from heatmap_engine.cli.groups import LateCommand, LateGroup

_HERE = "heatmap_engine.cli.perfect_clear"

_SECTIONS = {
    "Ask": {
        "solve": LateCommand(f"{_HERE}.solve", "Clear a board with a known queue, or prove it impossible."),
        "percent": LateCommand(f"{_HERE}.percent", "Count the queues that clear a board."),
        "chance": LateCommand(f"{_HERE}.chance", "Rank the next placements by what they promise."),
    },
    "Watch and measure": {
        "play": LateCommand(f"{_HERE}.play", "Play perfect clear after perfect clear."),
        "bench": LateCommand(f"{_HERE}.bench", "Measure how fast random queues are solved."),
    },
}


class _Commands(LateGroup):
    """The commands; what this game's package raises on purpose becomes an error of the command line."""

    def invoke(self, ctx: click.Context) -> Any:
        from games.perfect_clear.errors import PerfectClearError
        from heatmap_engine.errors import HeatmapError

        try:
            return super().invoke(ctx)
        except PerfectClearError as error:
            raise HeatmapError(str(error)) from error


@click.group(
    "perfect-clear",
    cls=_Commands,
    sections=_SECTIONS,
    aliases={},
    context_settings={"help_option_names": ["-h", "--help"]},
)
def command() -> None:
    """Find perfect clears in Tetris, or prove that there is none.

    A perfect clear empties the board. Pieces are T I O S Z L J.
    """
