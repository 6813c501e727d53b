"""`heatmap-engine show`: positions and games as pictures."""

from functools import partial
from pathlib import Path
from typing import Any

import chess
import click

from games.chess.reading import SkippedGame, read_games
from games.chess.record import GameRecord
from heatmap_engine.cli.common import CommandWithMoves, fen_argument, fen_text, moves_option
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c, warn
from heatmap_engine.cli.mode_options import (
    chosen_mode,
    limits_of,
    mode_option,
    nodes_option,
    plies_option,
    seconds_option,
    settings_of,
    tactical_option,
    weights_option,
)
from heatmap_engine.cli.move_text import board_after
from heatmap_engine.cli.table_options import table_options, table_to_read
from heatmap_engine.drawing.palette import PALETTES
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import Mode
from heatmap_engine.errors import HeatmapError
from heatmap_engine.limits import Limits
from heatmap_engine.pictures.animation import game_gif
from heatmap_engine.pictures.game import Ask, game_of
from heatmap_engine.pictures.page import game_page
from heatmap_engine.pictures.picture import (
    ARROWS,
    NARROWEST,
    SIDES,
    WIDEST,
    Arrows,
    Picture,
    Side,
    Style,
    picture_of,
)
from heatmap_engine.pictures.why import why_page, why_picture
from qtable.drafts import draft_of
from qtable.file import require_absent

_PICTURES = (".svg", ".png", ".gif", ".html")
_GAMES = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst")

# A GIF is watched as a whole: a smaller one loads sooner, and still has numbers.
_WIDTH, _GIF_WIDTH = 800, 480

# For each position of a game: the same page each time, and a game of 80 plies in some seconds.
_LIMITS_OF_GAMES = Limits(nodes=50_000)


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
    "--line",
    "with_line",
    is_flag=True,
    help="Draw the end of the best line as well, and what changes until then.",
)
@click.option(
    "--side", type=click.Choice(SIDES), default="both", show_default=True, help="Whose heat the squares show."
)
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
@mode_option
@click.option(
    "--depth",
    type=int,
    metavar="N",
    help="Search so deep; 8, or with --nodes or --seconds no limit. With --mode classic: --heat-depth.",
)
@nodes_option
@seconds_option
@weights_option
@plies_option
@tactical_option
@click.option(
    "--heat-depth",
    type=int,
    metavar="N",
    help="Only with --mode classic: plies of further moves that are heat; 1.",
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
    with_line: bool,
    side: Side,
    arrows: Arrows,
    flip: bool,
    colours: str,
    width: int | None,
    mode: str | None,
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    weights: Path | None,
    plies: int | None,
    tactical: int | None,
    heat_depth: int | None,
    table: Path | None,
    no_table: bool,
    force: bool,
) -> None:
    """Draw a position or a game: heat in the squares, king boxes, the best moves.

    FEN may be quoted or six bare words, or a PGN file; without it the start position is meant. A position
    becomes .svg or .png. A game, from a file or from --moves, becomes .html, a page to click through, or
    .gif; as .svg or .png its last position is drawn. A position is searched to depth 8, with --line to
    depth 10, and each position of a game with 50,000 nodes, if no other limit is given. Nothing is recorded.

    \b
    Examples:
      heatmap-engine show --moves e4 e5 Nf3 Nc6 Bb5 -o ruy-lopez.svg
      heatmap-engine show --moves e4 e5 Nf3 Nc6 --line -o plan.svg
      heatmap-engine show game.pgn -o game.html
    """
    form = _form_of(output)
    style = Style(side, arrows, flip, colours, width or (_GIF_WIDTH if form == ".gif" else _WIDTH))
    source = _game_file(fen)
    if source is None and number is not None:
        raise click.UsageError("--game is for a PGN file")
    if source is not None and moves:
        raise click.UsageError("--moves is for a position, not for a PGN file")
    if with_line and form == ".gif":
        raise click.UsageError("--line makes one picture, expected .svg, .png or .html")
    assert output is not None
    _require_writable(output, force, source)
    chosen = chosen_mode(context, table, shared={"depth"})
    depth, heat_depth = _depths(chosen, depth, heat_depth)
    settings = settings_of(chosen, weights=weights, tactical=tactical, heat_depth=heat_depth)
    limits = limits_of(depth, nodes, seconds, plies)
    record = None if source is None else _game_in(source, number or 1)
    board = board_after(fen_text(fen), moves) if record is None else record.board(check=False)
    asked = _table_to_ask(table, no_table, chosen, settings)
    with Engine(asked, settings=settings, record="off", readonly=True, report=warn) as engine:
        if with_line:
            content = _drawn_with_line(engine, board, limits, style, form)
        else:
            content = _drawn(engine, board, record, limits, style, form)
    with draft_of(output, overwrite=force) as draft:
        draft.write_bytes(content)


def _depths(mode: Mode, depth: int | None, heat_depth: int | None) -> tuple[int | None, int | None]:
    """How deep is searched, and how deep heat is; `--depth` means the latter where a mode has both."""
    if depth is None or "heat_depth" not in mode.setting_names:
        return depth, heat_depth
    if heat_depth is not None:
        raise click.UsageError(f"--depth means --heat-depth with --mode {mode.name}; give one of them")
    return None, depth


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


def _table_to_ask(table: Path | None, no_table: bool, mode: Mode, settings: Any) -> Path | None:
    """The table that was named; else your own, if it holds values of this depth of heat."""
    is_usual = settings.meaning == mode.settings().meaning
    return table_to_read(table, no_table or (table is None and not is_usual), mode)


def _drawn(
    engine: Engine, board: chess.Board, record: GameRecord | None, limits: Limits, style: Style, form: str
) -> bytes:
    if form in (".gif", ".html") and limits == Limits() and engine.mode.plays_by_nodes:
        limits = _LIMITS_OF_GAMES
    ask: Ask = partial(engine.report, candidates=True, limits=limits)
    if form == ".html":
        return game_page(game_of(ask, board, record), style).encode()
    if form == ".gif":
        return game_gif(game_of(ask, board, record), style)
    return _as_file(picture_of(ask(board), style), form)


def _drawn_with_line(engine: Engine, board: chess.Board, limits: Limits, style: Style, form: str) -> bytes:
    why = now_or_on_ctrl_c(lambda: engine.why(board, limits=limits), engine.stop)
    return why_page(why, style).encode() if form == ".html" else _as_file(why_picture(why, style), form)


def _as_file(picture: Picture, form: str) -> bytes:
    return picture.svg.encode() if form == ".svg" else picture.png()
