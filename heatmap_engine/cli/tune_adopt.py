"""`tune --adopt`, `--unadopt` and `--in-use`: which weights deep mode uses where nobody names any."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.long_task import all_cores, bar_over_figures, stoppable
from heatmap_engine.deep.adopted import adopted_path, fingerprint, load_adopted, unadopt, weights_in_use
from heatmap_engine.deep.constants import RANGES
from heatmap_engine.deep.weights import DeepWeights, learned_weights, load_weights
from heatmap_engine.errors import HeatmapError, InvalidRun
from heatmap_engine.start import STOPPED
from heatmap_engine.tuning.adopting import Contest, Verdict, elo_text, verdict_text
from heatmap_engine.tuning.folder import TuneFolder
from heatmap_engine.tuning.pool import tuning_pool
from heatmap_engine.tuning.running import current_version
from heatmap_engine.tuning.session import Progress, TuneSession

_LINE_EVERY = 50  # pairs, where the output is piped


def weights_file(path: Path) -> Path:
    """The file of weights that a path means: a run's last checkpoint, or the file itself."""
    if not path.is_dir():
        return path
    folder = TuneFolder.open(path)
    rounds = len([*folder.measurements()])
    if not rounds:
        raise InvalidRun(f"{path}: expected a run that has learned weights, got one without any checkpoint")
    return folder.weights_path(rounds)


def try_weights(
    path: Path,
    how_to_go_on: str,
    *,
    nodes: int,
    most_games: int,
    seed: int,
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Play learned weights against those in use, and use them from now on if they win."""
    contest = Contest(
        path, load_weights(path), weights_in_use(), nodes=nodes, most_games=most_games, seed=seed
    )
    with contest.locked(), stoppable(how_to_go_on) as should_stop:
        done = 0

        def when_done(progress: Progress) -> None:
            nonlocal done
            done = progress.done
            if done % _LINE_EVERY or as_json or sys.stdout.isatty():
                return
            verdict = contest.verdict()
            if not verdict.accepted:  # or else the end is near, which says so
                click.echo(_line(contest, verdict))
                sys.stdout.flush()

        def figures() -> Iterator[str]:
            yield _line(contest, contest.verdict())

        if cluster is None and workers is None:
            workers = all_cores()
        session = TuneSession(tuning_pool(workers, cluster, warn), when_done, should_stop, warn)
        with bar_over_figures(lambda: 2 * done / most_games, figures, should_stop):
            is_finished = contest.play(session)
        if is_finished:
            _conclude(contest, as_json)
            return
    if not as_json:
        click.echo(how_to_go_on)
    if session.is_stopped:
        sys.exit(STOPPED)
    raise HeatmapError(f"{session.lost} pairs of games were given up; {how_to_go_on}")


def _line(contest: Contest, verdict: Verdict) -> str:
    """How the match stands, in one line."""
    return (
        f"{contest.learned.name} against {contest.in_use.name}, which is in use: "
        f"{verdict.result.games:,} of at most {contest.most_games:,} games at {contest.nodes:,} nodes, "
        f"Elo {elo_text(verdict.result)}, LLR {verdict.llr:+.2f}"
    )


def _conclude(contest: Contest, as_json: bool) -> None:
    if fingerprint(weights_in_use()) != fingerprint(contest.in_use):
        raise InvalidRun(
            f"other weights than {contest.in_use.name} are in use since this match began; "
            "nothing was changed; the same command plays against these"
        )
    verdict = contest.verdict()
    kept = contest.conclude(current_version())
    if as_json:
        match = contest.as_json(verdict)
        data = {"adopted": None if kept is None else str(kept), "report": str(contest.report_path), **match}
        click.echo(json.dumps(data))
        return
    click.echo(_line(contest, verdict))
    click.echo(verdict_text(verdict))
    click.echo(f"  report: {contest.report_path}")
    if kept is not None:
        click.echo(f"  adopted as: {load_weights(kept).name}, kept in {kept}")
        click.echo("  back to the package's weights: heatmap-engine tune --unadopt")


def go_back(as_json: bool) -> None:
    """Use the package's weights again."""
    was_there = unadopt()
    package = learned_weights().name
    if as_json:
        click.echo(json.dumps({"in_use": package, "changed": was_there}))
    elif was_there:
        click.echo(f"deep mode uses the package's weights again, {package}")
    else:
        click.echo(f"nothing to do: deep mode uses the package's weights, {package}")


def show_in_use(as_json: bool) -> None:
    """Say which weights are in use, where they came from, and how to change that."""
    path = adopted_path()
    weights = learned_weights() if path is None else load_adopted(path)
    if as_json:
        file = None if path is None else str(path)
        data = {"name": weights.name, "file": file, "provenance": dict(weights.provenance)}
        click.echo(json.dumps({**data, "search": weights.search.changed}))
        return
    click.echo("\n".join(_described(weights, path)))


def _described(weights: DeepWeights, path: Path | None) -> Iterator[str]:
    if path is None:
        yield f"weights in use: {weights.name}, which come with the package"
        yield from _about_search(weights)
        yield "  to learn your own: heatmap-engine tune --from own --adopt"
        return
    yield f"weights in use: {weights.name}, your own"
    yield f"  file: {path}, its report beside it"
    yield from _about_search(weights)
    match = weights.provenance.get("adopted after")
    if isinstance(match, dict) and match:
        yield f"  match: {_match_text(match)}"
    yield "  back to the package's weights: heatmap-engine tune --unadopt"


def _about_search(weights: DeepWeights) -> Iterator[str]:
    if changed := weights.search.changed:
        yield f"  constants of the search: {len(changed)} of {len(RANGES)} not as usual"


def _match_text(match: dict[str, Any]) -> str:
    games, against, nodes = (match.get(name, "?") for name in ("games", "against", "nodes"))
    elo = match.get("elo")
    strength = f"Elo {elo:+.0f}" if isinstance(elo, int | float) else "all points on one side"
    return f"won against {against} in {games} games at {nodes} nodes a move, {strength}"
