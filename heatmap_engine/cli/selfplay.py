"""`heatmap-engine selfplay`: games of the engine against itself, learned from as they end."""

import json
import random
import shlex
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from games.chess.openings import Opening, chess960_starts, load_openings, split_openings
from heatmap_engine.classic.settings import RECORDED
from heatmap_engine.cli.common import cluster_option, every_option, given, require_nothing_else
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.long_task import advised, all_cores, stoppable
from heatmap_engine.cli.mode_options import chosen_mode, mode_option, tactical_option, weights_option
from heatmap_engine.cli.run_opponents import opponents_of, require_opponents
from heatmap_engine.cli.run_strength import Measuring, strength_json
from heatmap_engine.cli.run_words import described
from heatmap_engine.cli.selfplay_view import followed
from heatmap_engine.cli.table_options import table_to_write
from heatmap_engine.deep.adopted import fixed_weights
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.errors import HeatmapError, InvalidRun
from heatmap_engine.learning.exploring import EPSILON, UCB, WAYS
from heatmap_engine.learning.pools import pool_for
from heatmap_engine.learning.runs.config import EXPLORERS, RunConfig
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.measurement import RunMeasurement
from heatmap_engine.learning.runs.running import Run, open_run_table
from heatmap_engine.learning.selfplay import SelfPlay
from heatmap_engine.players.sides import side_as_json
from heatmap_engine.start import STOPPED
from heatmap_engine.user_files import dated_folder, runs_path

# What a resumed run may be given; all else was decided when it began.
_OF_A_SESSION = {
    "resume",
    "games",
    "hours",
    "table",
    "workers",
    "cluster",
    "no_measure",
    "every",
    "as_json",
}


def _epsilon(_context: click.Context, _option: click.Parameter, text: str) -> tuple[float, float]:
    """`0.2:0.02` is the first and the last share, `0.1` both."""
    first, _, last = text.partition(":")
    try:
        return float(first), float(last or first)
    except ValueError:
        raise click.BadParameter(
            f"expected a share such as 0.1, or two as in 0.2:0.02, got {text!r}"
        ) from None


_CHESS960 = Path("chess960")


