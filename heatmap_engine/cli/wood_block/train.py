"""`heatmap-engine wood-block train`: learn the weights of the evaluation."""

import json
import math
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import click

from games.evolution_folder import EvolutionFolder, Generation
from games.evolution_run import Doing, EvolutionRun
from games.wood_block.training import (
    DEVIATION,
    row_of,
    rules_of,
    start_row,
    survived,
    text_of,
    training_settings,
)
from heatmap_engine.cli.common import given, require_nothing_else
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.long_task import all_cores, progress_bar, stoppable
from heatmap_engine.cli.wood_block.options import (
    json_option,
    set_option,
    size_option,
    weights_of,
    weights_option,
)
from heatmap_engine.cli.wood_block.options import rules_of as chosen_rules
from heatmap_engine.errors import HeatmapError
from heatmap_engine.start import STOPPED
from heatmap_engine.user_files import dated_folder, tunings_path
from heatmap_engine.workers.local import SameProcess
from heatmap_engine.workers.processes import Workers

_OF_A_SESSION = {"resume", "generations", "workers", "as_json"}


@click.command("train")
@click.option(
    "--run",
    "path",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the run. Without it, a new one named by date.",
)
@click.option("--resume", type=click.Path(path_type=Path), metavar="DIR", help="Go on with a run.")
@click.option(
    "--generations",
    default=16,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="How many generations. With --resume: how many in all.",
)
@click.option(
    "--candidates",
    default=40,
    show_default=True,
    type=click.IntRange(2),
    metavar="N",
    help="Of each generation.",
)
@click.option(
    "--hands",
    default=3000,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Hands of each candidate.",
)
@set_option
@size_option
@weights_option
@click.option(
    "--deviation",
    default=DEVIATION,
    show_default=True,
    type=click.FloatRange(0, 10, min_open=True),
    metavar="X",
    help="How far the first candidates lie apart; 0.1 to improve on good weights.",
)
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0), metavar="S", help="Makes it repeatable."
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="W",
    help="How many processes play. Without it, one for each core.",
)
@json_option
@click.pass_context
def command(
    context: click.Context,
    path: Path | None,
    resume: Path | None,
    generations: int,
    candidates: int,
    hands: int,
    blocks: str,
    size: int,
    weights: Path | None,
    deviation: float,
    seed: int,
    workers: int | None,
    as_json: bool,
) -> None:
    """Learn the weights of the evaluation by the cross-entropy method.

    Each candidate plays with large blocks only and follows few boards, so that it dies often enough to be
    measured. After each generation weights-N.json is written. `play --weights FILE` uses it. With --weights
    the run begins with these instead of a guess. Ctrl-C finishes what is running and says how to go on.
    """
    if resume is not None:
        require_nothing_else(context, _OF_A_SESSION)
        folder = EvolutionFolder.open(resume)
        if "generations" in given(context):
            folder.settings = replace(folder.settings, generations=generations)
    else:
        own = weights_of(weights)
        settings = training_settings(
            chosen_rules(blocks, size),
            row_of(own) if own else start_row(),
            hands=hands,
            generations=generations,
            candidates=candidates,
            seed=seed,
            deviation=deviation,
        )
        folder = EvolutionFolder.create(path or dated_folder(tunings_path()), settings)
    _go_on(folder, workers or all_cores(), as_json=as_json)


def _go_on(folder: EvolutionFolder, workers: int, *, as_json: bool) -> None:
    how_to_go_on = f"go on with: heatmap-engine wood-block train --resume {shlex.quote(str(folder.path))}"
    rules = rules_of(dict(folder.settings.game))
    if len(folder.generations()) >= folder.settings.generations:
        raise HeatmapError(
            f"the run in {folder.path} is finished after {len(folder.generations())} generations; "
            "--generations with a larger number goes on with it"
        )
    with (
        folder.locked(),
        stoppable(how_to_go_on) as should_stop,
        progress_bar("breeding", "candidates") as draw,
    ):
        folder.save()

        def done(doing: Doing) -> None:
            draw((doing.generation - 1) * doing.of + doing.done, folder.settings.generations * doing.of)

        run = EvolutionRun(folder, lambda row, _: text_of(rules, row), done, should_stop, warn)
        pool = SameProcess(survived) if workers == 1 else Workers(survived, workers)
        is_finished = run.go_on(pool, lambda one: _print(folder, one, as_json=as_json))
    if is_finished:
        if not as_json:
            click.echo(f"weights: {folder.weights_path(folder.settings.generations)}")
        return
    if not as_json:
        click.echo(how_to_go_on)
    if run.is_stopped:
        sys.exit(STOPPED)
    raise HeatmapError(f"{run.given_up} candidates were given up; {how_to_go_on}")


def _print(folder: EvolutionFolder, one: Generation, *, as_json: bool) -> None:
    deaths, hands = (sum(look[name] for look in one.looks) for name in ("deaths", "hands"))
    if as_json:
        data = {
            "generation": one.number,
            "best": one.best,
            "mean": one.mean,
            "deaths": deaths,
            "hands": hands,
            "weights": str(folder.weights_path(one.number)),
        }
        click.echo(json.dumps(data))
        return
    click.echo(
        f"generation {one.number}: hands for each death: best candidate {math.exp(one.best):,.0f}, "
        f"all {math.exp(one.mean):,.0f}, result {hands / (deaths + 0.5):,.0f} ({deaths} deaths)"
    )
