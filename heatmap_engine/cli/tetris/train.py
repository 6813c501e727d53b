"""`heatmap-engine tetris train`: learn weights by evolution, or a Q-network."""

import random
import shlex
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from games.evolution_folder import EvolutionFolder, EvolutionSettings
from games.evolution_run import EvolutionRun
from games.tetris.errors import InvalidRun
from games.tetris.evolving import as_weights, game_settings, survive
from games.tetris.features import FEATURE_SETS
from games.tetris.playing import Setting
from games.tetris.q_learning import QFolder, QRun, is_q_run
from games.tetris.q_settings import QSettings, centre_of
from games.tetris.rules import Rules
from heatmap_engine.cli.common import Command, cluster_option, given, require_nothing_else
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.long_task import all_cores, stoppable
from heatmap_engine.cli.tetris.options import features_option, game_options, weights_named, weights_of
from heatmap_engine.cli.tetris.train_view import followed_evolution, followed_q, write_report
from heatmap_engine.errors import HeatmapError
from heatmap_engine.learning.pools import pool_without_table
from heatmap_engine.start import STOPPED
from heatmap_engine.user_files import dated_folder, trainings_path

METHODS = ("cem", "ga", "q")
_OF_A_SESSION = {"resume", "generations", "rounds", "workers", "cluster", "as_json"}
_OF_EVOLUTION = {"features", "start", "games", "max_lines", "lookahead", "workers", "cluster"} | {
    "generations",
    "candidates",
    "best",
    "deviation",
    "noise",
    "decay",
    "looks",
}
_OF_Q = {
    "reward",
    "rounds",
    "round_pieces",
    "discount",
    "epsilon",
    "epsilon_last",
    "step",
    "scale",
    "look_games",
}
_EVOLUTION = EvolutionSettings(method="cem", start=(0.0,), deviation=10.0, noise=5.0, decay=0.8, looks=4)
_Q = QSettings(reward={"holes": -1.0})


def _number(name: str, of: object, text: str, metavar: str = "N") -> Callable[[Command], Command]:
    """An option for a number of a run's settings, with their default."""
    default = getattr(of, name)
    option = "--" + name.replace("_", "-")
    return click.option(
        option, default=default, show_default=True, type=type(default), metavar=metavar, help=text
    )


@click.command("train")
@click.option(
    "--method", type=click.Choice(METHODS), help="Cross-entropy, a genetic algorithm, or Q-learning."
)
@game_options
@features_option("cem, ga: what the weights are of; published without it.")
@click.option("--start", metavar="NAME|FILE", help="cem, ga: weights to begin with, instead of zeros.")
@click.option(
    "--games",
    default=15,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="cem, ga: games of each candidate.",
)
@click.option(
    "--max-lines",
    default=100_000,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="cem, ga: end a game after so many lines.",
)
@click.option(
    "--lookahead",
    default=0,
    show_default=True,
    metavar="N",
    help="cem, ga: candidates look at so many coming pieces.",
)
@_number("generations", _EVOLUTION, "cem, ga: how many generations. With --resume: how many in all.")
@_number("candidates", _EVOLUTION, "cem, ga: candidates of each generation.")
@_number("best", _EVOLUTION, "cem, ga: the share of candidates that is kept.", "SHARE")
@_number("deviation", _EVOLUTION, "cem: how far the first candidates lie apart.", "X")
@_number("noise", _EVOLUTION, "cem: added to what is learned; ga: how far a weight mutates.", "X")
@_number("decay", _EVOLUTION, "cem, ga: the noise is multiplied by this after each generation.", "X")
@_number("looks", _EVOLUTION, "cem, ga: measure each generation's weights in so many times --games games.")
@click.option(
    "--reward",
    default="outline",
    show_default=True,
    metavar="NAME|FILE",
    help="q: the weights that say what a placement is worth.",
)
@_number("rounds", _Q, "q: how many rounds. With --resume: how many in all.")
@_number("round_pieces", _Q, "q: pieces of each round.")
@_number("discount", _Q, "q: how much the next placement counts.", "X")
@_number("epsilon", _Q, "q: the share of random placements in the first round.", "X")
@_number("epsilon_last", _Q, "q: the share of random placements in the last round.", "X")
@_number("step", _Q, "q: how far the network moves at first.", "X")
@_number("scale", _Q, "q: rewards are multiplied by this.", "X")
@_number("look_games", _Q, "q: games with which the network is measured every 10 rounds.")
@click.option("--seed", type=click.IntRange(0), metavar="S", help="Makes what is learned repeatable.")
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
    help="cem, ga: how many processes play. Without it, one for each core.",
)
@cluster_option
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each generation or round.")
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
    **options: Any,
) -> None:
    """Learn weights of features by evolution (cem, ga), or a Q-network (q).

    cem and ga write weights-N.json after each generation; q writes network-N.json every ten rounds and
    best.json. `tetris play --weights FILE` or `--network FILE` plays with them, `tetris report DIR` shows the
    progress. Ctrl-C stops at the next clean point and says how to go on. A run may also be killed: --resume
    goes on and comes to the same.

    \b
    Examples:
      heatmap-engine tetris train --method cem --height 10 --run mine
      heatmap-engine tetris train --method q --run network
      heatmap-engine tetris train --resume mine --generations 60
    """
    if resume is not None:
        require_nothing_else(context, _OF_A_SESSION)
        wanted: dict[str, Any] = {
            name: options[name] for name in ("generations", "rounds") if name in given(context)
        }
        _resume(resume, wanted, workers, cluster, as_json)
        return
    method = method or METHODS[0]
    _require_own(context, method)
    seed = random.SystemRandom().randrange(2**31) if seed is None else seed
    path = path or dated_folder(trainings_path("tetris"))
    rules = Rules(options["width"], options["height"], options["rule"])
    if method == "q":
        _go_on_with_q(QFolder.create(path, _q_settings(rules, seed, options)), as_json)
    else:
        folder = EvolutionFolder.create(path, _evolution_settings(method, rules, seed, options))
        _go_on_with_evolution(folder, workers, cluster, as_json)


