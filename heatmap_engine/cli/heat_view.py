"""A heatmap drawn with text: men and numbers on squares whose background is the heat."""

from collections.abc import Callable

import chess
from rich.color import Color
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from heatmap_engine.scoring import Explanation, Heat, Side

Rgb = tuple[int, int, int]
# What a square shows: its background and its number.
Paint = Callable[[chess.Square], tuple[Rgb, str]]

# Orange and blue stay apart for every common kind of colour blindness; white and black men are both
# readable on everything between the two and the grey of a cold square.
_COLD: Rgb = (112, 114, 120)
_WHITE_HOT: Rgb = (236, 120, 16)
_BLACK_HOT: Rgb = (52, 112, 236)

_CELL = 4
_BOARD_WIDTH = 2 + 8 * _CELL
_GAP = 3
# What the breakdown needs to show all its digits.
LEAST_WIDTH = 72


def pictures(console: Console, board: chess.Board, heat: Heat, *, blended: bool) -> RenderableType:
    """One board for each side's heat, beside each other where there is room, or one board for both."""
    coloured = console.color_system is not None
    hottest = max(float(heat.max()), 1e-9)
    if blended:
        return _drawn(board, "White's minus Black's heat", _blend(heat, hottest), coloured)
    white = _drawn(board, "White's heat", _side(heat[chess.WHITE], _WHITE_HOT, hottest), coloured)
    black = _drawn(board, "Black's heat", _side(heat[chess.BLACK], _BLACK_HOT, hottest), coloured)
    if console.width < 2 * _BOARD_WIDTH + _GAP:
        return Group(white, "", black)
    pair = Table.grid(padding=(0, _GAP, 0, 0))
    pair.add_row(white, black)
    return pair


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
        hot = _mix(_BLACK_HOT, _WHITE_HOT, share)
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


def _drawn(board: chess.Board, title: str, paint: Paint, coloured: bool) -> Text:
    picture = Text(f"{title:^{_BOARD_WIDTH}}\n")
    for rank in reversed(range(8)):
        squares = [chess.square(file, rank) for file in range(8)]
        picture.append(f"{rank + 1} ")
        for square in squares:
            _draw_man(picture, board.piece_at(square), paint(square)[0], coloured)
        picture.append("\n  ")
        for square in squares:
            background, number = paint(square)
            picture.append(f"{number:^{_CELL}}", style=_style("black", background))
        picture.append("\n")
    return picture.append("  " + "".join(f"{name:^{_CELL}}" for name in chess.FILE_NAMES))


def _draw_man(picture: Text, piece: chess.Piece | None, background: Rgb, coloured: bool) -> None:
    if piece is None:
        picture.append(" " * _CELL if coloured else f"{'.':^{_CELL}}", style=_style("black", background))
        return
    # In colour every man is the filled figure; without colour only letters tell White from Black.
    symbol = chess.Piece(piece.piece_type, chess.BLACK).unicode_symbol() if coloured else piece.symbol()
    ink = "#ffffff" if piece.color == chess.WHITE else "#000000"
    picture.append(f"{symbol:^{_CELL}}", style=_style(ink, background))


def _style(ink: str, background: Rgb) -> Style:
    return Style(color=ink, bgcolor=Color.from_rgb(*background), bold=True)
