"""`heatmap-engine learn`: learn from games, and look after the journal of what was learned."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from games.chess.journal import LearnedGame, learned_games
from heatmap_engine.cli.common import cluster_option, given
from heatmap_engine.cli.forgetting import forget, games_in_words, listed
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.long_task import progress_bar, stoppable
from heatmap_engine.cli.mode_options import chosen_mode, mode_option, settings_of, weights_option
from heatmap_engine.cli.table_options import table_to_write
from heatmap_engine.engines.mode import ModeSettings
from heatmap_engine.learning.batch import Tally
from heatmap_engine.learning.pgn_files import FilesSummary, learn_files
from heatmap_engine.learning.rebuild import rebuild
from heatmap_engine.memory.tables import open_table, open_to_read
from heatmap_engine.start import STOPPED
from qtable import QTable

# How long to wait for another writer of the table.
_WRITER_TIMEOUT_S = 10.0

# The options that only learning from files has, by the names of their parameters.
_FOR_FILES = {"force": "--force", "cluster": "--cluster", "nodes": "--nodes", "weights": "--weights"}


@click.command("learn")
@click.argument(
    "files", nargs=-1, metavar="FILE...", type=click.Path(exists=True, dir_okay=False, allow_dash=True)
)
@click.option(
    "--table",
    "path",
    type=click.Path(path_type=Path),
    metavar="T",
    help="The table to learn into, instead of your own.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="How many processes learn: 1, or on a cluster one for each processor.",
)
@cluster_option
@mode_option
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="Only with --mode deep: nodes to search at a position, more where many games have been. "
    "Without it, 20000.",
)
@weights_option
@click.option(
    "--force", is_flag=True, help="Learn again from games that the journal has. Their results count once."
)
@click.option("--rebuild", "is_rebuilding", is_flag=True, help="Rebuild the table from its journal.")
@click.option(
    "--forget",
    "forgotten",
    metavar="GAME",
    help="Take back a game: its id or a unique prefix.",
)
@click.option("--list", "is_listing", is_flag=True, help="List the games of the journal.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    path: Path | None,
    workers: int | None,
    cluster: str | None,
    mode: str | None,
    nodes: int | None,
    weights: Path | None,
    force: bool,
    is_rebuilding: bool,
    forgotten: str | None,
    is_listing: bool,
    as_json: bool,
) -> None:
    """Learn from the games in PGN files.

    Each game is walked backwards once, so that what is known of later positions improves earlier values.

    Files may be plain or compressed (.gz, .bz2, .zst). A file named - is standard input. Ctrl-C stops after
    the current game, and the same command goes on from there, because games that the table has learned from
    are passed over. Games that cannot be played are named and skipped. The exit code is 1 if a file could not
    be read, or if it has something in it and no game that can be played.

    \b
    Examples:
      heatmap-engine learn games.pgn.zst --workers 2
      heatmap-engine learn --list
      heatmap-engine learn --forget 5f0c
      heatmap-engine learn --rebuild
    """
    if [bool(files), is_rebuilding, forgotten is not None, is_listing].count(True) != 1:
        raise click.UsageError("expected one of FILE..., --rebuild, --forget and --list")
    if not files and (wrong := sorted(_FOR_FILES[name] for name in _FOR_FILES.keys() & given(context))):
        raise click.UsageError(f"{', '.join(wrong)} can be given only with FILE...")
    chosen = chosen_mode(context, path)
    table_path = path or chosen.default_table
    if files:
        settings = settings_of(chosen, weights=weights, learning_nodes=nodes)
        _learn(files, table_to_write(path, chosen), settings, workers, cluster, force, as_json)
    elif is_rebuilding:
        _rebuild(table_path, workers or 1, as_json)
    elif forgotten is not None:
        forget(table_path, forgotten, as_json)
    else:
        _list(table_path, as_json)


def _learn(
    files: tuple[str, ...],
    path: Path,
    settings: ModeSettings,
    workers: int | None,
    cluster: str | None,
    force: bool,
    as_json: bool,
) -> None:
    with open_table(path, settings, timeout_s=_WRITER_TIMEOUT_S) as table, stoppable() as should_stop:
        with progress_bar("learning", "games") as progress:
            summary = learn_files(
                files,
                table,
                settings,
                workers=workers,
                cluster=cluster,
                force=force,
                progress=progress,
                report=warn,
                should_stop=should_stop,
            )
        if as_json:
            click.echo(json.dumps(_summary_as_json(summary, table)))
        else:
            click.echo("\n".join(_described(summary, table)))
    _exit(summary.is_stopped, is_whole=not (summary.tally.lost or summary.unreadable))


def _described(summary: FilesSummary, table: QTable) -> Iterator[str]:
    yield f"learned {_learned(summary.tally)}"
    if summary.known:
        yield f"passed over {games_in_words(summary.known)} that the table had learned from before"
    if summary.skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(summary.skipped.items()))
        yield f"skipped {games_in_words(summary.skipped.total())}: {reasons}"
    if summary.tally.lost:
        yield f"gave up {games_in_words(summary.tally.lost)}"
    if summary.is_stopped:
        yield "stopped: the same command goes on from here"
    yield f"{table.path} holds {len(table):,} entries and {games_in_words(table.journal_length())}"


def _learned(tally: Tally) -> str:
    """What was learned, in words: "3 games (201 positions) in 0.9 s, 3.3 games/s"."""
    speed = f", {tally.games_per_second:,.1f} games/s" if tally.learned else ""
    return f"{games_in_words(tally.learned)} ({tally.positions:,} positions) in {tally.seconds:,.1f} s{speed}"


def _summary_as_json(summary: FilesSummary, table: QTable) -> dict[str, object]:
    return {
        **_tally_as_json(summary.tally),
        "known": summary.known,
        "skipped": dict(summary.skipped),
        "unreadable": summary.unreadable,
        "stopped": summary.is_stopped,
        "table": str(table.path),
        "entries": len(table),
        "games": table.journal_length(),
    }


def _tally_as_json(tally: Tally) -> dict[str, object]:
    return {**asdict(tally), "games_per_second": tally.games_per_second}


def _rebuild(path: Path, workers: int, as_json: bool) -> None:
    with QTable(path, must_exist=True) as table, stoppable() as should_stop:
        with progress_bar("rebuilding", "games") as progress:
            rebuilt = rebuild(table, workers, progress=progress, report=warn, should_stop=should_stop)
        if as_json:
            fields = {
                "finished": rebuilt.is_finished,
                "entries_before": rebuilt.entries_before,
                "entries": rebuilt.entries,
            }
            click.echo(json.dumps({**_tally_as_json(rebuilt.tally), **fields, "table": str(path)}))
        elif rebuilt.is_finished:
            click.echo(f"learned {_learned(rebuilt.tally)}")
            click.echo(f"{path} had {rebuilt.entries_before:,} entries and now has {rebuilt.entries:,}")
        else:
            click.echo(f"learned {_learned(rebuilt.tally)}")
            click.echo(f"not finished: {path} is as it was; the same command goes on from here")
    _exit(not rebuilt.is_finished and not rebuilt.tally.lost, is_whole=rebuilt.is_finished)


def _exit(is_stopped: bool, *, is_whole: bool) -> None:
    if is_stopped:
        sys.exit(STOPPED)
    if not is_whole:
        sys.exit(1)


def _list(path: Path, as_json: bool) -> None:
    with open_to_read(path) as table:
        for game in learned_games(table.journal()):
            click.echo(json.dumps(_game_as_json(game)) if as_json else listed(game))


def _game_as_json(game: LearnedGame) -> dict[str, object]:
    return {
        "id": game.record.game_id,
        "added": game.added,
        "walks": game.walks,
        "settings": dict(game.settings),
        "game": json.loads(game.record.to_json()),
    }
