"""SVG elements by name, in the coordinates of python-chess's board: 45 units a square, 15 units of margin."""

from xml.etree.ElementTree import Element, SubElement

import chess
import chess.svg

from heatmap_engine.drawing.palette import INK

SQUARE = chess.svg.SQUARE_SIZE
MARGIN = 15
BOARD = 8 * SQUARE + 2 * MARGIN

FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"

Point = tuple[float, float]


def corner(square: chess.Square, bottom: chess.Color) -> Point:
    """Where the upper left corner of a square is, with the given colour's side at the bottom."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    column, row = (file, 7 - rank) if bottom == chess.WHITE else (7 - file, rank)
    return MARGIN + column * SQUARE, MARGIN + row * SQUARE


def middle(square: chess.Square, bottom: chess.Color) -> Point:
    x, y = corner(square, bottom)
    return x + SQUARE / 2, y + SQUARE / 2


def group(parent: Element, name: str) -> Element:
    return SubElement(parent, "g", {"class": name})


def rectangle(
    parent: Element, x: float, y: float, width: float, height: float, **attributes: object
) -> Element:
    return _shape(parent, "rect", {"x": x, "y": y, "width": width, "height": height, **attributes})


def polygon(parent: Element, points: list[Point], **attributes: object) -> Element:
    text = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return _shape(parent, "polygon", {"points": text, **attributes})


def text(
    parent: Element,
    content: str,
    x: float,
    y: float,
    size: float,
    *,
    ink: str = INK,
    anchor: str = "start",
    bold: bool = False,
) -> Element:
    attributes: dict[str, object] = {"x": x, "y": y, "font_size": size, "fill": ink}
    if anchor != "start":
        attributes["text_anchor"] = anchor
    if bold:
        attributes["font_weight"] = 600
    element = _shape(parent, "text", attributes)
    element.text = content
    return element


def words(line: Element, part: str, **attributes: str) -> None:
    """A part of a text with a colour or a weight of its own, right after the part before."""
    _shape(line, "tspan", dict(attributes)).text = part


def number(value: float) -> str:
    """At most two decimals: more would only make files larger."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _shape(parent: Element, tag: str, attributes: dict[str, object]) -> Element:
    texts = {
        name.replace("_", "-"): number(value) if isinstance(value, float) else str(value)
        for name, value in attributes.items()
    }
    return SubElement(parent, tag, texts)
