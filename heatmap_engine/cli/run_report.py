"""`heatmap-engine report`: what a run of self-play has come to, in words, in JSON and as curves."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from heatmap_engine.cli.columns import aligned
from heatmap_engine.cli.run_strength import last_matches, matches_so_far, strength_json, strength_line
from heatmap_engine.cli.run_words import described, number
from heatmap_engine.cli.tune_view import write_report
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.report import RunPart, RunReport, report_on_run
from heatmap_engine.tuning.folder import TuneFolder, is_tuning

# Enough for a curve; a part must have some games for its mean to say something.
_PARTS_OF_A_CURVE = 50
_LEAST_GAMES_IN_A_PART = 20

# Rows of a night's tens of thousands of games must fit into 80 columns.
_HEADINGS = ("to game", "W/D/B", "rep.", "plies", "change", "points", "new", "entries", "games/h")


@click.command("report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--parts",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Divide a self-play run into so many parts and print a line for each.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw the curves into this .png or .svg file. Needs the extra `plot`.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that is already there.")
def command(folder: Path, parts: int, as_json: bool, picture: Path | None, force: bool) -> None:
    """Summarise the run of selfplay or tune in DIR, also while it is going on.

    For a tune run: games, loss and strength of each checkpoint. For a selfplay run, part by part: results,
    the share of draws by repetition, plies for each game, how much values changed on average (in the unit of
    the mode, excluding mates, and as expected points), new entries for each game, the table's size and the
    speed. Its picture begins with the strength, where the run or curve has measured it.

    \b
    Examples:
      heatmap-engine report night
      heatmap-engine report night --plot night.png
    """
    if is_tuning(folder):
        _report_tuning(TuneFolder.open(folder), picture, as_json=as_json, force=force)
        return
    run = RunFolder.open(folder)
    report = report_on_run(run, parts)
    if picture is not None:
        _draw(run, picture, force=force)
    if as_json:
        click.echo(json.dumps(_as_json(run, report)))
    else:
        click.echo("\n".join(_as_text(run, report)))


def _report_tuning(folder: TuneFolder, picture: Path | None, *, as_json: bool, force: bool) -> None:
    if picture is not None:
        from heatmap_engine.cli import tune_plot  # matplotlib takes a second

        tune_plot.require_drawable(picture, force=force)
        tune_plot.draw([*folder.measurements()], f"Tuning in {folder.path.name}", picture)
    write_report(folder, as_json=as_json)


def _draw(run: RunFolder, picture: Path, *, force: bool) -> None:
    from heatmap_engine.cli.run_plot import draw, require_drawable  # matplotlib takes a second

    require_drawable(picture, force=force)
    games = sum(1 for _ in run.measurements())
    parts = min(_PARTS_OF_A_CURVE, max(1, games // _LEAST_GAMES_IN_A_PART))
    unit = mode_named(run.config.mode).unit
    title = f"Self-play in {run.path.name}"
    draw(report_on_run(run, parts), matches_so_far(run), title, unit, picture)


def _as_text(run: RunFolder, report: RunReport) -> Iterator[str]:
    yield from described(run, report.whole, strength_line(last_matches(run)))
    checkpoints = [f"{games:,}" for games, _ in run.checkpoints]
    if checkpoints:
        yield f"  copies of the table after {', '.join(checkpoints)} games"
    if report.parts:
        yield ""
        yield from aligned([_HEADINGS, *map(_row, report.parts)])


def _row(part: RunPart) -> tuple[str, ...]:
    summary = part.summary
    return (
        f"{part.last:,}",
        f"{summary.white_wins}/{summary.draws}/{summary.black_wins}",
        number(summary.repetition_share, ".0%"),
        number(summary.plies.value, ".1f"),
        number(summary.value_change.value, ",.2f"),
        number(summary.points_change.value, ".4f"),
        number(summary.new / summary.games, ",.0f"),
        "-" if summary.entries is None else f"{summary.entries / 1e6:.2f}M",
        number(part.games_per_hour, ",.0f"),
    )


def _as_json(run: RunFolder, report: RunReport) -> dict[str, object]:
    return {
        "run": str(run.path),
        "config": asdict(run.config),
        **report.whole.as_json(),
        "strength": strength_json(last_matches(run)),
        "checkpoints": [{"games": games, "table": str(path)} for games, path in run.checkpoints],
        "parts": [
            {
                "first": part.first,
                "last": part.last,
                **part.summary.as_json(),
                "games_per_hour": part.games_per_hour,
            }
            for part in report.parts
        ],
    }
