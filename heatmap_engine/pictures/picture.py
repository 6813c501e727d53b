"""One position as a picture: the board with its heat, everything on it from one report."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import chess

from heatmap_engine.drawing.palette import PAPER, Scale, palette_named, round_limit
from heatmap_engine.errors import InvalidSettings, shown
from heatmap_engine.pictures import legend
from heatmap_engine.pictures.arrows import different_arrows, draw_arrows, placed_arrows, write_values
from heatmap_engine.pictures.board import heat_board, mark_last_move, outline_king_boxes, write_numbers
from heatmap_engine.pictures.shapes import BOARD, FONT, number, rectangle
from heatmap_engine.pictures.values import shown_heat
from heatmap_engine.reports.report import Prospect, Report

Side = Literal["both", "white", "black"]
SIDES: tuple[Side, ...] = get_args(Side)
Arrows = Literal["candidates", "none"]
ARROWS: tuple[Arrows, ...] = get_args(Arrows)

NARROWEST, WIDEST = 100, 4000
# Below this width numbers in squares are less than 9 pixels high.
_LEAST_WIDTH_FOR_NUMBERS = 420

_EDGE = 4.0

_WHAT = {
    "both": "White's heat minus Black's, {plies}",
    "white": "White's heat, {plies}",
    "black": "Black's heat, {plies}",
}


@dataclass(frozen=True, slots=True)
class Style:
    """How a picture is drawn; raises InvalidSettings for what it cannot be.

    `limit` is the heat at the end of the scale: the hottest square's, rounded up, unless it is given, as
    for pictures that are compared with each other.
    """

    side: Side = "both"
    arrows: Arrows = "candidates"
    flip: bool = False
    colours: str = "orange-blue"
    width: int = 640
    limit: float | None = None

    def __post_init__(self) -> None:
        _require_one_of("side", self.side, SIDES)
        _require_one_of("arrows", self.arrows, ARROWS)
        palette_named(self.colours)
        if type(self.width) is not int or not NARROWEST <= self.width <= WIDEST:
            raise InvalidSettings(
                f"width must be from {NARROWEST} to {WIDEST} pixels, got {shown(self.width)}"
            )
        if self.limit is not None and not (isinstance(self.limit, int | float) and 0 < self.limit < math.inf):
            raise InvalidSettings(f"limit must be a number above 0 heat units, got {shown(self.limit)}")

    @property
    def is_small(self) -> bool:
        return self.width < _LEAST_WIDTH_FOR_NUMBERS

    @property
    def bottom(self) -> chess.Color:
        return chess.BLACK if self.flip else chess.WHITE


def _require_one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidSettings(f"{name} must be one of {', '.join(allowed)}, got {shown(value)}")


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG, which notebooks show by itself; `width` and `height` are its pixels."""

    svg: str = field(repr=False)
    width: int
    height: int

    def _repr_svg_(self) -> str:
        return self.svg

    def png(self) -> bytes:
        """The same as PNG; raises MissingExtra without the extra `pictures`."""
        from heatmap_engine.pictures.raster import png_of

        return png_of(self.svg, self.width)


def picture_of(report: Report, style: Style) -> Picture:
    """The report's position with its heat."""
    heat = side_heat(report, style.side)
    palette, bottom = palette_named(style.colours), style.bottom
    scale = Scale(palette, style.limit or round_limit(max(map(abs, heat.values()))))
    svg = heat_board(report.board, heat, scale, bottom)
    if report.board.move_stack and report.board.peek():  # a null move leaves nothing to mark
        before = report.board.copy(stack=1)
        mark_last_move(svg, before, before.pop(), bottom)
    outline_king_boxes(svg, report.king_boxes, palette, bottom)
    moves = different_arrows(report.outlook) if style.arrows == "candidates" else []
    arrows = placed_arrows(moves, chess.SquareSet(report.board.occupied), bottom)
    draw_arrows(svg, arrows)
    if not style.is_small:
        numbers = {square: _number(value, style.side) for square, value in heat.items()}
        write_numbers(svg, numbers, lambda point: any(arrow.covers(point) for arrow in arrows), bottom)
        write_values(svg, arrows)
    top, low = _write_around(svg, report, style, scale, moves)
    return _framed(svg, top, low, style.width)


def side_heat(report: Report, side: Side) -> Mapping[chess.Square, float]:
    """What each square's colour says: above zero it is White's heat, below zero Black's."""
    white, black = report.heat[chess.WHITE], report.heat[chess.BLACK]
    values = {"both": white - black, "white": white, "black": -black}[side]
    return dict(enumerate(values.tolist()))


def _number(heat: float, side: Side) -> str:
    return shown_heat(heat, signed=True) if side == "both" else shown_heat(abs(heat), signed=False)


def _write_around(
    svg: Element, report: Report, style: Style, scale: Scale, moves: Sequence[Prospect]
) -> tuple[float, float]:
    """Write above and below the board; gives how far that reaches up and down."""
    if style.is_small:
        legend.write_small_header(svg, report)
        legend.write_small_colours(svg, scale, style.side)
        return -legend.SMALL_HEADER, BOARD + legend.SMALL_FOOTER
    legend.write_header(svg, report, _WHAT[style.side].format(plies=_plies(report.heat_depth)))
    legend.write_colours(svg, scale, style.side)
    low = BOARD + legend.FOOTER
    if style.arrows == "candidates":  # a row also where there is no move: a game's pictures are all one size
        legend.write_moves(svg, moves, low + 9)
        low += legend.MOVES_ROW
    return -legend.HEADER, low


def _plies(depth: int) -> str:
    return "as the board stands" if depth == 0 else "1 ply ahead" if depth == 1 else f"{depth} plies ahead"


def _framed(svg: Element, top: float, low: float, width: int) -> Picture:
    """The drawing on paper of its own, so that it looks the same on light and on dark pages."""
    across, down = BOARD + 2 * _EDGE, low - top
    height = round(width * down / across)
    svg.set("viewBox", " ".join(map(number, (-_EDGE, top, across, down))))
    svg.set("width", str(width))
    svg.set("height", str(height))
    svg.set("font-family", FONT)
    paper = rectangle(svg, -_EDGE, top, across, down, rx=8, fill=PAPER)
    svg.remove(paper)
    svg.insert(0, paper)
    return Picture(ElementTree.tostring(svg, encoding="unicode") + "\n", width, height)