def _require_own(context: click.Context, method: str) -> None:
    """An option of another method would be passed over: a mistake."""
    passed_over = given(context) & (_OF_EVOLUTION if method == "q" else _OF_Q)
    if method == "ga":
        passed_over |= given(context) & {"deviation"}
    if wrong := sorted(option.opts[0] for option in context.command.params if option.name in passed_over):
        raise click.UsageError(f"--method {method} has no use for {', '.join(wrong)}")


def _evolution_settings(method: str, rules: Rules, seed: int, options: dict[str, Any]) -> EvolutionSettings:
    features = options["features"] or "published"
    start = tuple(0.0 for _ in FEATURE_SETS[features])
    if options["start"] is not None:
        known = weights_of(features, options["start"]).values
        start = tuple(float(known.get(name, 0.0)) for name in FEATURE_SETS[features])
    setting = Setting(rules, options["pieces"], options["max_lines"])
    game = game_settings(setting, features, options["games"], options["lookahead"])
    names = ("generations", "candidates", "best", "deviation", "noise", "decay", "looks")
    return EvolutionSettings(
        method=method, start=start, game=game, seed=seed, **{name: options[name] for name in names}
    )


def _q_settings(rules: Rules, seed: int, options: dict[str, Any]) -> QSettings:
    reward = weights_named(options["reward"])
    own = {item.name for item in fields(QSettings)}
    settings = {name: value for name, value in options.items() if name in own - {"reward", "max_lines"}}
    base = centre_of(reward, Setting(rules, options["pieces"]), options["scale"])
    return QSettings(**settings, reward=dict(reward.values), base=base, seed=seed)


def _resume(
    path: Path, wanted: dict[str, Any], workers: int | None, cluster: str | None, as_json: bool
) -> None:
    if is_q_run(path):
        _refuse(wanted, "generations", "a run of Q-learning has rounds")
        if workers or cluster:
            raise click.UsageError(
                "Q-learning plays in one process: --workers and --cluster are for cem and ga"
            )
        q_folder = QFolder.open(path)
        q_folder.settings = replace(q_folder.settings, **wanted)
        _go_on_with_q(q_folder, as_json)
    else:
        _refuse(wanted, "rounds", "a run of evolution has generations")
        folder = EvolutionFolder.open(path)
        if folder.settings.game.get("game") != "tetris":
            raise InvalidRun(f"expected a run of Tetris, got one of {folder.settings.game.get('game')!r:.80}")
        folder.settings = replace(folder.settings, **wanted)
        _go_on_with_evolution(folder, workers, cluster, as_json)


def _refuse(wanted: dict[str, Any], name: str, why: str) -> None:
    if name in wanted:
        raise click.UsageError(f"--{name} does not fit: {why}")


def _go_on_with_evolution(
    folder: EvolutionFolder, workers: int | None, cluster: str | None, as_json: bool
) -> None:
    how = f"go on with: heatmap-engine tetris train --resume {shlex.quote(str(folder.path))}"
    if cluster is None and workers is None:
        workers = all_cores()

    def report(message: str) -> None:
        warn(message)
        folder.log(message)

    def text(row: tuple[float, ...], generation: int) -> str:
        return as_weights(row, folder.settings, generation).to_json()

    with folder.locked(), stoppable(how) as should_stop:
        done = len(folder.generations())
        if done >= folder.settings.generations:
            raise InvalidRun(
                f"the run in {folder.path} is finished after {done} generations; --generations with a larger "
                "number goes on with it"
            )
        folder.save()
        folder.log(f"went on after {done} generations")
        with followed_evolution(folder, as_json, should_stop) as (when_done, when_bred):
            run = EvolutionRun(folder, text, when_done, should_stop, report)
            is_finished = run.go_on(pool_without_table(survive, workers, cluster, report), when_bred)
        folder.log("ended" if is_finished else "stopped")
    if run.given_up and not run.is_stopped:
        raise HeatmapError(f"{run.given_up} candidates were given up; {how}")
    _end(folder.path, as_json, is_finished, how)


def _go_on_with_q(folder: QFolder, as_json: bool) -> None:
    how = f"go on with: heatmap-engine tetris train --resume {shlex.quote(str(folder.path))}"
    with folder.locked(), stoppable(how) as should_stop:
        run = QRun(folder)
        if run.done >= folder.settings.rounds:
            raise InvalidRun(
                f"the run in {folder.path} is finished after {run.done} rounds; --rounds with a larger "
                "number goes on with it"
            )
        folder.save()
        with followed_q(folder, as_json, should_stop) as when_done:
            is_finished = run.go_on(should_stop, when_done)
    _end(folder.path, as_json, is_finished, how)


def _end(path: Path, as_json: bool, is_finished: bool, how: str) -> None:
    if not as_json:
        write_report(path, as_json=False)
    if not is_finished:
        if not as_json:
            click.echo(how)
        sys.exit(STOPPED)
