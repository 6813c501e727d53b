"""What the commands share: the board, the rules, and the pieces that are seen."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from games.perfect_clear.board import parse_board
from games.perfect_clear.rules import Rules
from games.tetrominoes.bags import GENERATORS, Generator
from games.tetrominoes.kicks import KICK_TABLES
from heatmap_engine.errors import HeatmapError

Command = TypeVar("Command", bound=Callable[..., object])

# More bytes are no board.
_LARGEST_FILE = 10_000

_RULES = (
    click.option(
        "--kicks",
        type=click.Choice(list(KICK_TABLES)),
        default="srs",
        show_default=True,
        help="How pieces turn where there is no room; srs+ also has half turns.",
    ),
    click.option("--no-soft-drop", is_flag=True, help="Allow no slow drops: pieces fall from above only."),
    click.option("--no-hold", is_flag=True, help="Allow no hold."),
)
_BOARD = (
    click.argument("rows", nargs=-1),
    click.option(
        "--board",
        "board_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A board from a file; - reads it from standard input.",
    ),
    click.option("--fumen", metavar="CODE", help="A board as a fumen code. Needs the extra `fumen`."),
    click.option("--lines", type=int, metavar="N", help="Clear exactly so many lines, 1 to 6."),
)


def _with(options: tuple[Callable[[Any], Any], ...]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


rules_options = _with(_RULES)
board_options = _with(_BOARD)


def bag_option(command: Command) -> Command:
    return click.option(
        "--bag",
        type=click.Choice(list(GENERATORS)),
        default="7-bag",
        show_default=True,
        help="Where the pieces come from that are not seen yet.",
    )(command)


def seen_option(command: Command) -> Command:
    return click.option(
        "--seen",
        default="",
        metavar="PIECES",
        help="The pieces before QUEUE, the first of which began a bag. Without it, QUEUE begins one.",
    )(command)


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def rules_of(kicks: str, no_soft_drop: bool, no_hold: bool) -> Rules:
    return Rules(kicks, soft_drop=not no_soft_drop, hold=not no_hold)


def generator_of(bag: str) -> Generator:
    return GENERATORS[bag]


def board_of(rows: tuple[str, ...], board_file: Path | None, fumen: str | None) -> int:
    """The board of whichever of the three was given; else an empty one."""
    if sum((bool(rows), board_file is not None, fumen is not None)) > 1:
        raise click.UsageError("expected a board as rows, with --board or with --fumen, got more than one")
    if fumen is not None:
        from games.perfect_clear.fumen import read_board

        return read_board(fumen)
    if board_file is not None:
        return parse_board(_read(board_file))
    return parse_board("\n".join(rows))


def _read(path: Path) -> str:
    if str(path) == "-":
        text = sys.stdin.read(_LARGEST_FILE + 1) if sys.stdin is not None else ""
    else:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(_LARGEST_FILE + 1)
    if len(text) > _LARGEST_FILE:
        raise HeatmapError(
            f"expected a board of at most six rows in {path}, got more than {_LARGEST_FILE:,} bytes"
        )
    return text
