"""`heatmap-engine wood-block …`: the wood block puzzle."""

from typing import Any

import click

from heatmap_engine.cli.groups import LateCommand, LateGroup

_HERE = "heatmap_engine.cli.wood_block"

_SECTIONS = {
    "Play": {
        "play": LateCommand(f"{_HERE}.play", "Let a player play games, and say how long it lives."),
        "solve": LateCommand(f"{_HERE}.solve", "Say how to place a hand on a board."),
    },
    "Learn and measure": {
        "train": LateCommand(f"{_HERE}.train", "Learn the weights of the evaluation."),
        "bench": LateCommand(f"{_HERE}.bench", "Measure simulations, leaves and hands per second."),
    },
}


class _Commands(LateGroup):
    """The commands; what this game's package raises on purpose becomes an error of the command line."""

    def invoke(self, ctx: click.Context) -> Any:
        from games.evolution_folder import EvolutionError
        from games.wood_block.errors import WoodBlockError
        from heatmap_engine.errors import HeatmapError

        try:
            return super().invoke(ctx)
        except (EvolutionError, WoodBlockError) as error:
            raise HeatmapError(str(error)) from error


@click.group(
    "wood-block",
    cls=_Commands,
    sections=_SECTIONS,
    aliases={},
    context_settings={"help_option_names": ["-h", "--help"]},
)
def command() -> None:
    """Play the wood block puzzle: three blocks at a time, full rows, columns and boxes vanish."""