class _OpeningsFile(click.Path):
    """A file, or the one word that is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return _CHESS960 if value == str(_CHESS960) else super().convert(value, param, ctx)


@click.command("selfplay")
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    help="How many games to play. With --resume: how many in all.",
)
@click.option(
    "--hours",
    type=float,
    metavar="H",
    help="How many hours to play, instead of games. With --resume: how many in all.",
)
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    metavar="T",
    help="The table to learn into, instead of your own. With --resume: where the table is now.",
)
@click.option(
    "--run",
    "run_path",
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
@click.option(
    "--openings",
    type=_OpeningsFile(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="An opening book, PGN or EPD, or the starts of chess960, instead of the training part of our suite.",
)
@click.option(
    "--lines",
    type=click.IntRange(1),
    metavar="N",
    help="Use only the first N openings, so that each is learned more deeply.",
)
@click.option(
    "--explore",
    type=click.Choice(WAYS),
    default=EPSILON,
    show_default=True,
    help="How games come to differ: by random moves, or by going where earlier games promise most.",
)
@click.option(
    "--epsilon",
    default="0.2:0.02",
    show_default=True,
    callback=_epsilon,
    metavar="A:B",
    help="The share of random moves, in the first game and in the last.",
)
@click.option(
    "--explorers",
    type=click.Choice(EXPLORERS),
    default=EXPLORERS[0],
    show_default=True,
    help="Who plays the random moves: both sides, or one side in each game.",
)
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar="SIDE",
    help="Play against untrained, table=FILE or engine=COMMAND, as in match, and not against itself.",
)
@mode_option
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="Only with --mode deep: nodes for each move of a game. Without it and --movetime, 20000.",
)
@click.option(
    "--learning-nodes",
    type=click.IntRange(1),
    metavar="N",
    help="Only with --mode deep: nodes for a position that is learned, more where many games have been. "
    "Without it, 20000.",
)
@weights_option
@click.option(
    "--plies",
    type=int,
    metavar="N",
    help="Only with --mode classic: full-width plies to search. Without it, 2.",
)
@tactical_option
@click.option(
    "--record",
    type=click.Choice(RECORDED),
    help="Only with --mode classic: which positions are recorded. Without it, those that are useful.",
)
@click.option(
    "--most-entries",
    type=click.IntRange(1),
    metavar="N",
    help="Keep the table at N entries: above N the least visited are removed, down to four fifths.",
)
@click.option(
    "--movetime",
    type=click.IntRange(1),
    metavar="MS",
    help="Search for so many milliseconds for each move of a game.",
)
@click.option(
    "--walks", default=1, show_default=True, metavar="N", help="How many times each game is learned."
)
@click.option(
    "--seed", type=int, metavar="S", help="Makes the games repeatable; with one worker, also the table."
)
@click.option(
    "--max-plies", default=300, show_default=True, metavar="N", help="A game of so many plies is a draw."
)
@click.option(
    "--adjudicate", is_flag=True, help="End a game early when both sides agree that it is won, or level."
)
@click.option(
    "--checkpoints",
    default="doubling",
    show_default=True,
    metavar="WHEN",
    help="Copy the table after 100, 200, 400, ... games (doubling), never (none), or after N,N,...",
)
@click.option(
    "--no-measure",
    is_flag=True,
    help="Play no matches against the untrained engine at checkpoints and at the end.",
)
@every_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print a line of JSON for each game, and one for the run."
)
@click.pass_context
def command(
    context: click.Context,
    games: int | None,
    hours: float | None,
    table: Path | None,
    run_path: Path | None,
    resume: Path | None,
    workers: int | None,
    cluster: str | None,
    openings: Path | None,
    lines: int | None,
    explore: str,
    epsilon: tuple[float, float],
    explorers: str,
    opponents: tuple[str, ...],
    mode: str | None,
    nodes: int | None,
    learning_nodes: int | None,
    weights: Path | None,
    plies: int | None,
    tactical: int | None,
    record: str | None,
    most_entries: int | None,
    movetime: int | None,
    walks: int,
    seed: int | None,
    max_plies: int,
    adjudicate: bool,
    checkpoints: str,
    no_measure: bool,
    every: int,
    as_json: bool,
) -> None:
    """Let the engine play against itself and learn from each game as soon as it is over.

    With --opponent it plays against somebody else, the colours in turn; several opponents take turns. A side
    that does not say how far it searches has the run's limits, and nodes that differ from game to game.

    At each checkpoint and at the end it plays short matches against the untrained engine, so that you see how
    much stronger it has become.

    Ctrl-C finishes the games that are running and says how to go on. Ctrl-C again stops at once, which loses
    only the unfinished games. A run may also be killed: --resume goes on exactly where it was, with as many
    workers as you like. With more --games or --hours it lengthens a run, also one that is finished.

    \b
    Examples:
      heatmap-engine selfplay --games 100 --nodes 5000
      heatmap-engine selfplay --games 5000 --nodes 2000 --lines 50 --explore ucb --opponent untrained
      heatmap-engine selfplay --hours 8 --run night --table night.table
      heatmap-engine selfplay --resume night --workers 2
      heatmap-engine selfplay --resume night --hours 16
    """
    if resume is not None:
        require_nothing_else(context, _OF_A_SESSION)
        folder = _resumed(resume, table, {"games": games, "hours": hours})
        _require_one_machine(folder.config.most_entries, cluster)
        require_opponents(folder.config.opposing_sides, folder.openings(), cluster)
    else:
        if (games is None) == (hours is None):
            raise click.UsageError("expected one of --games N, --hours H and --resume DIR")
        _require_one_machine(most_entries, cluster)
        chosen = chosen_mode(context, table)
        # What was not given is left to the run's own defaults.
        searched: dict[str, Any] = {
            "nodes": nodes,
            "learning_nodes": learning_nodes,
            "deep_weights": fixed_weights(weights) if chosen.takes_weights_file else None,
            "plies": plies,
            "tactical_plies": tactical,
            "record": record,
        }
        config = RunConfig(
            run="",
            table=str((table or chosen.default_table).resolve()),
            games=games,
            hours=hours,
            seed=random.SystemRandom().randrange(2**31) if seed is None else seed,
            explore=_way(context, explore),
            epsilon_first=epsilon[0],
            epsilon_last=epsilon[1],
            explorers=explorers,
            most_entries=most_entries,
            movetime_ms=movetime,
            max_plies=max_plies,
            adjudicates=adjudicate,
            walks=walks,
            checkpoints=checkpoints,
            mode=chosen.name,
            **{name: value for name, value in searched.items() if value is not None},
        )
        begins_with = _lines(openings, lines)
        sides = opponents_of(opponents, config)
        require_opponents(sides, begins_with, cluster)
        config = replace(config, opponents=[*map(side_as_json, sides)])
        folder = _created(config, table, run_path, begins_with)
    _play(folder, workers, cluster, every, as_json, is_new=resume is None, measures=not no_measure)


def _require_one_machine(most_entries: int | None, cluster: str | None) -> None:
    """The nodes of a cluster hear of what is recorded, not of what is taken out."""
    if most_entries is not None and cluster is not None:
        raise click.UsageError(
            f"--most-entries is for runs on one machine; got it, {most_entries}, with --cluster {cluster}"
        )


def _way(context: click.Context, explore: str) -> str:
    """How games come to differ; raises UsageError for shares of random moves that nobody will play."""
    of_random_moves = {"epsilon", "explorers"} & {*filter(None, given(context))}
    if explore == UCB and of_random_moves:
        raise click.UsageError(f"--{min(of_random_moves)} is for --explore {EPSILON}, and {UCB} was given")
    return explore


def _resumed(path: Path, table: Path | None, lengths: Mapping[str, float | None]) -> RunFolder:
    folder = RunFolder.open(path)
    for unit, length in lengths.items():
        if length is not None:
            folder.config = folder.config.lengthened(unit, length)
    if table is not None:
        folder.config = replace(folder.config, table=str(table.resolve()))
    return folder


def _created(config: RunConfig, table: Path | None, path: Path | None, lines: list[Opening]) -> RunFolder:
    if path is not None:
        RunFolder.require_new(path)
    table_to_write(table, mode_named(config.mode))
    with open_run_table(config, must_exist=False):
        pass  # before there is a folder: a table of other settings begins no run
    path = path or dated_folder(runs_path())
    config = replace(config, run=f"{path.name} {uuid.uuid4().hex[:8]}")
    return RunFolder.create(path, config, lines)


def _lines(path: Path | None, number: int | None) -> list[Opening]:
    """The first lines of a file, or of the training part of our own, or of the starts of Chess960."""
    if path == _CHESS960:
        lines = [*chess960_starts()]
    else:
        lines = [*load_openings(path)] if path is not None else split_openings(load_openings())[0]
    if number is not None and number > len(lines):
        raise click.UsageError(
            f"--lines: expected at most {len(lines)}, the number of openings that there are, got {number}"
        )
    return lines[:number]


def _play(
    folder: RunFolder,
    workers: int | None,
    cluster: str | None,
    every: int,
    as_json: bool,
    *,
    is_new: bool,
    measures: bool,
) -> None:
    with (
        folder.locked(),
        open_run_table(folder.config, must_exist=not is_new) as table,
        stoppable(_how_to_go_on(folder)) as should_stop,
    ):

        def report(message: str) -> None:
            warn(message)
            folder.log(message)

        run = Run(folder, table, report)
        folder.save()  # only now is it sure that the table may be where --table said
        if run.is_finished:
            raise InvalidRun(
                f"the run in {folder.path} is finished, {run.summary.games:,} games were played; "
                f"--{folder.config.unit} with a larger number goes on with it"
            )
        if cluster is None and workers is None:
            workers = all_cores()
        pool = pool_for(SelfPlay, table, folder.config.search, workers, cluster, report)
        measuring = Measuring(folder, workers or all_cores(), should_stop)
        workers_in_words = f"{workers or 'all'} workers{f' on the cluster {cluster}' if cluster else ''}"
        folder.log(
            f"{'began' if is_new else 'went on'} with {workers_in_words} after {run.summary.games} games, "
            f"of {folder.config.length} {folder.config.unit} in all"
        )
        with (
            advised(_how_to_go_on(folder)),
            _end_logged(folder, run),
            followed(run, measuring, every, as_json, folder.log, should_stop) as show,
        ):

            def when_recorded(game: RunMeasurement) -> None:
                show(game)
                if measures and run.is_at_checkpoint and not run.is_finished:
                    measuring.measure(run.summary.games)

            tally = run.play(pool, when_recorded, should_stop)
            if measures and not run.is_stopped and not should_stop():
                measuring.measure(run.summary.games)
    if as_json:
        strength = strength_json(measuring.matches)
        summary = {"run": str(folder.path), "stopped": run.is_stopped, **run.summary.as_json()}
        click.echo(json.dumps({**summary, "strength": strength}))
    else:
        click.echo("\n".join(described(folder, run.summary, measuring.line())))
        if run.is_stopped or not run.is_finished:
            click.echo(_how_to_go_on(folder))
    if run.is_stopped:
        sys.exit(STOPPED)
    if tally.lost:
        raise HeatmapError(f"{tally.lost} games were given up; {_how_to_go_on(folder)}")


@contextmanager
def _end_logged(folder: RunFolder, run: Run) -> Iterator[None]:
    """Write into the log how the session ended, by whatever."""
    try:
        yield
    except BaseException as error:
        with suppress(OSError):  # the disk that is full may be the log's as well
            folder.log(f"ended after {run.summary.games} games by {type(error).__name__}: {error}")
        raise
    folder.log(f"{'stopped' if run.is_stopped else 'ended'} after {run.summary.games} games")


def _how_to_go_on(folder: RunFolder) -> str:
    return f"go on with: heatmap-engine selfplay --resume {shlex.quote(str(folder.path))}"
