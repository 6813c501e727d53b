"""`heatmap-engine match`: two sides against each other, and what the games say of their strength."""

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from random import SystemRandom

import click

from heatmap_engine.board.tablebases import Tablebases
from heatmap_engine.cli.common import every_option, given, require_nothing_else
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.long_task import advised, all_cores, stoppable
from heatmap_engine.cli.match_sides import OWN, UNTRAINED, folders, require_own_table, sides
from heatmap_engine.cli.match_view import described, followed
from heatmap_engine.cli.mode_options import mode_option
from heatmap_engine.errors import HeatmapError
from heatmap_engine.learning.game_loop import Adjudication, Ends
from heatmap_engine.match.folder import MatchFolder
from heatmap_engine.match.plan import PARTS, MatchPlan, openings_named
from heatmap_engine.match.playing import play_match, require_playable
from heatmap_engine.match.sprt import Sprt
from heatmap_engine.match.standing import MatchStanding
from heatmap_engine.start import STOPPED
from heatmap_engine.user_files import dated_folder, matches_path

_GAMES = 200
_MOST_GAMES_OF_SPRT = 40_000
# What a resumed match may be given; all else was decided when it began.
_OF_A_SESSION = {"resume", "games", "workers", "every", "as_json"}


@click.command("match")
@click.option(
    "--first", default=OWN, show_default=True, metavar="SIDE", help="The side whose results are shown."
)
@click.option("--second", default=UNTRAINED, show_default=True, metavar="SIDE", help="The other side.")
@click.option("--engine", metavar="CMD", help="A UCI engine as the second side, short for engine=CMD.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="A UCI option of --engine. May be repeated.",
)
@click.option(
    "--games",
    type=click.IntRange(2),
    metavar="N",
    help=f"How many games to play, an even number: {_GAMES}, or with --sprt at most {_MOST_GAMES_OF_SPRT}.",
)
@click.option(
    "--sprt",
    metavar="ELO0:ELO1",
    help="Stop as soon as a sequential test decides between two Elo differences.",
)
@click.option(
    "--alpha", default=0.05, show_default=True, metavar="P", help="How often --sprt may accept ELO1 wrongly."
)
@click.option(
    "--beta", default=0.05, show_default=True, metavar="P", help="How often --sprt may accept ELO0 wrongly."
)
@click.option(
    "--openings",
    default=PARTS[0],
    show_default=True,
    metavar="WHICH",
    help="The opening book: all, training or held-out of our own suite, the starts of chess960, or a PGN or "
    "EPD file.",
)
@mode_option
@click.option("--depth", type=int, metavar="N", help="Search depth of both sides.")
@click.option(
    "--plies",
    type=int,
    metavar="N",
    help="Search depth of both sides; our engine then plays in classic mode, unless --mode says otherwise.",
)
@click.option("--tc", metavar="TC", help="A clock for both sides, in seconds: 8+0.08 or 40/60+0.5.")
@click.option("--movetime", type=int, metavar="MS", help="Time for each move of both sides, in ms.")
@click.option("--nodes", type=int, metavar="N", help="Nodes for each move of both sides.")
@click.option(
    "--margin",
    default=50.0,
    show_default=True,
    metavar="MS",
    help="Grace before a side loses on time, in ms.",
)
@click.option(
    "--max-plies", default=300, show_default=True, metavar="N", help="A game of so many plies is a draw."
)
@click.option(
    "--adjudicate", is_flag=True, help="End a game early when both sides agree that it is won, or level."
)
@click.option(
    "--won",
    default="800:6",
    show_default=True,
    metavar="CP:PLIES",
    help="--adjudicate: a win at so many centipawns for so many plies in a row.",
)
@click.option(
    "--drawn",
    default="10:12:80",
    show_default=True,
    metavar="CP:PLIES:FROM",
    help="--adjudicate: a draw within so many centipawns for so many plies, after ply FROM of the game.",
)
@click.option(
    "--syzygy",
    default="",
    metavar="PATHS",
    help="End a game as soon as the endgame tables in these folders know its result.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="W",
    help="How many games are played at the same time. Without it, one for each core.",
)
@click.option(
    "--seed", type=int, metavar="S", help="Makes the order of openings, and choices among equals, repeatable."
)
@click.option(
    "--dir",
    "path",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the match. Without it, a new one named by date.",
)
@click.option("--resume", type=click.Path(path_type=Path), metavar="DIR", help="Go on with a match.")
@every_option
@click.option("--json", "as_json", is_flag=True, help="Print lines of JSON instead of text.")
@click.pass_context
def command(
    context: click.Context,
    first: str,
    second: str,
    engine: str | None,
    options: tuple[str, ...],
    games: int | None,
    sprt: str | None,
    alpha: float,
    beta: float,
    openings: str,
    mode: str | None,
    depth: int | None,
    plies: int | None,
    tc: str | None,
    movetime: int | None,
    nodes: int | None,
    margin: float,
    max_plies: int,
    adjudicate: bool,
    won: str,
    drawn: str,
    syzygy: str,
    workers: int | None,
    seed: int | None,
    path: Path | None,
    resume: Path | None,
    every: int,
    as_json: bool,
) -> None:
    """Play two sides against each other and say which is stronger, and how certain that is.

    Each opening is played twice, with colours swapped. A SIDE is one quoted text of words. Its player is
    "untrained", "table=FILE", "table=own", "engine=CMD" or "xboard=CMD"; without any of these, untrained.
    Every side may have name=, tc=, movetime=, nodes=, depth= or plies=. Other engines may have
    option.NAME=VALUE. Ours may have mode=, weights=, hash=, threads=, syzygy=, tactical=, heat-depth= and
    learn. A named table decides the mode of its side. Tables are only read unless the side has learn. Ctrl-C
    finishes the games that are running and says how to go on.

    \b
    Examples:
      heatmap-engine match --first table=night.table --games 400
      heatmap-engine match --first "untrained weights=mine.json" --nodes 5000 --sprt 0:20
      heatmap-engine match --first "mode=classic plies=3" --second "mode=classic untrained"
      heatmap-engine match --engine stockfish --option UCI_LimitStrength=true --tc 8+0.08
    """
    if resume is not None:
        require_nothing_else(context, _OF_A_SESSION)
        folder = MatchFolder.open(resume)
        if games is not None:
            folder.change(replace(folder.plan, games=games))
    else:
        if engine is not None:
            _require_no_second(context)
            second = " ".join(map(shlex.quote, (f"engine={engine}", *(f"option.{text}" for text in options))))
        elif options:
            raise click.UsageError("--option is for --engine")
        limits = {"tc": tc, "movetime": movetime, "nodes": nodes, "depth": depth, "plies": plies}
        one, other = sides(first, second, {**limits, "mode": mode})
        plan = MatchPlan(
            one,
            other,
            games or (_GAMES if sprt is None else _MOST_GAMES_OF_SPRT),
            None if sprt is None else _sprt(sprt, alpha, beta),
            openings,
            tuple(openings_named(openings)),
            Ends(max_plies, _adjudication(won, drawn) if adjudicate else None, folders(syzygy)),
            margin,
            SystemRandom().randrange(2**31) if seed is None else seed,
        )
        for side in plan.sides:
            require_own_table(side)
            require_playable(side, chess960=plan.is_chess960)
        if syzygy:
            Tablebases.open(syzygy).close()
        folder = MatchFolder.create(path or dated_folder(matches_path()), plan)
    _play(folder, workers or (1 if folder.plan.learns else all_cores()), every, as_json)


