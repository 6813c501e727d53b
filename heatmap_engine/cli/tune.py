"""`heatmap-engine tune`: learn the weights of the deep search from games, round after round."""

import random
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from heatmap_engine.cli.common import Command, cluster_option, given, require_nothing_else
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.long_task import advised, all_cores, stoppable
from heatmap_engine.cli.tune_view import followed, write_report
from heatmap_engine.errors import HeatmapError, InvalidRun
from heatmap_engine.start import STOPPED
from heatmap_engine.tuning.config import METHODS, TuneConfig, unused
from heatmap_engine.tuning.folder import TuneFolder
from heatmap_engine.tuning.pool import tuning_pool
from heatmap_engine.tuning.running import TuneRun
from heatmap_engine.tuning.session import TuneSession
from heatmap_engine.tuning.starts import starting_weights
from heatmap_engine.tuning.training_data import source_file
from heatmap_engine.user_files import dated_folder, tunings_path

# What a resumed run may be given; all else was decided when it began.
_OF_A_SESSION = {"resume", "rounds", "workers", "cluster", "as_json"}
_DEFAULT = TuneConfig(method=METHODS[0])


def _number(name: str, words: str, text: str, metavar: str = "N") -> Callable[[Command], Command]:
    """An option for a number of the settings, with their default."""
    default = getattr(_DEFAULT, name)
    return click.option(
        words, name, default=default, show_default=True, type=type(default), metavar=metavar, help=text
    )


@click.command("tune")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    help=f"How to learn the weights: {METHODS[0]}, or results with --from. See docs/guide/5-tune.md.",
)
@click.option(
    "--start",
    default=_DEFAULT.start,
    show_default=True,
    metavar="cmhm2|zeros|package|FILE",
    help="The weights to begin with.",
)
@_number("rounds", "--rounds", "How many rounds to play, learn and measure. With --resume: how many in all.")
@_number("nodes", "--nodes", "Nodes for each move.")
@_number("games", "--games", "td, results: games in each round.")
@_number(
    "trace",
    "--lambda",
    "td: from 0, where each position learns from its search, to 1, where it learns from the result.",
    metavar="L",
)
@_number("epsilon", "--epsilon", "td, results: the share of random moves in the games.", metavar="E")
@_number("kept", "--keep", "td, results: fit the weights to the games of so many last rounds.")
@_number("random_plies", "--random-plies", "td, results: begin each game with at most so many random moves.")
@_number("lone", "--lone", "td, results: games in each round against a lone king.")
@click.option(
    "--from",
    "source",
    metavar="DIR|PGN|TABLE",
    help="results: learn from games or values that exist already.",
)
@_number("candidates", "--candidates", "cem, ga: candidates in each round.")
@_number("pairs", "--pairs", "cem, ga: pairs of games for each candidate.")
@_number("best", "--best", "cem, ga: the share of candidates that is kept.", metavar="SHARE")
@_number(
    "noise",
    "--noise",
    "cem, ga: how much candidates vary, relative to the weights' expected sizes.",
    metavar="X",
)
@_number("decay", "--decay", "cem, ga: the noise is multiplied by this after each round.", metavar="X")
@_number("match_games", "--match-games", "Games in each match that measures a checkpoint. 0 plays none.")
@click.option("--seed", type=click.IntRange(0), metavar="S", help="Makes the weights repeatable.")
@click.option(
    "--run",
    "path",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the run. Without it, a new one named by date.",
)
@click.option("--resume", type=click.Path(path_type=Path), metavar="DIR", help="Go on with a run.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="W",
    help="How many processes play. Without it, one for each core.",
)
@cluster_option
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each checkpoint.")
@click.pass_context
def command(
    context: click.Context,
    /,
    method: str | None,
    path: Path | None,
    resume: Path | None,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
    seed: int | None,
    rounds: int,
    **settings: Any,
) -> None:
    """Learn the weights of the evaluation in deep mode, from games at a fixed number of nodes.

    Each round plays games, learns from them, saves weights-N.json and measures these weights in matches
    against those of the start and of the round before. `heatmap-engine report DIR` shows the progress.
    Ctrl-C finishes the games that are running and says how to go on. A run may also be killed: --resume goes
    on exactly where it was.

    \b
    Examples:
      heatmap-engine tune --games 500 --rounds 10 --run mine
      heatmap-engine tune --from night
      heatmap-engine tune --resume mine --rounds 20
    """
    if resume is not None:
        require_nothing_else(context, _OF_A_SESSION)
        folder = _resumed(resume, rounds if "rounds" in given(context) else None)
    else:
        if method is None:  # only one method learns from games that exist already
            method = _DEFAULT.method if settings["source"] is None else "results"
        _require_own(context, method)
        if settings["source"] is not None and "rounds" not in given(context):
            rounds = 1
        seed = random.SystemRandom().randrange(2**31) if seed is None else seed
        folder = _created(TuneConfig(method=method, seed=seed, rounds=rounds, **settings), path)
    _go_on(folder, workers, cluster, as_json)


