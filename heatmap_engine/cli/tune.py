"""`heatmap-engine tune`: learn the weights of the deep search from games, round after round."""

import random
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from heatmap_engine.cli.common import Command, cluster_option, given, require_nothing_else
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.long_task import advised, all_cores, stoppable
from heatmap_engine.cli.tune_adopt import go_back, show_in_use, try_weights, weights_file
from heatmap_engine.cli.tune_view import followed, write_report
from heatmap_engine.errors import HeatmapError, InvalidRun
from heatmap_engine.start import STOPPED
from heatmap_engine.tuning.adopting import MOST_GAMES
from heatmap_engine.tuning.config import FITS, METHODS, SPSA, TuneConfig, unused
from heatmap_engine.tuning.folder import TuneFolder
from heatmap_engine.tuning.pool import tuning_pool
from heatmap_engine.tuning.running import TuneRun
from heatmap_engine.tuning.session import TuneSession
from heatmap_engine.tuning.starts import OWN, starting_weights
from heatmap_engine.tuning.training_data import method_for, require_for, source_file
from heatmap_engine.user_files import dated_folder, tunings_path

# What a resumed run may be given; all else was decided when it began.
_OF_A_SESSION = {"resume", "rounds", "workers", "cluster", "as_json", "adopt", "most_games"}
# What --adopt with a path may be given: it learns nothing.
_OF_A_TRIAL = {"adopt", "most_games", "nodes", "seed", "workers", "cluster", "as_json"}
_LEARNED_NOW = "\0"  # which no path can be
_DEFAULT = TuneConfig(method=METHODS[0])


def _number(name: str, words: str, text: str, metavar: str = "N") -> Callable[[Command], Command]:
    """An option for a number of the settings, with their default."""
    default = getattr(_DEFAULT, name)
    return click.option(
        words, name, default=default, show_default=True, type=type(default), metavar=metavar, help=text
    )


