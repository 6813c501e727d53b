"""What the commands that ask the engine share: options, the table to read, and Ctrl-C as "say it now"."""

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeVar

import chess
import click

from heatmap_engine.board.ends import how_it_ended
from heatmap_engine.engines.classic import Engine, Limits, Pick
from heatmap_engine.errors import GameOver, HeatmapError
from heatmap_engine.user_files import default_table_path
from qtable import QTable
from qtable.errors import TableError

Command = TypeVar("Command", bound=Callable[..., Any])
Answer = TypeVar("Answer")

# After so long on a terminal it is said that the engine thinks, and how to stop it.
_PATIENCE_S = 1.0

seconds_option = click.option(
    "--seconds",
    "--time",
    "seconds",
    type=float,
    metavar="S",
    help="Look deeper until so much time has passed.",
)

_OPTIONS = (
    click.option(
        "--plies",
        type=int,
        metavar="N",
        help="Full-width plies to look ahead: 2, or with --seconds no limit.",
    ),
    click.option(
        "--tactical",
        type=int,
        default=1,
        show_default=True,
        metavar="N",
        help="Plies that checks and captures are followed beyond these.",
    ),
    seconds_option,
)

_TABLE_OPTIONS = (
    click.option(
        "--table",
        type=click.Path(path_type=Path),
        metavar="T",
        help="The table to take values from, instead of your own.",
    ),
    click.option("--no-table", is_flag=True, help="Take no values from any table, not even from your own."),
)


def asking_options(command: Command) -> Command:
    return _with_options(table_options(command), _OPTIONS)


def table_options(command: Command) -> Command:
    return _with_options(command, _TABLE_OPTIONS)


def _with_options(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def table_to_read(table: Path | None, no_table: bool, mode: str = "classic") -> Path | None:
    """The table that was named, or the user's own if it is there."""
    if no_table:
        if table is not None:
            raise click.UsageError("--table and --no-table contradict each other")
        return None
    if table is not None:
        return table
    own = default_table_path(mode)
    if not _is_there(own):
        return None
    try:
        with QTable(own, readonly=True):
            return own
    except TableError as error:
        # Nobody named this table, so nobody expects it to be in the way.
        raise HeatmapError(f"{error}; with --no-table it is not asked") from error


def _is_there(path: Path) -> bool:
    """Whether there is a table; a file of zero bytes was only about to become one."""
    return path.exists() and path.stat().st_size > 0


def own_table(mode: str = "classic") -> Path:
    """The user's own table, which must be there."""
    path = default_table_path(mode)
    if not _is_there(path):
        raise HeatmapError(f"there is no table yet at {path}, and no other one was named")
    return path


def warn(message: str) -> None:
    """What an engine reports, on stderr."""
    click.echo(f"heatmap-engine: {message}", err=True)


def pick_now_or_on_ctrl_c(engine: Engine, board: chess.Board, limits: Limits) -> Pick:
    """The engine's pick; Ctrl-C makes it answer with what it has found so far."""
    return now_or_on_ctrl_c(lambda: engine.pick_move(board, limits), engine.stop)


def now_or_on_ctrl_c(ask: Callable[[], Answer], stop: Callable[[], None]) -> Answer:
    """The answer; Ctrl-C calls `stop`, which makes it come with what was found so far.

    It is asked in a thread of its own: a signal's handler must not stop a search in the thread that searches.
    """
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask)
        while True:
            try:
                _say_if_it_takes_long(answer)
                return answer.result()
            except KeyboardInterrupt:
                stop()


def _say_if_it_takes_long(answer: Future[Any]) -> None:
    if sys.stderr.isatty() and not wait([answer], _PATIENCE_S).done:
        click.echo("thinking; Ctrl-C answers at once", err=True)


def require_a_move(board: chess.Board) -> None:
    if not any(board.generate_legal_moves()):
        raise GameOver(f"the game is over, there is no move to find: {how_it_ended(board)} ({board.fen()})")
