"""`heatmap-engine play`: a game in the terminal against the engine."""

import io
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random

import chess
import click

from games.chess.errors import GamesError
from games.chess.record import GameRecord
from heatmap_engine.board.reading import as_board
from heatmap_engine.cli.common import require_a_move
from heatmap_engine.cli.heat_view import heat_console
from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.mode_options import (
    chosen_mode,
    limits_of,
    mode_option,
    plies_option,
    settings_of,
    syzygy_option,
    tactical_option,
    weights_option,
)
from heatmap_engine.cli.opponents import TerminalOpponent
from heatmap_engine.cli.table_options import table_options, table_to_read, table_to_write
from heatmap_engine.cli.terminal_game import TerminalGame, save
from heatmap_engine.deep.levels import elo_range
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import Mode
from heatmap_engine.engines.opponents import full_opponent, limited_opponent
from heatmap_engine.errors import AlreadyLearned, HeatmapError
from heatmap_engine.limits import Limits
from heatmap_engine.user_files import played_games_path

# How long the engine thinks where nothing ends its search: people do not like to wait.
_SECONDS = 1.0
_STARTS = 960  # of Chess960


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
    "--chess960",
    is_flag=False,
    flag_value="any",
    metavar="[N]",
    callback=lambda context, option, text: _start_number(text),
    help="Play Chess960 from start N, from 0 to 959, or from any. 518 is the usual start.",
)
@mode_option
@click.option(
    "--elo",
    type=click.IntRange(*elo_range()),
    metavar="N",
    help="How strong the engine plays, from {} to {}. Without it, at full strength.".format(*elo_range()),
)
@click.option(
    "--seconds",
    "--time",
    "seconds",
    type=float,
    metavar="S",
    help=f"How long the engine thinks about a move. In deep mode {_SECONDS:g} without another limit.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="N",
    help="How many plies deep the engine searches, however long it takes.",
)
@click.option("--nodes", type=click.IntRange(1), metavar="N", help="How many nodes the engine searches.")
@plies_option
@tactical_option
@weights_option
@syzygy_option
@table_options
@click.option(
    "--learn", is_flag=True, help="Record in the table and learn from the game. A missing table is made."
)
@click.option(
    "--pgn",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Append the game to this file when you leave.",
)
@click.option("--seed", type=int, metavar="N", help="Make the engine's choice among equal moves repeatable.")
@click.pass_context
def command(
    context: click.Context,
    colour: str,
    fen: str,
    chess960: int | None,
    mode: str | None,
    elo: int | None,
    seconds: float | None,
    depth: int | None,
    nodes: int | None,
    plies: int | None,
    tactical: int | None,
    weights: Path | None,
    syzygy: str | None,
    table: Path | None,
    no_table: bool,
    learn: bool,
    pgn: Path | None,
    seed: int | None,
) -> None:
    """Play against the engine. Type `help` during the game for a list of commands.

    Moves are SAN or UCI; in Chess960, UCI names castling as king takes rook. A table is only read unless
    --learn is given. With --learn the engine records what it finds, and learns from a finished game when you
    leave. Ctrl-C while the engine thinks makes it move at once. Ctrl-C at your own move leaves the game,
    which is kept, and says where.

    \b
    Examples:
      heatmap-engine play --elo 1200
      heatmap-engine play --colour black --seconds 2 --pgn games.pgn
    """
    if learn and no_table:
        raise click.UsageError("--learn needs a table, and --no-table takes it away")
    if chess960 is not None and fen != "startpos":
        raise click.UsageError("--fen and --chess960 both say where to start; give one of them")
    chosen = chosen_mode(context, table)
    limits = _limits(chosen, limits_of(depth, nodes, seconds, plies))
    settings = settings_of(chosen, weights=weights, tactical=tactical, syzygy=syzygy)
    random = Random(seed)
    board = as_board(fen).copy() if chess960 is None else _chess960_start(chess960, random)
    require_a_move(board)
    source = table_to_write(table, chosen) if learn else table_to_read(table, no_table, chosen)
    record = None if learn and elo is None else "off"
    _prepare_input()
    with Engine(
        source, settings=settings, record=record, random=random, readonly=not learn, report=warn
    ) as engine:
        opponent = _opponent(engine, elo, limits, random)
        _say_who_plays(opponent, engine.caution, source, elo, learn)
        person = random.choice(chess.COLORS) if colour == "random" else colour == "white"
        game = TerminalGame(heat_console(), opponent, board, person, pauses=sys.stdin.isatty())
        is_left = False
        try:
            is_left = _was_left(game)
        finally:  # Ctrl-C and errors must not cost the game
            if pgn is not None or not is_left:
                _keep(game, pgn)
        if learn:
            _learn(engine, game.record())
    if not is_left:
        sys.exit(130)


