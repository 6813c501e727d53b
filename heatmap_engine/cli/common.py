"""What the commands share: positions from arguments or from standard input, one answer for each."""

import json
import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import chess
import click

from heatmap_engine.board.ends import how_it_ended
from heatmap_engine.errors import GameOver, HeatmapError

Command = TypeVar("Command", bound=Callable[..., Any])

FROM_STDIN = ("-",)

# A move of SAN or UCI, or its number.
_MOVE = re.compile(
    r"\d+\.+|(\d+\.+)?([KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBN])?|[O0]-[O0](-[O0])?)[+#!?]*", re.IGNORECASE
)


class CommandWithMoves(click.Command):
    """Lets `--moves` take all words up to the next option, which click has no way to say."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--moves" in args:
            first = args.index("--moves") + 1
            end = next((i for i in range(first, len(args)) if args[i].startswith("-")), len(args))
            args = [*args[:first], " ".join(args[first:end]), *args[end:]]
        return super().parse_args(ctx, args)


def fen_argument(command: Command) -> Command:
    """A FEN, quoted or as bare words; nothing means the start position, `-` one FEN per line of stdin."""
    return click.argument("fen", nargs=-1)(command)


def moves_option(command: Command) -> Command:
    """The moves of a `CommandWithMoves`, as one text."""
    return click.option(
        "--moves",
        default="",
        metavar="MOVE…",
        help="Moves to play first, SAN or UCI. The next option ends them.",
    )(command)


def depth_option(command: Command) -> Command:
    return click.option(
        "--depth", default=1, show_default=True, metavar="N", help="Plies of further moves to count."
    )(command)


def schema_option(schema: Callable[[], object]) -> Callable[[Command], Command]:
    """`--schema`, which prints the JSON Schema of `--json` and does nothing else."""

    def print_schema(context: click.Context, _option: click.Parameter, is_wanted: bool) -> None:
        if is_wanted:
            click.echo(json.dumps(schema(), indent=2, ensure_ascii=False))
            context.exit()

    return click.option(
        "--schema",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=print_schema,
        help="Print the JSON Schema of --json and exit.",
    )


def every_option(command: Command) -> Command:
    return click.option(
        "--every",
        default=10,
        show_default=True,
        type=click.IntRange(1),
        metavar="N",
        help="When piped, print a line every N games.",
    )(command)


def weights_option(command: Command) -> Command:
    return click.option(
        "--weights",
        "preset",
        type=click.Choice(["cmhm2", "cmhm2-static"]),
        default="cmhm2",
        show_default=True,
        help="The preset of weights to score with.",
    )(command)


def _with_ray(_context: click.Context, _option: click.Parameter, address: str | None) -> str | None:
    """Ray's absence is told before a table or a folder is made for nothing."""
    if address is not None:
        import heatmap_engine.cluster.quiet_ray  # noqa: F401 # says so where Ray is missing
    return address


def cluster_option(command: Command) -> Command:
    return click.option(
        "--cluster",
        callback=_with_ray,
        metavar="auto|HOST:PORT|ray://HOST:PORT",
        help="Use a Ray cluster; see docs/guide/8-cluster.md.",
    )(command)


def given(context: click.Context) -> set[str | None]:
    """The names of the parameters that stand on the command line."""
    default = click.core.ParameterSource.DEFAULT
    return {name for name in context.params if context.get_parameter_source(name) is not default}


def require_nothing_else(context: click.Context, allowed: set[str]) -> None:
    """What is resumed is what was begun; any other option beside --resume would be passed over: a mistake."""
    others = given(context) - allowed
    if names := sorted(option.opts[0] for option in context.command.params if option.name in others):
        raise click.UsageError(
            f"--resume goes on with the settings of the beginning and cannot be given with {', '.join(names)}"
        )


def require_a_move(board: chess.Board) -> None:
    if not any(board.generate_legal_moves()):
        raise GameOver(f"the game is over, there is no move to find: {how_it_ended(board)} ({board.fen()})")


def fen_text(words: tuple[str, ...], *, before: str = "") -> str:
    """The FEN of these words. Moves in its place are a mistake; `before` are the words left of `--moves`."""
    text = " ".join(words)
    if words and all(map(_MOVE.fullmatch, text.split())):
        how = " ".join(filter(None, (click.get_current_context().command_path, before)))
        raise click.UsageError(
            f"expected a FEN, got {text!r:.80}; moves follow --moves, as in: {how} --moves {text:.80}"
        )
    return text or "startpos"


def named_position(board: chess.Board) -> str:
    """The FEN, and that it was taken for one of Chess960: castling rights alone decide that."""
    return f"{board.fen()} (Chess960)" if board.chess960 else board.fen()


def answer_lines(
    answer: Callable[[str], str], answer_bad: Callable[[str, HeatmapError], str] | None = None
) -> None:
    """Answer each line of standard input with one line; bad lines go to stderr and make the exit code 1.

    `answer_bad` gives a bad line an answer as well.
    """
    if sys.stdin is None:
        raise HeatmapError("expected one FEN per line on standard input, which is closed")
    failed = False
    for number, line in enumerate(sys.stdin.buffer, start=1):
        # Bytes that are not UTF-8 make a bad FEN, not the end of the run.
        text = line.decode(errors="replace").strip()
        try:
            click.echo(answer(text))
        except HeatmapError as error:
            if answer_bad is not None:
                click.echo(answer_bad(text, error))
            click.echo(f"heatmap-engine: line {number}: {error}", err=True)
            failed = True
    if failed:
        sys.exit(1)
