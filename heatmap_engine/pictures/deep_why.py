"""A deep move as a picture: the position with its line, and the end of the line with what changed in heat."""

import html
from collections.abc import Iterator, Mapping
from string import Template
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import chess

from heatmap_engine.board.heat import Heat, king_box
from heatmap_engine.pictures.arrows import MOST_ARROWS, draw_arrows, labelled_arrows, write_values
from heatmap_engine.pictures.board import heat_board, mark_last_move, outline_king_boxes, write_numbers
from heatmap_engine.pictures.palette import FAINT_INK, PAPER, Scale, palette_named, round_limit
from heatmap_engine.pictures.picture import Picture, Side, Style
from heatmap_engine.pictures.shapes import BOARD, FONT, MARGIN, group, number, rectangle, text
from heatmap_engine.pictures.values import with_minus
from heatmap_engine.reports.deep_why import DeepWhy, Part

_EDGE = 4.0
_HEADER = 47.0
_GAP = 14.0
_ROW = 16.0
# The parts that say most; the others are summed up.
_PARTS_SHOWN = 10
_ACROSS = 2 * BOARD + _GAP + 2 * _EDGE

_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>body { margin: 1em auto; max-width: ${width}px } svg { width: 100%; height: auto }</style>
$svg</html>
""")


def deep_picture(why: DeepWhy, style: Style) -> Picture:
    """The position on the left, the end of the line on the right, and the parts below."""
    heats = _side(why.root.heat, style.side), _side(why.leaf.heat, style.side)
    change = {square: heats[1][square] - heats[0][square] for square in chess.SQUARES}
    # One scale, so that a change can be compared with what was there.
    hottest = max(abs(value) for heat in (heats[0], change) for value in heat.values())
    scale = Scale(palette_named(style.colours), style.limit or round_limit(hottest))
    rows = list(_rows(why))
    low = BOARD + _EDGE + _ROW * (1 + (len(rows) + 1) // 2)
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "font-family": FONT})
    svg.set("viewBox", " ".join(map(number, (-_EDGE, -_HEADER, _ACROSS, low + _HEADER))))
    height = round(style.width * (low + _HEADER) / _ACROSS)
    svg.set("width", str(style.width))
    svg.set("height", str(height))
    rectangle(svg, -_EDGE, -_HEADER, _ACROSS, low + _HEADER, rx=8, fill=PAPER)
    _add_board(svg, _root_board(why, heats[0], scale, style), 0.0)
    _add_board(svg, _leaf_board(why, change, scale, style), BOARD + _GAP)
    _write_headers(svg, why, style.side)
    _write_rows(svg, rows)
    return Picture(ElementTree.tostring(svg, encoding="unicode") + "\n", style.width, height)


def deep_page(why: DeepWhy, style: Style) -> str:
    """The same as an HTML page that needs nothing else."""
    title = html.escape(f"Why {why.board.variation_san([why.move])}")
    return _PAGE.substitute(title=title, width=style.width, svg=deep_picture(why, style).svg)


def _side(heat: Heat, side: Side) -> dict[chess.Square, float]:
    white, black = heat[chess.WHITE], heat[chess.BLACK]
    return dict(enumerate({"both": white - black, "white": white, "black": -black}[side].tolist()))


def _root_board(why: DeepWhy, heat: Mapping[chess.Square, float], scale: Scale, style: Style) -> Element:
    board, bottom = why.board, style.bottom
    svg = heat_board(board, heat, scale, bottom)
    outline_king_boxes(svg, _boxes(board), scale.palette, bottom)
    moves = [(move, str(place)) for place, move in enumerate(why.line[:MOST_ARROWS], start=1)]
    arrows = labelled_arrows(moves if style.arrows != "none" else [], chess.SquareSet(board.occupied), bottom)
    draw_arrows(svg, arrows)
    if not style.is_small:
        numbers = {square: _whole(value) for square, value in heat.items()}
        write_numbers(svg, numbers, lambda point: any(arrow.covers(point) for arrow in arrows), bottom)
    write_values(svg, arrows)
    return svg


def _leaf_board(why: DeepWhy, change: Mapping[chess.Square, float], scale: Scale, style: Style) -> Element:
    board, bottom = why.leaf.board, style.bottom
    svg = heat_board(board, change, scale, bottom)
    mark_last_move(svg, why.line[-1], bottom)
    outline_king_boxes(svg, _boxes(board), scale.palette, bottom)
    if not style.is_small:
        numbers = {square: _whole(value) for square, value in change.items()}
        write_numbers(svg, numbers, lambda point: False, bottom)
    return svg


def _whole(heat: float) -> str:
    """Moves are whole; below zero they are Black's, or fewer than before."""
    return with_minus(f"{heat:+.0f}") if heat else ""


def _boxes(board: chess.Board) -> dict[chess.Color, list[chess.Square]]:
    return {color: king_box(board, color) for color in chess.COLORS}


def _add_board(svg: Element, board: Element, left: float) -> None:
    """A drawing inside of the drawing, at its own place."""
    names = {element.get("id") for element in svg.iter("g")}
    for men in board.iter("defs"):
        for twice in [man for man in men if man.get("id") in names]:  # a document gives a name once
            men.remove(twice)
    board.set("x", number(left))
    board.set("y", "0")
    board.set("width", number(BOARD))
    board.set("height", number(BOARD))
    svg.append(board)


def _write_headers(svg: Element, why: DeepWhy, side: Side) -> None:
    header = group(svg, "header")
    right = BOARD + _GAP + MARGIN
    whose = {"both": "White's heat minus Black's", "white": "White's heat", "black": "Black's heat"}[side]
    turn = chess.COLOR_NAMES[why.board.turn].capitalize()
    text(header, f"{turn} to move: {_value(why.root.value, why.root.silence)}", MARGIN, -26, 15, bold=True)
    text(header, f"{whose}, as the board stands", MARGIN, -8, 11.5, ink=FAINT_INK)
    end = f"After {why.board.variation_san(why.line)}: {_value(why.leaf.value, why.leaf.silence)}"
    text(header, end, right, -26, min(15.0, (BOARD - 2 * MARGIN) / (0.56 * len(end))), bold=True)
    text(header, "what has changed in it at the end of the line", right, -8, 11.5, ink=FAINT_INK)


def _value(value: float | None, silence: str | None) -> str:
    return silence or "" if value is None else with_minus(f"{value:+.1f}")


def _rows(why: DeepWhy) -> Iterator[str]:
    """The parts in words, and their sum."""
    if why.change is None:
        return
    for part in why.parts[:_PARTS_SHOWN]:
        counted = "" if part.before is None else f" ({part.before} to {part.after})"
        yield f"{with_minus(f'{part.change:+.1f}')}  {_name(part)}{counted}"
    rest = why.parts[_PARTS_SHOWN:]
    if rest:
        yield f"{with_minus(f'{sum(part.change for part in rest):+.1f}')}  {len(rest)} smaller parts"
    yield f"{with_minus(f'{why.change:+.1f}')}  for White in all; 400 are a tenfold chance"


def _name(part: Part) -> str:
    return (
        part.group if part.color is None else f"{chess.COLOR_NAMES[part.color].capitalize()}'s {part.group}"
    )


def _write_rows(svg: Element, rows: list[str]) -> None:
    written = SubElement(svg, "g", {"class": "parts"})
    half = (len(rows) + 1) // 2
    for place, row in enumerate(rows):
        left = MARGIN + (BOARD + _GAP) * (place >= half)
        text(written, row, left, BOARD + _ROW * (1 + place % half), 11.5, bold=place == len(rows) - 1)
