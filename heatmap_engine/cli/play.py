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

from games.record import GameRecord
from heatmap_engine.cli.asking import asking_options, require_a_move, table_to_read, warn
from heatmap_engine.cli.heat_view import heat_console
from heatmap_engine.cli.sitting import Sitting, save
from heatmap_engine.engine import Engine, Limits
from heatmap_engine.errors import AlreadyLearned, HeatmapError
from heatmap_engine.places import default_table_path
from heatmap_engine.positions import as_board


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
@asking_options
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
    plies: int | None,
    tactical: int,
    seconds: float | None,
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
      heatmap-engine play --colour black --seconds 2 --pgn games.pgn
    """
    if learn and no_table:
        raise click.UsageError("--learn needs a table, and --no-table takes it away")
    random = Random(seed)
    board = as_board(fen).copy()
    require_a_move(board)
    source = _table_to_learn_into(table) if learn else table_to_read(table, no_table)
    limits = Limits(plies=plies, seconds=seconds)
    _prepare_input()
    with Engine(
        source,
        tactical_plies=tactical,
        record="searched" if learn else "off",
        random=random,
        readonly=not learn,
        report=warn,
    ) as engine:
        if source is not None:
            click.echo(f"The engine {'learns into' if learn else 'reads'} {source}")
        person = random.choice(chess.COLORS) if colour == "random" else colour == "white"
        sitting = Sitting(heat_console(), engine, board, person, limits)
        try:
            is_interrupted = _was_interrupted(sitting)
        finally:  # an error must not cost the game
            if pgn is not None and sitting.record().moves:
                save(sitting.record(), pgn)
        if learn:
            _learn(engine, sitting.record())
    if is_interrupted:
        sys.exit(130)


def _table_to_learn_into(table: Path | None) -> Path:
    if table is None:
        table = default_table_path()
        table.parent.mkdir(parents=True, exist_ok=True)
    return table


def _prepare_input() -> None:
    if sys.stdin is None:
        raise HeatmapError("expected moves on standard input, which is closed")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no move, and not the end
    if sys.stdin.isatty() and find_spec("readline"):
        import_module("readline")  # lets input() edit the line and go back to earlier ones


def _was_interrupted(sitting: Sitting) -> bool:
    try:
        sitting.play()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cost the game
        click.echo()
        return True
    return False


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
