"""`heatmap-engine annotate`: games from a PGN file with evaluations, marks, better lines and accuracies."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from threading import Event

import chess
import chess.pgn
import click

from games.chess.annotations import GameTree, OtherGame, as_pgn, read_trees
from games.chess.errors import SkipReason, UnreadableFile
from heatmap_engine.cli.common import schema_option
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c, warn
from heatmap_engine.cli.long_task import Draw, progress_bar
from heatmap_engine.cli.mode_options import (
    chosen_mode,
    limits_of,
    mode_option,
    plies_option,
    settings_of,
    tactical_option,
    weights_option,
)
from heatmap_engine.cli.table_options import table_options, table_to_read
from heatmap_engine.engines.engine import Engine
from heatmap_engine.errors import HeatmapError
from heatmap_engine.limits import Limits
from heatmap_engine.reports.annotated_pgn import write_into
from heatmap_engine.reports.annotation import Annotation
from heatmap_engine.reports.annotation_data import annotation_as_data, annotation_schema
from heatmap_engine.reports.words import side_name
from heatmap_engine.start import STOPPED
from qtable.drafts import draft_of
from qtable.file import require_absent

Write = Callable[[bytes], object]


@click.command("annotate")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The PGN file to make, instead of standard output.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that is already there.")
@mode_option
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Search each position so deep.")
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="How many nodes to search at each position. Without another limit 100,000.",
)
@click.option(
    "--seconds",
    "--time",
    "seconds",
    type=float,
    metavar="S",
    help="How many seconds to search each position.",
)
@weights_option
@plies_option
@tactical_option
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each game.")
@schema_option(annotation_schema)
@click.pass_context
def command(
    context: click.Context,
    file: str,
    output: Path | None,
    force: bool,
    mode: str | None,
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    weights: Path | None,
    plies: int | None,
    tactical: int | None,
    table: Path | None,
    no_table: bool,
    as_json: bool,
) -> None:
    """Annotate the games of a PGN file: evaluations, marks for mistakes, better lines, accuracy, opening.

    FILE may be plain or compressed, or - for standard input. Each position is searched with 100,000 nodes if
    no other limit is given, and values of your own table of the mode are used if there is one; nothing is
    recorded. What is written in the games stays: comments, variations, marks and names. Evaluations, and what
    an earlier `annotate` wrote, are replaced.

    A line about each game goes to standard error. Ctrl-C writes what is done so far.

    \b
    Examples:
      heatmap-engine annotate game.pgn -o annotated.pgn
      heatmap-engine annotate game.pgn --seconds 1 | less
      heatmap-engine annotate game.pgn --json
    """
    chosen = chosen_mode(context, table)
    limits = limits_of(depth, nodes, seconds, plies)
    if output is not None:
        _require_writable(output, force, None if file == "-" else Path(file))
    with Engine(
        table_to_read(table, no_table, chosen),
        settings=settings_of(chosen, weights=weights, tactical=tactical),
        record="off",
        readonly=True,
        report=warn,
    ) as engine:
        work = _Work(engine, limits, file)
        with _outputs(output, force, as_json) as (write_pgn, write_json):
            with progress_bar("annotating", "moves") as draw:
                now_or_on_ctrl_c(
                    lambda: work.annotate(draw, write_pgn, write_json), work.stop, shows_progress=True
                )
            work.require_a_game()
    if work.is_stopped:
        click.echo(f"stopped: {work.how_far}", err=True)
        sys.exit(STOPPED)
    if work.trouble is not None:
        raise work.trouble
    if work.is_any_broken:
        sys.exit(1)


def _require_writable(output: Path, force: bool, source: Path | None) -> None:
    if output.is_file() and not force:
        raise HeatmapError(f"{output} is already there and was left alone; --force overwrites it")
    require_absent(output, force, source)


@contextmanager
def _outputs(output: Path | None, force: bool, as_json: bool) -> Iterator[tuple[Write, Write]]:
    """Where PGN goes and where JSON goes: with an output both are wanted, else only one of them."""

    def drop(_text: bytes) -> None:
        return None

    with _standard_output() as write:
        write_json: Write = write if as_json else drop
        if output is None:
            yield drop if as_json else write, write_json
            return
        with draft_of(output, overwrite=force) as draft, draft.open("wb") as file:
            yield file.write, write_json


@contextmanager
def _standard_output() -> Iterator[Write]:
    """Bytes to standard output: at once, but to a terminal only at the end, because a bar is drawn there."""
    stream = sys.stdout  # while a bar is drawn, what is called so draws above the bar

    def write(text: bytes) -> None:
        click.echo(text, file=stream, nl=False)

    if stream is None or not stream.isatty():
        yield write
        return
    waiting: list[bytes] = []
    yield waiting.append
    write(b"".join(waiting))


@dataclass(slots=True)
class _Work:
    """The games of one file, annotated one after the other, and what became of them."""

    engine: Engine
    limits: Limits
    file: str
    is_stopped: bool = False
    is_any_broken: bool = False
    trouble: UnreadableFile | None = None
    how_far: str = "no game was begun"
    _games: int = 0
    _moves_before: int = 0
    _stop: Event = field(default_factory=Event)

    def stop(self) -> None:
        self._stop.set()
        self.engine.stop()

    def require_a_game(self) -> None:
        """Raise an error where nothing was written, so that no file is made."""
        if self._games:
            return
        if self.is_stopped:
            click.echo(f"stopped: {self.how_far}; nothing was written", err=True)
            sys.exit(STOPPED)
        raise self.trouble or HeatmapError(f"expected games in {self.file}, found none")

    def annotate(self, draw: Draw, write_pgn: Write, write_json: Write) -> None:
        try:
            with read_trees(self.file) as games:
                for game in games:
                    if isinstance(game, OtherGame):
                        self._pass_over(game, write_pgn)
                    else:
                        self._annotate(game, draw, write_pgn, write_json)
                    if self.is_stopped:
                        return
        except UnreadableFile as error:
            self.trouble = error  # said when what was done before is safe

    def _pass_over(self, game: OtherGame, write_pgn: Write) -> None:
        fate = "left out" if game.text is None else "left as it is"
        click.echo(f"game {game.number} was {fate}, {game.reason}: {game.detail}", err=True)
        self.is_any_broken |= game.reason != SkipReason.NO_MOVES
        if game.text is not None:
            write_pgn(game.text.rstrip() + b"\n\n")
            self._games += 1

    def _annotate(self, tree: GameTree, draw: Draw, write_pgn: Write, write_json: Write) -> None:
        board = tree.game.end().board()
        before, plies = self._moves_before, len(board.move_stack)
        total = None if tree.share_read is None else round((before + plies) / tree.share_read)

        def keep_going(done: int) -> bool:
            draw(before + done, total)
            return not self._stop.is_set()

        draw(before, total)
        annotation = self.engine.annotate(board, self.limits, keep_going)
        self._moves_before += plies
        self.is_stopped = not annotation.is_whole
        if self.is_stopped:
            self.how_far = _how_far(tree, annotation)
        if not annotation.moves:
            return
        write_into(tree.game, annotation, version("heatmap-engine"))
        write_pgn(as_pgn(tree.game).encode())
        write_json(_json_line(tree.game, annotation))
        self._games += 1
        if annotation.is_whole:
            click.echo(_summary(tree, annotation), err=True)


def _json_line(game: chess.pgn.Game, annotation: Annotation) -> bytes:
    headers = game.headers
    data = annotation_as_data(
        annotation, white=headers["White"], black=headers["Black"], result=headers["Result"]
    )
    return f"{json.dumps(data)}\n".encode()


def _how_far(tree: GameTree, annotation: Annotation) -> str:
    if not annotation.moves:
        return f"no move of game {tree.number} was done"
    first = annotation.moves[0]
    return (
        f"game {tree.number} is annotated from {first.board.variation_san([first.move])} to its end "
        f"({len(annotation.moves)} of {annotation.plies} moves; games are annotated backwards); "
        "later games are not written"
    )


def _summary(tree: GameTree, annotation: Annotation) -> str:
    headers = tree.game.headers
    opening = "" if annotation.opening is None else f", {annotation.opening}"
    sides = "; ".join(_side(annotation, color) for color in chess.COLORS)
    names = " - ".join(headers[name] for name in ("White", "Black"))
    players = f"{names}, {headers['Result']}" if names != "? - ?" else headers["Result"]
    return f"game {tree.number}: {players}{opening}. {sides}"


def _side(annotation: Annotation, color: chess.Color) -> str:
    accuracy = annotation.accuracy[color]
    if accuracy is None:
        return f"{side_name(color)}: no move"
    marks = [f"{number} {mark}" for mark, number in annotation.marks(color).items() if number]
    return f"{side_name(color)}: {accuracy:.0f} % accurate, {', '.join(marks) or 'no mistakes'}"
