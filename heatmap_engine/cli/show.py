"""`heatmap-engine show`: positions and games as pictures."""

from functools import partial
from pathlib import Path

import chess
import click

from games.chess.reading import SkippedGame, read_games
from games.chess.record import GameRecord
from heatmap_engine.cli.common import CommandWithMoves, fen_argument, fen_text, given, moves_option
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c, warn
from heatmap_engine.cli.mode_options import (
    Mode,
    chosen_mode,
    deep_limits,
    mode_option,
    nodes_option,
    seconds_option,
    weights_option,
)
from heatmap_engine.cli.move_text import board_after
from heatmap_engine.cli.table_options import table_options, table_to_read
from heatmap_engine.deep.search import DeepLimits
from heatmap_engine.deep.weights import weights_of
from heatmap_engine.engines.classic import Engine
from heatmap_engine.engines.deep import DeepEngine
from heatmap_engine.errors import HeatmapError
from heatmap_engine.pictures.animation import game_gif
from heatmap_engine.pictures.deep_why import deep_page, deep_picture
from heatmap_engine.pictures.game import Ask, game_of
from heatmap_engine.pictures.page import game_page
from heatmap_engine.pictures.palette import PALETTES
from heatmap_engine.pictures.picture import ARROWS, NARROWEST, SIDES, WIDEST, Arrows, Side, Style, picture_of
from heatmap_engine.reports.deep_why import deep_why
from qtable.drafts import draft_of
from qtable.file import require_absent

_PICTURES = (".svg", ".png", ".gif", ".html")
_GAMES = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst")

# A GIF is watched as a whole: a smaller one loads sooner, and still has numbers.
_WIDTH, _GIF_WIDTH = 800, 480

_LIMITS = {"depth", "nodes", "seconds"}
# For each position of a game in deep mode: the same page each time, and a game of 80 plies in some seconds.
_LIMITS_OF_GAMES = DeepLimits(nodes=50_000)


@click.command("show", cls=CommandWithMoves)
@fen_argument
@moves_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The picture to make: .svg, .png, .gif or .html.",
)
@click.option(
    "--game", "number", type=click.IntRange(1), metavar="N", help="Which game of a PGN file; else the first."
)
@click.option(
    "--side", type=click.Choice(SIDES), default="both", show_default=True, help="Whose heat the squares show."
)
@mode_option(
    None, "Which search: classic, or in deep mode the line it foresees; else the one that the table is of."
)
@click.option(
    "--depth",
    type=int,
    metavar="N",
    help="Plies of further moves that are heat, 1; in deep mode how deep is searched.",
)
@nodes_option
@weights_option
@seconds_option
@click.option(
    "--arrows",
    type=click.Choice(ARROWS),
    default="candidates",
    show_default=True,
    help="Arrows for the best moves with their values, or none.",
)
@click.option("--flip", is_flag=True, help="Draw the board from Black's side.")
@click.option(
    "--colours",
    type=click.Choice(list(PALETTES)),
    default="orange-blue",
    show_default=True,
    help="White's colour and Black's.",
)
@click.option(
    "--size",
    "width",
    type=click.IntRange(NARROWEST, WIDEST),
    metavar="PIXELS",
    help=f"How wide the picture is: {_WIDTH}, or {_GIF_WIDTH} for a GIF.",
)
@table_options
@click.option("--force", is_flag=True, help="Overwrite a file that is already there.")
@click.pass_context
def command(
    context: click.Context,
    fen: tuple[str, ...],
    moves: str,
    output: Path | None,
    number: int | None,
    side: Side,
    mode: Mode | None,
    depth: int | None,
    nodes: int | None,
    weights: Path | None,
    seconds: float | None,
    arrows: Arrows,
    flip: bool,
    colours: str,
    width: int | None,
    table: Path | None,
    no_table: bool,
    force: bool,
) -> None:
    """Draw a position or a game: heat in the squares, king boxes, the best moves.

    FEN may be quoted or six bare words, or a PGN file; without it the start position is meant. A position
    becomes .svg or .png. A game, from a file or from --moves, becomes .html, a page to click through, or
    .gif; as .svg or .png its last position is drawn. The best moves are those that a pick ranks first;
    nothing is recorded. In deep mode a position, unless as .gif, is drawn with the end of the line that is
    foreseen beside it, and what changes in heat until then; each position of a PGN file is searched with
    50,000 nodes, if no other limit is given.

    \b
    Examples:
      heatmap-engine show --moves e4 e5 Nf3 Nc6 Bb5 -o ruy-lopez.svg
      heatmap-engine show --moves e4 e5 Nf3 Nc6 --mode deep -o plan.svg
      heatmap-engine show game.pgn -o game.html
      heatmap-engine show --mode deep game.pgn -o game.html
    """
    form = _form_of(output)
    style = Style(side, arrows, flip, colours, width or (_GIF_WIDTH if form == ".gif" else _WIDTH))
    source = _game_file(fen)
    if source is None and number is not None:
        raise click.UsageError("--game is for a PGN file")
    if source is not None and moves:
        raise click.UsageError("--moves is for a position, not for a PGN file")
    assert output is not None
    _require_writable(output, force, source)
    is_deep = chosen_mode(context, mode, table, "classic", shared={"depth"}) == "deep"
    if not is_deep and seconds is not None:
        raise click.UsageError("--seconds is for --mode deep")
    record = None if source is None else _game_in(source, number or 1)
    board = board_after(fen_text(fen), moves) if record is None else record.board(check=False)
    if is_deep:
        asked = table_to_read(table, no_table, "deep")
        with DeepEngine(
            asked, weights=weights_of(weights), readonly=True, record="off", report=warn
        ) as engine:
            if record is not None or form == ".gif":
                limits = deep_limits(depth, nodes, seconds) if given(context) & _LIMITS else _LIMITS_OF_GAMES
                ask = partial(engine.report, candidates=True, limits=limits)
                content = _drawn(ask, board, record, style, form)
            else:
                content = _drawn_deep(engine, board, deep_limits(depth, nodes, seconds), style, form)
    else:
        content = _drawn_classic(board, record, style, form, table, no_table, 1 if depth is None else depth)
    with draft_of(output, overwrite=force) as draft:
        draft.write_bytes(content)


