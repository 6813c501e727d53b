"""The board with heat: python-chess draws squares and pieces; numbers, king boxes and marks come on top."""

from collections.abc import Callable, Mapping, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import chess
import chess.svg

from heatmap_engine.drawing.palette import COLD, INK, PAPER, Palette, Scale
from heatmap_engine.drawing.squares import left_and_reached
from heatmap_engine.pictures.shapes import SQUARE, Point, corner, group, number, polygon, text

# Pieces are drawn smaller and higher than python-chess does, so that a number has room under each.
_PIECE_SIZE = 0.8
_NUMBER_SIZE = 9.5
_NUMBER_BASE = SQUARE - 5.0
_NUMBER_MIDDLE = _NUMBER_BASE - 3.3

_BOX_WIDTH = 2.4
_LAST_MOVE_WIDTH = 2.0

# Whether something else is drawn at a point, over what would stand there.
IsCovered = Callable[[Point], bool]


def heat_board(
    board: chess.Board, heat: Mapping[chess.Square, float], scale: Scale, bottom: chess.Color
) -> Element:
    """An SVG of the board whose squares are filled by their heat."""
    drawn = chess.svg.board(
        board,
        orientation=bottom,
        fill={square: scale.square_colour(value, square) for square, value in heat.items()},
        check=board.king(board.turn) if board.is_check() else None,
        # What is under the fill would show through at its edges.
        colors={"margin": PAPER, "coord": INK, "square light": COLD, "square dark": COLD},
    )
    svg = _without_namespaces(ElementTree.fromstring(drawn))
    for man in svg.iter("use"):
        _make_room_below(man)
    return svg


def _without_namespaces(svg: Element) -> Element:
    """Plain names again: ElementTree would write prefixes, or need a setting for the whole process."""
    for element in svg.iter():
        element.tag = element.tag.rpartition("}")[2]
        for name in [name for name in element.attrib if name.startswith("{")]:
            del element.attrib[name]  # the old spelling of `href`, which every drawing repeats
    svg.set("xmlns", "http://www.w3.org/2000/svg")
    return svg


def _make_room_below(man: Element) -> None:
    aside = SQUARE * (1 - _PIECE_SIZE) / 2
    place = man.get("transform", "")
    man.set("transform", f"{place} translate({number(aside)}, 0.5) scale({_PIECE_SIZE})")


def write_numbers(
    svg: Element, numbers: Mapping[chess.Square, str], is_covered: IsCovered, bottom: chess.Color
) -> None:
    """A number under the piece of each square, but for those that could not be read."""
    written = group(svg, "numbers")
    for square, words in numbers.items():
        x, y = corner(square, bottom)
        if words and not is_covered((x + SQUARE / 2, y + _NUMBER_MIDDLE)):
            text(written, words, x + SQUARE / 2, y + _NUMBER_BASE, _NUMBER_SIZE, anchor="middle")


def outline_king_boxes(
    svg: Element,
    boxes: Mapping[chess.Color, Sequence[chess.Square]],
    palette: Palette,
    bottom: chess.Color,
) -> None:
    """White's box with a solid line, Black's with a dashed one, so that not only the colour tells."""
    outlines = group(svg, "king-boxes")
    for color, squares in boxes.items():
        outline = _around(squares, bottom)
        polygon(outlines, outline, fill="none", stroke=PAPER, stroke_width=_BOX_WIDTH + 2.0)
        dashes = {} if color == chess.WHITE else {"stroke_dasharray": "7 4"}
        polygon(outlines, outline, fill="none", stroke=palette.inks[color], stroke_width=_BOX_WIDTH, **dashes)


def _around(squares: Sequence[chess.Square], bottom: chess.Color) -> list[Point]:
    """A rectangle just inside the edge of these squares, so that two boxes side by side stay apart."""
    corners = [corner(square, bottom) for square in squares]
    left, top = min(x for x, _ in corners) + 1.6, min(y for _, y in corners) + 1.6
    right, low = max(x for x, _ in corners) + SQUARE - 1.6, max(y for _, y in corners) + SQUARE - 1.6
    return [(left, top), (right, top), (right, low), (left, low)]


def mark_last_move(svg: Element, before: chess.Board, move: chess.Move, bottom: chess.Color) -> None:
    """Corners in the square that was left, and in the one that was reached."""
    marks = group(svg, "last-move")
    for square in left_and_reached(before, move):
        x, y = corner(square, bottom)
        for across, down in ((0, 0), (1, 0), (1, 1), (0, 1)):
            tip = (x + across * SQUARE, y + down * SQUARE)
            inward, upward = (8 if across == 0 else -8), (8 if down == 0 else -8)
            polygon(marks, [tip, (tip[0] + inward, tip[1]), (tip[0], tip[1] + upward)], fill=INK, opacity=0.6)
