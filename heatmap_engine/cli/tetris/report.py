"""`heatmap-engine tetris report`: what a run of training has come to."""

from pathlib import Path

import click

from heatmap_engine.cli.tetris.options import json_option
from heatmap_engine.cli.tetris.train_view import points_of, write_report


@click.command("report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_option
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw the curve into this .png or .svg file. Needs the extra `plot`.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that is already there.")
def command(folder: Path, as_json: bool, picture: Path | None, force: bool) -> None:
    """Summarise the run of train in DIR, also while it is going on.

    For each generation, or each round at which the network was looked at: processor time, how long what was
    learned survives, and the 95 % interval of that.
    """
    if picture is not None:
        from heatmap_engine.cli.tetris import plot  # matplotlib takes a second

        plot.require_drawable(picture, force=force)
        name, points = points_of(folder)
        plot.draw(name, points, f"Training in {folder.name}", picture)
    write_report(folder, as_json=as_json)