class _CommandWithSources(click.Command):
    """Lets `--from` take all words up to the next option, as `cp` takes files."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread: list[str] = []
        is_source = False
        for place, word in enumerate(args):
            if word.startswith("-"):
                is_source = word == "--from"
            elif is_source and args[place - 1] != "--from":
                spread.append("--from")
            spread.append(word)
        return super().parse_args(ctx, spread)


@click.command("tune", cls=_CommandWithSources)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    help=f"How to learn. Without it {METHODS[0]}, or results from a PGN. See docs/guide/5-tune.md.",
)
@click.option(
    "--start",
    metavar="cmhm2|zeros|package|own|FILE",
    help="The weights to begin with. Without it cmhm2; spsa and td --from: own, which are those in use.",
)
@_number("rounds", "--rounds", "How many rounds to play, learn and measure. With --resume: how many in all.")
@_number("nodes", "--nodes", "Nodes for each move.")
@_number("games", "--games", "td, results: games in the first round.")
@_number(
    "growth",
    "--growth",
    "td, results: each round plays so many times the games of the one before.",
    metavar="X",
)
@_number(
    "trace",
    "--lambda",
    "td: from 0, where each position learns from its search, to 1, where it learns from the result.",
    metavar="L",
)
@_number("epsilon", "--epsilon", "td, results: the share of random moves in the games.", metavar="E")
@_number("kept", "--keep", "td, results: fit the weights to the games of so many last rounds.")
@_number("net_from", "--net-from", "td: learn a net beside the weights from so many positions on.")
@_number("random_plies", "--random-plies", "td, results: begin each game with at most so many random moves.")
@_number("lone", "--lone", "td, results: games in the first round against a lone king.")
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="TABLE|DIR|PGN|own…",
    help="td: learn from the games of deep tables. results: from PGNs, runs and tables.",
)
@_number("candidates", "--candidates", "cem, ga: candidates in each round.")
@_number("pairs", "--pairs", "cem, ga, spsa: pairs of games for each candidate or iteration.")
@_number("best", "--best", "cem, ga: the share of candidates that is kept.", metavar="SHARE")
@_number(
    "noise",
    "--noise",
    "cem, ga: how much candidates vary, relative to the weights' expected sizes.",
    metavar="X",
)
@_number("decay", "--decay", "cem, ga: the noise is multiplied by this after each round.", metavar="X")
@_number("iterations", "--iterations", "spsa: iterations in each round, one after the other.")
@_number("gain", "--gain", "spsa: how far a match moves the constants (a).", metavar="X")
@_number("delay", "--delay", "spsa: iterations by which gains fall later (A).", metavar="X")
@_number("spread", "--spread", "spsa: how far players lie apart, in steps (c).", metavar="X")
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
@click.option(
    "--adopt",
    is_flag=False,
    flag_value=_LEARNED_NOW,
    metavar="[DIR|FILE]",
    help="Play learned weights against those in use. If they win, use them from now on.",
)
@click.option(
    "--most-games",
    default=MOST_GAMES,
    show_default=True,
    type=click.IntRange(2),
    metavar="N",
    help="--adopt: after so many games without an answer nothing is changed.",
)
@click.option("--unadopt", is_flag=True, help="Use the package's weights again.")
@click.option("--in-use", is_flag=True, help="Say which weights are in use, and where they come from.")
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
    adopt: str | None,
    most_games: int,
    unadopt: bool,
    in_use: bool,
    **settings: Any,
) -> None:
    """Learn the weights of the evaluation in deep mode, from its own games or from those that a table knows.
    With --method spsa, tune the constants of its search instead.

    Each round plays games, learns from them, saves weights-N.json and measures these weights in matches
    against those of the start and of the round before. `heatmap-engine report DIR` shows the progress.
    Ctrl-C finishes the games that are running and says how to go on. A run may also be killed: --resume goes
    on exactly where it was. --adopt plays the learned weights against those in use and, if they win, uses
    them from then on wherever no others are named.

    \b
    Examples:
      heatmap-engine tune --games 500 --rounds 10 --run mine
      heatmap-engine tune --resume mine --rounds 20
      heatmap-engine tune --from own --adopt
      heatmap-engine tune --method spsa --nodes 40000 --run search
      heatmap-engine tune --adopt mine
      heatmap-engine tune --in-use
    """
    if unadopt or in_use:
        _require_only(context, {"unadopt"} if unadopt else {"in_use"})
        (go_back if unadopt else show_in_use)(as_json)
        return
    if "most_games" in given(context) and adopt is None:
        raise click.UsageError("--most-games is for --adopt")
    trial = partial(try_weights, most_games=most_games, workers=workers, cluster=cluster, as_json=as_json)
    if adopt not in (None, _LEARNED_NOW):
        _adopt(context, Path(str(adopt)), trial)
        return
    if adopt is not None and not given(context) - (_OF_A_TRIAL - {"seed", "nodes"}):
        raise click.UsageError("--adopt alone has nothing to try: expected --adopt DIR, or --from beside it")
    if resume is not None:
        require_nothing_else(context, _OF_A_SESSION)
        folder = _resumed(resume, settings["rounds"] if "rounds" in given(context) else None)
    else:
        folder = _begun(context, method, path, settings, is_tried=adopt is not None)
    is_over = adopt is not None and TuneRun(folder).is_finished
    if not is_over:
        _go_on(folder, workers, cluster, as_json)
    if adopt is not None:
        _try_run(context, folder, trial)


def _require_only(context: click.Context, allowed: set[str]) -> None:
    """What only says or changes which weights are in use takes nothing else."""
    others = given(context) - {*allowed, "as_json"}
    if names := sorted(option.opts[0] for option in context.command.params if option.name in others):
        own = f"--{next(iter(allowed)).replace('_', '-')}"
        raise click.UsageError(f"{own} cannot be given with {', '.join(names)}")


def _adopt(context: click.Context, path: Path, trial: Callable[..., None]) -> None:
    """Try weights that exist: the last of a run, or those in a file."""
    others = given(context) - _OF_A_TRIAL
    if names := sorted(option.opts[0] for option in context.command.params if option.name in others):
        raise click.UsageError(
            f"--adopt {path} tries weights that exist and cannot be given with {', '.join(names)}; "
            "--adopt without a path tries those that are learned now"
        )
    nodes, seed = context.params["nodes"], context.params["seed"] or 0
    if path.is_dir():
        config = TuneFolder.open(path).config
        nodes = nodes if "nodes" in given(context) else config.nodes
        seed = seed if "seed" in given(context) else config.seed
    words = f"{shlex.quote(str(path))} --nodes {nodes} --seed {seed}"
    trial(weights_file(path), _how_to_try(context, words), nodes=nodes, seed=seed)


def _try_run(context: click.Context, folder: TuneFolder, trial: Callable[..., None]) -> None:
    """Try the last weights of a run that is over."""
    config, how_to_go_on = folder.config, _how_to_try(context, shlex.quote(str(folder.path)))
    trial(weights_file(folder.path), how_to_go_on, nodes=config.nodes, seed=config.seed)


def _how_to_try(context: click.Context, words: str) -> str:
    most = f" --most-games {context.params['most_games']}" if "most_games" in given(context) else ""
    return f"go on with: heatmap-engine tune --adopt {words}{most}"


def _begun(
    context: click.Context,
    method: str | None,
    path: Path | None,
    given_settings: dict[str, Any],
    *,
    is_tried: bool,
) -> TuneFolder:
    """The folder of a new run; what was not said follows from its method and its sources."""
    settings = dict(given_settings)
    sources = settings["sources"]
    if method is None:
        method = method_for(sources) if sources else _DEFAULT.method
    _require_own(context, method)
    if sources and "rounds" not in given(context):
        settings["rounds"] = 1
    if settings["start"] is None:
        goes_on = method == SPSA or (sources and method == "td")
        settings["start"] = OWN if goes_on else _DEFAULT.start
    if settings["seed"] is None:
        settings["seed"] = random.SystemRandom().randrange(2**31)
    if is_tried and sources and "match_games" not in given(context):
        settings["match_games"] = 0  # the match that decides comes next
    return _created(TuneConfig(method=method, **settings), path)


def _require_own(context: click.Context, method: str) -> None:
    """An option of another method would be passed over: a mistake."""
    has_source = bool(context.params["sources"])
    passed_over = given(context) & unused(method, has_source)
    if wrong := sorted(option.opts[0] for option in context.command.params if option.name in passed_over):
        how = f"{method} --from" if has_source and method in FITS else method
        raise click.UsageError(f"--method {how} has no use for {', '.join(wrong)}")


def _resumed(path: Path, rounds: int | None) -> TuneFolder:
    folder = TuneFolder.open(path)
    if rounds is not None:
        folder.config = replace(folder.config, rounds=rounds)
    return folder


def _created(config: TuneConfig, path: Path | None) -> TuneFolder:
    start = starting_weights(config.start)
    files = [require_for(config.method, source_file(source, config.method)) for source in config.sources]
    config = replace(config, sources=tuple(str(file.resolve()) for file in files))
    return TuneFolder.create(path or dated_folder(tunings_path()), config, start)


def _go_on(folder: TuneFolder, workers: int | None, cluster: str | None, as_json: bool) -> None:
    """Go on with a run to its end; ends the command where it is stopped before."""
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
            advised(how_to_go_on) if not folder.config.sources else nullcontext(),
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