def _require_no_second(context: click.Context) -> None:
    if "second" in given(context):
        raise click.UsageError("--engine names the second side, and so does --second: give one of them")


def _numbers(option: str, text: str, count: int) -> tuple[float, ...]:
    """So many numbers with colons between."""
    try:
        numbers = tuple(float(part) for part in text.split(":"))
    except ValueError:
        numbers = ()
    if len(numbers) != count:
        raise click.UsageError(f"{option} expects {count} numbers with colons between, got {text!r}")
    return numbers


def _sprt(bounds: str, alpha: float, beta: float) -> Sprt:
    elo0, elo1 = _numbers("--sprt", bounds, 2)
    return Sprt(elo0, elo1, alpha, beta)


def _adjudication(won: str, drawn: str) -> Adjudication:
    won_score, won_plies = _numbers("--won", won, 2)
    drawn_score, drawn_plies, drawn_from = _numbers("--drawn", drawn, 3)
    return Adjudication(won_score, int(won_plies), drawn_score, int(drawn_plies), int(drawn_from))


def _play(folder: MatchFolder, workers: int, every: int, as_json: bool) -> None:
    plan = folder.plan
    how_to_go_on = f"go on with: heatmap-engine match --resume {shlex.quote(str(folder.path))}"
    with (
        stoppable(how_to_go_on) as should_stop,
        advised(how_to_go_on),
        followed(plan, every, as_json, should_stop) as when_done,
    ):
        standing = play_match(folder, workers, when_done=when_done, report=warn, should_stop=should_stop)
        is_stopped = should_stop() and not standing.is_over
    _show(folder, standing, as_json)
    if standing.is_over:
        return
    if not as_json:
        click.echo(how_to_go_on)
    if is_stopped:
        sys.exit(STOPPED)
    raise HeatmapError(f"games were given up, so that the match is not over; {how_to_go_on}")


def _show(folder: MatchFolder, standing: MatchStanding, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({**standing.as_json(), "folder": str(folder.path)}))
        return
    click.echo("\n".join(described(folder.plan, standing)))
    for warning in standing.warnings():
        click.echo(f"note: {warning}")
    click.echo(f"games and results are in {folder.path}")
