"""`heatmap-engine curve`: how strong a run was after so many games, on openings that it saw and on others."""

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from heatmap_engine.cli.columns import aligned
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.long_task import all_cores, stoppable
from heatmap_engine.cli.match_view import followed, interval_text
from heatmap_engine.cli.mode_options import mode_option
from heatmap_engine.errors import InvalidRun
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.match.curve import Curve, Point, make_last_checkpoint
from heatmap_engine.match.playing import play_match
from heatmap_engine.match.standing import MatchStanding
from heatmap_engine.start import STOPPED

Match = tuple[Point, MatchStanding]

_HEADINGS = (
    "learned",
    "openings",
    "games",
    "won",
    "drawn",
    "lost",
    "Elo",
    "95 % interval",
    "repetitions",
    "distinct",
)


@click.command("curve")
@click.argument("path", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--games",
    default=200,
    show_default=True,
    type=click.IntRange(2),
    metavar="N",
    help="Games of each match, an even number. Each checkpoint plays two matches.",
)
@mode_option
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="W",
    help="How many games are played at the same time. Without it, one for each core.",
)
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw the curve into this .png or .svg file. Needs the extra `plot`.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that is already there.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each match.")
def command(
    path: Path,
    games: int,
    mode: str | None,
    workers: int | None,
    picture: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Play the checkpoints of the self-play run in DIR against the untrained engine.

    Each checkpoint, and the table as it is now, plays two matches: one on the openings that its own games
    began with, and one on openings that the run has not seen. Both sides play in the run's mode; in deep mode
    with the run's nodes for each move. The games are kept in DIR: the same command goes on after a stop, and
    a larger --games adds to what is there.

    \b
    Examples:
      heatmap-engine curve night
      heatmap-engine curve night --games 1000 --plot curve.png
    """
    if picture is not None:
        # Before hours of play, not after.
        from heatmap_engine.cli.curve_plot import require_drawable  # matplotlib takes a second

        require_drawable(picture, force=force)
    run = RunFolder.open(path)
    if mode not in (None, run.config.mode):
        raise InvalidRun(f"{path} is a run of mode {run.config.mode}, but --mode {mode} was given")
    curve = Curve(run, games)
    _copy_table(run)
    how_to_go_on = f"go on with: heatmap-engine curve {shlex.quote(str(path))} --games {games}"
    played: list[Match] = []
    with stoppable(how_to_go_on) as should_stop:
        for point in curve.points():
            with followed(point.folder.plan, None, False, should_stop) as when_done:
                standing = play_match(
                    point.folder,
                    workers or all_cores(),
                    when_done=when_done,
                    report=warn,
                    should_stop=should_stop,
                )
            if not standing.is_over:
                break
            played.append((point, standing))
            if as_json:
                click.echo(json.dumps(point.as_json(standing)))
        else:
            standing = None
        is_stopped = should_stop()
    if not played and standing is None:
        raise InvalidRun(f"expected a run with games or checkpoints, got {path}, which has none yet")
    if not as_json:
        click.echo("\n".join(_as_text(played)))
    if standing is not None:
        click.echo(how_to_go_on, err=True)
        sys.exit(STOPPED if is_stopped else 1)
    if picture is not None:
        _draw(run, played, picture)


def _copy_table(run: RunFolder) -> None:
    """Let the table as it is now be the last checkpoint, if nobody writes to it."""
    try:
        make_last_checkpoint(run)
    except InvalidRun as error:
        warn(f"the curve goes as far as the checkpoints do: {error}")


def _as_text(played: Sequence[Match]) -> Iterator[str]:
    yield from aligned([_HEADINGS, *(_row(point, standing) for point, standing in played)])
    for point, standing in played:
        for warning in standing.warnings():
            yield f"note: {point.games_learned:,} games, {point.part} openings: {warning}"


def _row(point: Point, standing: MatchStanding) -> tuple[str, ...]:
    strength = standing.strength
    return (
        f"{point.games_learned:,}",
        point.part,
        f"{standing.games:,}",
        f"{standing.wins:,}",
        f"{standing.draws:,}",
        f"{standing.losses:,}",
        "-" if strength.elo is None else f"{strength.elo:+.1f}",
        interval_text(strength),
        f"{standing.repetitions / standing.games:.0%}",
        f"{standing.distinct:,}",
    )


def _draw(run: RunFolder, played: Sequence[Match], picture: Path) -> None:
    from heatmap_engine.cli.curve_plot import draw

    draw(played, f"Learning curve of {run.path.name}", picture)