def _drawn_classic(
    board: chess.Board,
    record: GameRecord | None,
    style: Style,
    form: str,
    table: Path | None,
    no_table: bool,
    depth: int,
) -> bytes:
    with Engine(
        _table_to_ask(table, no_table, depth), heat_depth=depth, record="off", readonly=True, report=warn
    ) as engine:
        return _drawn(partial(engine.report, candidates=True), board, record, style, form)


def _drawn_deep(engine: DeepEngine, board: chess.Board, limits: DeepLimits, style: Style, form: str) -> bytes:
    found = now_or_on_ctrl_c(lambda: engine.pick_move(board, limits), engine.stop)
    why = deep_why(board, found, engine.settings.weights)
    if form == ".html":
        return deep_page(why, style).encode()
    picture = deep_picture(why, style)
    return picture.svg.encode() if form == ".svg" else picture.png()


def _form_of(output: Path | None) -> str:
    if output is None:
        raise click.UsageError(
            f"name the picture to make, as in -o heat.svg ({', '.join(_PICTURES)}); "
            "`heatmap-engine heat` draws in the terminal"
        )
    form = output.suffix.lower()
    if form not in _PICTURES:
        raise click.UsageError(f"expected a picture that ends in {', '.join(_PICTURES)}, got {str(output)!r}")
    return form


def _game_file(words: tuple[str, ...]) -> Path | None:
    """The PGN file that is meant, if it is no FEN: one word that ends like one or is a file."""
    if len(words) != 1:
        return None
    path = Path(words[0])
    return path if words[0].lower().endswith(_GAMES) or path.is_file() else None


def _require_writable(output: Path, force: bool, source: Path | None) -> None:
    if output.is_file() and not force:
        raise HeatmapError(f"{output} is already there and was left alone; --force overwrites it")
    require_absent(output, force, source)


def _game_in(path: Path, number: int) -> GameRecord:
    found = 0
    with read_games(path, details=True) as games:
        for game in games:
            found = game.number
            if found < number:
                continue
            if isinstance(game, SkippedGame):
                raise HeatmapError(f"game {number} of {path} cannot be played: {game.reason}, {game.detail}")
            return game.record
    raise HeatmapError(f"expected at least {number} games in {path}, found {found}")


def _table_to_ask(table: Path | None, no_table: bool, depth: int) -> Path | None:
    """The table that was named; else your own, which holds values of depth 1 and no others."""
    return table_to_read(table, no_table or (table is None and depth != 1))


def _drawn(ask: Ask, board: chess.Board, record: GameRecord | None, style: Style, form: str) -> bytes:
    if form == ".html":
        return game_page(game_of(ask, board, record), style).encode()
    if form == ".gif":
        return game_gif(game_of(ask, board, record), style)
    picture = picture_of(ask(board), style)
    return picture.svg.encode() if form == ".svg" else picture.png()
