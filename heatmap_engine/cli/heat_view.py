"""A heatmap drawn with text: pieces and numbers on squares whose background is the heat."""

from collections.abc import Callable, Collection
from functools import partial

import chess
from rich.color import Color
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from heatmap_engine.board.heat import Heat, heatmap
from heatmap_engine.classic import scoring
from heatmap_engine.classic.scoring import Explanation, Side
from heatmap_engine.classic.weights import Weights

Rgb = tuple[int, int, int]
# What a square shows: its background and its number.
Paint = Callable[[chess.Square], tuple[Rgb, str]]

# Orange and blue stay apart for every common kind of colour blindness; white and black pieces are both
# readable on everything between the two and the grey of a cold square.
_COLD: Rgb = (112, 114, 120)
WHITE_HOT: Rgb = (236, 120, 16)
BLACK_HOT: Rgb = (52, 112, 236)

# A board without heat, and the squares of the last move on it.
_LIGHT: Rgb = (150, 152, 158)
_DARK: Rgb = _COLD
_LIGHT_MARKED: Rgb = (190, 176, 92)
_DARK_MARKED: Rgb = (158, 144, 60)

_CELL = 4
_BOARD_WIDTH = 2 + 8 * _CELL
_GAP = 3
# What the breakdown needs to show all its digits.
LEAST_WIDTH = 72


def heat_console() -> Console:
    """Colours where there are at least 256 of them and the pieces can be written, else plain text."""
    console = Console(highlight=False, markup=False, emoji=False)
    if console.no_color or console.color_system == "standard" or not _writes_pieces(console):
        return Console(highlight=False, markup=False, emoji=False, color_system=None)
    return console