def _require_own(context: click.Context, method: str) -> None:
    """An option of another method would be passed over: a mistake."""
    has_source = context.params["source"] is not None
    passed_over = given(context) & unused(method, has_source)
    if wrong := sorted(option.opts[0] for option in context.command.params if option.name in passed_over):
        how = f"{method} --from" if has_source and method == "results" else method
        raise click.UsageError(f"--method {how} has no use for {', '.join(wrong)}")


def _resumed(path: Path, rounds: int | None) -> TuneFolder:
    folder = TuneFolder.open(path)
    if rounds is not None:
        folder.config = replace(folder.config, rounds=rounds)
    return folder


def _created(config: TuneConfig, path: Path | None) -> TuneFolder:
    start = starting_weights(config.start)
    if config.source is not None:
        config = replace(config, source=str(source_file(config.source).resolve()))
    return TuneFolder.create(path or dated_folder(tunings_path()), config, start)


def _go_on(folder: TuneFolder, workers: int | None, cluster: str | None, as_json: bool) -> None:
    how_to_go_on = f"go on with: heatmap-engine tune --resume {shlex.quote(str(folder.path))}"
    with folder.locked(), stoppable(how_to_go_on) as should_stop:

        def report(message: str) -> None:
            warn(message)
            folder.log(message)

        run = TuneRun(folder)
        if run.is_finished:
            raise InvalidRun(
                f"the run in {folder.path} is finished after {len(run.measurements)} rounds; "
                "--rounds with a larger number goes on with it"
            )
        folder.save()  # with the number of rounds that --rounds may have changed
        if cluster is None and workers is None:
            workers = all_cores()
        with (
            advised(how_to_go_on) if folder.config.source is None else nullcontext(),
            _logged(folder, run),
            followed(run, as_json, folder.log, should_stop) as (when_done, when_measured),
        ):
            pool = tuning_pool(workers, cluster, report)
            session = TuneSession(pool, when_done, should_stop, report)
            is_finished = run.go_on(session, when_measured)
    write_report(folder, as_json=as_json)
    if is_finished:
        return
    if not as_json:
        click.echo(how_to_go_on)
    if session.is_stopped:
        sys.exit(STOPPED)
    raise HeatmapError(f"{session.lost} games were given up; {how_to_go_on}")


@contextmanager
def _logged(folder: TuneFolder, run: TuneRun) -> Iterator[None]:
    """Write into the log when the session began, and how it ended, by whatever."""
    folder.log(f"went on after {len(run.measurements)} rounds")
    try:
        yield
    except BaseException as error:
        with suppress(OSError):  # the disk that is full may be the log's as well
            folder.log(f"ended after {len(run.measurements)} rounds by {type(error).__name__}: {error}")
        raise
    folder.log(f"{'ended' if run.is_finished else 'stopped'} after {len(run.measurements)} rounds")
