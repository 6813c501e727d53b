"""`heatmap-engine tetris …`: players of Tetris that are programs."""

from typing import Any

import click

from heatmap_engine.cli.groups import LateCommand, LateGroup

_HERE = "heatmap_engine.cli.tetris"

_SECTIONS = {
    "Watch": {
        "play": LateCommand(f"{_HERE}.play", "Let a player play, and count how long it survives."),
    },
    "Learn": {
        "train": LateCommand(f"{_HERE}.train", "Learn weights by evolution, or a Q-network."),
        "report": LateCommand(f"{_HERE}.report", "Summarise a run of train."),
    },
    "Measure": {
        "bench": LateCommand(f"{_HERE}.bench", "Measure how fast placements are valued."),
    },
}


class _Commands(LateGroup):
    """The commands; what this game's packages raise on purpose becomes an error of the command line."""

    def invoke(self, ctx: click.Context) -> Any:
        from games.evolution_folder import EvolutionError
        from games.tetris.errors import TetrisError
        from heatmap_engine.errors import HeatmapError

        try:
            return super().invoke(ctx)
        except (EvolutionError, TetrisError) as error:
            raise HeatmapError(str(error)) from error


@click.group(
    "tetris",
    cls=_Commands,
    sections=_SECTIONS,
    aliases={},
    meant={"watch": "play", "learn": "train", "tune": "train", "speed": "bench"},
    context_settings={"help_option_names": ["-h", "--help"]},
)
def command() -> None:
    """Play Tetris with programs, teach them, and measure how long they survive.

    Pieces are T I O S Z L J.
    """