def _writes_pieces(console: Console) -> bool:
    try:
        "".join(chess.UNICODE_PIECE_SYMBOLS.values()).encode(console.encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def print_heat(
    console: Console, board: chess.Board, depth: int, weights: Weights, *, blended: bool = False
) -> None:
    """Draw a position's heat, and the parts of its score under it."""
    pictured = pictures(console, board, heatmap(board, depth), blended=blended)
    # A terminal too narrow for the breakdown breaks its lines itself; rich would cut the numbers off.
    console.width = max(console.width, LEAST_WIDTH)
    console.print(pictured)
    console.print(breakdown(scoring.explain(board, depth, weights)))


def pictures(
    console: Console,
    board: chess.Board,
    heat: Heat,
    *,
    blended: bool,
    bottom: chess.Color = chess.WHITE,
    marked: Collection[chess.Square] = (),
) -> RenderableType:
    """One board for each side's heat, beside each other where there is room, or one board for both.

    Squares that are `marked` stand in brackets.
    """
    draw = partial(_drawn, board, coloured=console.color_system is not None, bottom=bottom, bracketed=marked)
    hottest = max(float(heat.max()), 1e-9)
    if blended:
        return draw("White's minus Black's heat", _blend(heat, hottest))
    white = draw("White's heat", _side(heat[chess.WHITE], WHITE_HOT, hottest))
    black = draw("Black's heat", _side(heat[chess.BLACK], BLACK_HOT, hottest))
    if console.width < 2 * _BOARD_WIDTH + _GAP:
        return Group(white, "", black)
    pair = Table.grid(padding=(0, _GAP, 0, 0))
    pair.add_row(white, black)
    return pair


def board_picture(
    console: Console, board: chess.Board, bottom: chess.Color, marked: Collection[chess.Square] = ()
) -> Text:
    """The board without heat; `marked` squares have a colour of their own, or brackets without colours."""

    def paint(square: chess.Square) -> tuple[Rgb, str]:
        is_light = bool(chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES)
        if square in marked:
            return (_LIGHT_MARKED if is_light else _DARK_MARKED), ""
        return (_LIGHT if is_light else _DARK), ""

    coloured = console.color_system is not None
    brackets = () if coloured else marked
    return _drawn(board, "", paint, coloured=coloured, bottom=bottom, numbered=False, bracketed=brackets)


def breakdown(explanation: Explanation) -> RenderableType:
    """The parts of the score as a table, and the score under it."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("", *(chess.piece_name(piece) for piece in chess.PIECE_TYPES), "sum"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, side in (("White", explanation.white), ("Black", explanation.black)):
        for part in ("mobility", "pressure"):
            table.add_row(f"{name}'s {part}", *_row(side, part))
    return Group("", table, "", _verdict(explanation))


def _row(side: Side, part: str) -> list[str]:
    values = list((side.mobility if part == "mobility" else side.pressure).values())
    return [f"{value:.2f}" for value in (*values, sum(values))]


def _verdict(explanation: Explanation) -> Text:
    score = Text(f"score {explanation.score:+.4f}", style="bold")
    if explanation.terminal is not None:
        return score.append(f"  ({explanation.terminal})", style="not bold")
    parts = f"  = {explanation.white.total:.4f} (White) - {explanation.black.total:.4f} (Black)"
    return score.append(parts, style="not bold")


def _side(heat: Heat, hot: Rgb, hottest: float) -> Paint:
    def paint(square: chess.Square) -> tuple[Rgb, str]:
        value = float(heat[square])
        return _mix(_COLD, hot, value / hottest), _number(value)

    return paint


def _blend(heat: Heat, hottest: float) -> Paint:
    """Both heats laid over the cold square one after the other; the number is their difference."""

    def paint(square: chess.Square) -> tuple[Rgb, str]:
        white, black = float(heat[chess.WHITE, square]), float(heat[chess.BLACK, square])
        share = white / (white + black) if white + black else 0.0
        hot = _mix(BLACK_HOT, WHITE_HOT, share)
        number = _number(abs(white - black))
        return _mix(_COLD, hot, max(white, black) / hottest), (
            "-" if white < black and number else ""
        ) + number

    return paint


def _mix(cold: Rgb, hot: Rgb, share: float) -> Rgb:
    red, green, blue = (round(c + (h - c) * share) for c, h in zip(cold, hot, strict=True))
    return red, green, blue


def _number(value: float) -> str:
    """At most three characters, none for nothing."""
    if value < 0.05:
        return "" if value == 0 else "~0"
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}" if value < 999.5 else "big"


def _drawn(
    board: chess.Board,
    title: str,
    paint: Paint,
    *,
    coloured: bool,
    bottom: chess.Color,
    numbered: bool = True,
    bracketed: Collection[chess.Square] = (),
) -> Text:
    picture = Text(f"{title:^{_BOARD_WIDTH}}\n" if title else "")
    upwards = range(8) if bottom == chess.WHITE else range(7, -1, -1)
    for rank in reversed(upwards):
        squares = [chess.square(file, rank) for file in upwards]
        picture.append(f"{rank + 1} ")
        for square in squares:
            picture.append(*_cell(board.piece_at(square), paint(square)[0], coloured, square in bracketed))
        picture.append("\n")
        if numbered:
            _draw_numbers(picture, squares, paint)
    return picture.append("  " + "".join(f"{chess.FILE_NAMES[file]:^{_CELL}}" for file in upwards))


def _draw_numbers(picture: Text, squares: list[chess.Square], paint: Paint) -> None:
    picture.append("  ")
    for background, number in map(paint, squares):
        picture.append(f"{number:^{_CELL}}", style=_style("black", background))
    picture.append("\n")


def _cell(
    piece: chess.Piece | None, background: Rgb, coloured: bool, is_bracketed: bool
) -> tuple[str, Style]:
    """What stands on a square, and how it is written."""
    # In colour every piece is the filled figure; without colour only letters tell White from Black.
    if piece is None:
        symbol = " " if coloured else "."
    else:
        symbol = chess.Piece(piece.piece_type, chess.BLACK).unicode_symbol() if coloured else piece.symbol()
    ink = "#ffffff" if piece is not None and piece.color == chess.WHITE else "#000000"
    words = f"[{symbol}]" if is_bracketed else f" {symbol}"  # a figure stands in the same place either way
    return f"{words:<{_CELL}}", _style(ink, background)


def _style(ink: str, background: Rgb) -> Style:
    return Style(color=ink, bgcolor=Color.from_rgb(*background), bold=True)