_ANY_START = -1


def _start_number(text: str | None) -> int | None:
    """The number of a start of Chess960; raises BadParameter."""
    if text is None:
        return None
    if text == "any":
        return _ANY_START
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and int(text) < _STARTS):
        raise click.BadParameter(f"expected a start from 0 to {_STARTS - 1}, or nothing, got {text!r:.40}")
    return int(text)


def _chess960_start(number: int, random: Random) -> chess.Board:
    number = random.randrange(_STARTS) if number == _ANY_START else number
    click.echo(f"Chess960, start {number}")
    return chess.Board.from_chess960_pos(number)


def _limits(mode: Mode, given: Limits) -> Limits:
    """The limits that were given; without any, a time where the depth is not the mode's own limit."""
    return Limits(seconds=_SECONDS) if given == Limits() and mode.plays_by_nodes else given


def _opponent(engine: Engine, elo: int | None, limits: Limits, random: Random) -> TerminalOpponent:
    opponent = full_opponent(engine) if elo is None else limited_opponent(engine, elo, random)
    return TerminalOpponent(opponent, engine, limits)


def _say_who_plays(
    opponent: TerminalOpponent, caution: str, source: Path | None, elo: int | None, learn: bool
) -> None:
    click.echo(f"You play against the engine {opponent.description}")
    if caution:
        click.echo(caution)
    if source is not None and (learn or elo is None):  # a level knows no table
        click.echo(f"The engine {'learns into' if learn else 'reads'} {source}")


def _prepare_input() -> None:
    if sys.stdin is None:
        raise HeatmapError("expected moves on standard input, which is closed")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no move, and not the end
    if sys.stdin.isatty() and find_spec("readline"):
        import_module("readline")  # lets input() edit the line and go back to earlier ones


def _was_left(game: TerminalGame) -> bool:
    """Play; whether the person left with a word, or with the end of the input, and not by Ctrl-C."""
    try:
        game.play()
    except KeyboardInterrupt:
        with suppress(OSError):  # of a terminal that was closed
            click.echo()
        return False
    return True


def _keep(game: TerminalGame, pgn: Path | None) -> None:
    """Append the game to the file that was named, else to that of games left by Ctrl-C or by an error."""
    record, saved = game.record(), game.is_saved_in()
    if not record.moves:
        return
    if saved is not None and pgn is None:
        click.echo(f"the game is in {saved}")
        return
    path = played_games_path() if pgn is None else pgn
    try:
        if pgn is None:
            path.parent.mkdir(parents=True, exist_ok=True)
        save(record, path)
    except (GamesError, OSError):
        click.echo(f"the game could not be written to {path}; here it is:\n\n{record.to_pgn()}")
        raise


def _learn(engine: Engine, record: GameRecord) -> None:
    if record.result == "*" or not record.moves:
        click.echo("The game is not over, or has no moves: nothing was learned from it")
        return
    try:
        learned = engine.learn_game(record)
    except AlreadyLearned:
        click.echo("The table has learned from this very game before")
    else:
        click.echo(f"Learned from the game: {learned.entries:,} entries recorded")
