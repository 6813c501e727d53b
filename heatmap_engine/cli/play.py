"""`heatmap-engine play`: a game in the terminal against the engine."""

import io
import signal
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random

import chess
import click

from games.chess.record import GameRecord
from heatmap_engine.board.reading import as_board
from heatmap_engine.cli.common import given, require_a_move
from heatmap_engine.cli.heat_view import heat_console
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.mode_options import deep_limits, weights_option
from heatmap_engine.cli.opponents import Opponent, classic_opponent, deep_opponent, limited_opponent
from heatmap_engine.cli.table_options import table_options, table_to_read
from heatmap_engine.cli.terminal_game import TerminalGame, save
from heatmap_engine.deep.levels import elo_range, level_of
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.weights import DeepWeights, weights_of
from heatmap_engine.engines.base import TableEngine
from heatmap_engine.engines.classic import Engine, Limits
from heatmap_engine.engines.deep import DeepEngine
from heatmap_engine.engines.mode_names import MODES
from heatmap_engine.errors import AlreadyLearned, HeatmapError
from heatmap_engine.user_files import default_table_path

# What the deep search takes for a move where nothing else is said: people do not like to wait.
_SECONDS = 1.0


@click.command("play")
@click.option(
    "--colour",
    "--color",
    type=click.Choice(["white", "black", "random"]),
    default="white",
    show_default=True,
    help="The colour that you play.",
)
@click.option("--fen", default="startpos", metavar="FEN", help="The position to start from, quoted.")
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default="deep",
    show_default=True,
    help="The deep search, which plays far better, or the base one.",
)
@click.option(
    "--elo",
    type=click.IntRange(*elo_range()),
    metavar="N",
    help="How strong the engine plays, from {} to {}; as well as it can unless given.".format(*elo_range()),
)
@click.option(
    "--seconds",
    "--time",
    "seconds",
    type=float,
    metavar="S",
    help=f"How long the engine thinks: {_SECONDS:g}; in classic mode until its plies are searched.",
)
@click.option(
    "--plies",
    type=int,
    metavar="N",
    help="How deep the engine looks: no limit; in classic mode 2, or with --seconds no limit.",
)
@click.option(
    "--tactical",
    type=int,
    default=1,
    metavar="N",
    help="Classic mode: plies that checks and captures are followed beyond these, 1 unless given.",
)
@weights_option
@table_options
@click.option("--learn", is_flag=True, help="Record in the table, made if missing, and learn from the game.")
@click.option(
    "--pgn",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Append the game to this file when you leave.",
)
@click.option("--seed", type=int, metavar="N", help="Make the engine's choice among equal moves repeatable.")
def command(
    colour: str,
    fen: str,
    mode: str,
    elo: int | None,
    plies: int | None,
    tactical: int,
    seconds: float | None,
    weights: Path | None,
    table: Path | None,
    no_table: bool,
    learn: bool,
    pgn: Path | None,
    seed: int | None,
) -> None:
    """Play against the engine; `help` lists what you can type.

    Moves are SAN or UCI. A table is only read, unless --learn is given; then what the engine finds is
    recorded, and a finished game is learned from when you leave. Ctrl-C makes the engine move at once, and
    at your own move it leaves.

    \b
    Example:
      heatmap-engine play --elo 1200
      heatmap-engine play --colour black --seconds 2 --pgn games.pgn
    """
    _require_sense(mode)
    if learn and no_table:
        raise click.UsageError("--learn needs a table, and --no-table takes it away")
    random = Random(seed)
    board = as_board(fen).copy()
    require_a_move(board)
    source = _table_to_learn_into(table, mode) if learn else table_to_read(table, no_table, mode)
    record = "searched" if learn and elo is None else "off"
    _prepare_input()
    own = weights_of(weights)
    with _engine(mode, own, source, tactical, record, random, readonly=not learn) as engine:
        opponent = _opponent(engine, elo, plies, seconds, random)
        _say_who_plays(opponent, source, elo, learn)
        person = random.choice(chess.COLORS) if colour == "random" else colour == "white"
        game = TerminalGame(heat_console(), opponent, board, person)
        try:
            is_interrupted = _was_interrupted(game)
        finally:  # an error must not cost the game
            if pgn is not None and game.record().moves:
                save(game.record(), pgn)
        if learn:
            _learn(engine, game.record())
    if is_interrupted:
        sys.exit(130)


def _require_sense(mode: str) -> None:
    asked = given(click.get_current_context())
    if mode == "classic" and (wrong := sorted({"elo", "weights"} & asked)):
        raise click.UsageError(f"{', '.join(f'--{name}' for name in wrong)}: for the deep mode only")
    if mode == "deep" and "tactical" in asked:
        raise click.UsageError(
            "--tactical is for --mode classic: the deep search plays captures out by itself"
        )


def _engine(
    mode: str,
    weights: DeepWeights,
    source: Path | None,
    tactical: int,
    record: str,
    random: Random,
    *,
    readonly: bool,
) -> Engine | DeepEngine:
    if mode == "deep":
        return DeepEngine(source, weights=weights, record=record, readonly=readonly, report=warn)
    return Engine(
        source, tactical_plies=tactical, record=record, random=random, readonly=readonly, report=warn
    )


def _opponent(
    engine: Engine | DeepEngine, elo: int | None, plies: int | None, seconds: float | None, random: Random
) -> Opponent:
    if isinstance(engine, Engine):
        return classic_opponent(engine, Limits(plies=plies, seconds=seconds))
    if seconds is None and plies is None:
        seconds = _SECONDS
    limits = deep_limits(plies, None, seconds)
    if elo is None:
        return deep_opponent(engine, limits)
    search = LimitedSearch(engine.settings.weights, level_of(elo), random)
    return limited_opponent(search, limits, engine.settings.weights)


def _say_who_plays(opponent: Opponent, source: Path | None, elo: int | None, learn: bool) -> None:
    click.echo(f"You play {opponent.description}")
    if source is not None and (learn or elo is None):  # a level knows no table
        click.echo(f"The engine {'learns into' if learn else 'reads'} {source}")


def _table_to_learn_into(table: Path | None, mode: str) -> Path:
    if table is None:
        table = default_table_path(mode)
        table.parent.mkdir(parents=True, exist_ok=True)
    return table


def _prepare_input() -> None:
    if sys.stdin is None:
        raise HeatmapError("expected moves on standard input, which is closed")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no move, and not the end
    if sys.stdin.isatty() and find_spec("readline"):
        import_module("readline")  # lets input() edit the line and go back to earlier ones


def _was_interrupted(game: TerminalGame) -> bool:
    try:
        game.play()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cost the game
        click.echo()
        return True
    return False


def _learn(engine: TableEngine, record: GameRecord) -> None:
    if record.result == "*" or not record.moves:
        click.echo("The game is not over, or has no moves: nothing was learned from it")
        return
    try:
        learned = engine.learn_game(record)
    except AlreadyLearned:
        click.echo("The table has learned from this very game before")
    else:
        click.echo(f"Learned from the game: {learned.entries:,} entries recorded")
