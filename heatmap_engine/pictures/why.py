"""Why a move has its score, as a picture: the position with the line, and the end with what changed."""

import html
from collections.abc import Iterator, Mapping
from string import Template
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import chess

from heatmap_engine.board.breakdown import Evaluation, Part
from heatmap_engine.board.heat import Heat, king_box
from heatmap_engine.drawing.palette import FAINT_INK, PAPER, Scale, palette_named, round_limit
from heatmap_engine.pictures.arrows import MOST_ARROWS, draw_arrows, labelled_arrows, write_values
from heatmap_engine.pictures.board import heat_board, mark_last_move, outline_king_boxes, write_numbers
from heatmap_engine.pictures.picture import Picture, Side, Style
from heatmap_engine.pictures.shapes import BOARD, FONT, MARGIN, group, number, rectangle, text
from heatmap_engine.pictures.values import shown_heat, with_minus
from heatmap_engine.reports.why import Reason, Why
from heatmap_engine.winning_chances import Unit

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


def why_picture(why: Why, style: Style) -> Picture:
    """The position on the left, the end of the move's line on the right, and the parts below."""
    reason = why.asked
    heats = _side(reason.root.heat, style.side), _side(reason.leaf.heat, style.side)
    change = {square: heats[1][square] - heats[0][square] for square in chess.SQUARES}
    # One scale, so that a change can be compared with what was there.
    hottest = max(abs(value) for heat in (heats[0], change) for value in heat.values())
    scale = Scale(palette_named(style.colours), style.limit or round_limit(hottest))
    rows = list(_rows(reason, why.unit))
    low = BOARD + _EDGE + _ROW * (1 + (len(rows) + 1) // 2)
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "font-family": FONT})
    svg.set("viewBox", " ".join(map(number, (-_EDGE, -_HEADER, _ACROSS, low + _HEADER))))
    height = round(style.width * (low + _HEADER) / _ACROSS)
    svg.set("width", str(style.width))
    svg.set("height", str(height))
    rectangle(svg, -_EDGE, -_HEADER, _ACROSS, low + _HEADER, rx=8, fill=PAPER)
    _add_board(svg, _root_board(reason, heats[0], scale, style), 0.0)
    _add_board(svg, _leaf_board(reason, change, scale, style), BOARD + _GAP)
    _write_headers(svg, reason, why.unit, style.side)
    _write_rows(svg, rows)
    return Picture(ElementTree.tostring(svg, encoding="unicode") + "\n", style.width, height)


def why_page(why: Why, style: Style) -> str:
    """The same as an HTML page that needs nothing else."""
    title = html.escape(f"Why {why.board.variation_san([why.asked.move])}")
    return _PAGE.substitute(title=title, width=style.width, svg=why_picture(why, style).svg)


def _side(heat: Heat, side: Side) -> dict[chess.Square, float]:
    white, black = heat[chess.WHITE], heat[chess.BLACK]
    return dict(enumerate({"both": white - black, "white": white, "black": -black}[side].tolist()))


def _root_board(reason: Reason, heat: Mapping[chess.Square, float], scale: Scale, style: Style) -> Element:
    board, bottom = reason.board, style.bottom
    svg = heat_board(board, heat, scale, bottom)
    outline_king_boxes(svg, _boxes(board), scale.palette, bottom)
    moves = [(move, str(place)) for place, move in enumerate(reason.line[:MOST_ARROWS], start=1)]
    arrows = labelled_arrows(moves if style.arrows != "none" else [], chess.SquareSet(board.occupied), bottom)
    draw_arrows(svg, arrows)
    if not style.is_small:
        numbers = {square: _number(value) for square, value in heat.items()}
        write_numbers(svg, numbers, lambda point: any(arrow.covers(point) for arrow in arrows), bottom)
    write_values(svg, arrows)
    return svg


def _leaf_board(reason: Reason, change: Mapping[chess.Square, float], scale: Scale, style: Style) -> Element:
    board, bottom = reason.leaf.board, style.bottom
    svg = heat_board(board, change, scale, bottom)
    before = reason.board.copy(stack=False)
    for move in reason.line[:-1]:
        before.push(move)
    mark_last_move(svg, before, reason.line[-1], bottom)
    outline_king_boxes(svg, _boxes(board), scale.palette, bottom)
    if not style.is_small:
        numbers = {square: _number(value) for square, value in change.items()}
        write_numbers(svg, numbers, lambda point: False, bottom)
    return svg


def _number(heat: float) -> str:
    """Below zero it is Black's heat, or less than before."""
    return shown_heat(heat, signed=True).removesuffix(".0")


def _boxes(board: chess.Board) -> dict[chess.Color, list[chess.Square]]:
    return {color: king_box(board, color) for color in chess.COLORS}


def _add_board(svg: Element, board: Element, left: float) -> None:
    """A drawing inside of the drawing, at its own place."""
    names = {element.get("id") for element in svg.iter("g")}
    for pieces in board.iter("defs"):
        for twice in [piece for piece in pieces if piece.get("id") in names]:  # a document gives a name once
            pieces.remove(twice)
    board.set("x", number(left))
    board.set("y", "0")
    board.set("width", number(BOARD))
    board.set("height", number(BOARD))
    svg.append(board)


def _write_headers(svg: Element, reason: Reason, unit: Unit, side: Side) -> None:
    header = group(svg, "header")
    right = BOARD + _GAP + MARGIN
    whose = {"both": "White's heat minus Black's", "white": "White's heat", "black": "Black's heat"}[side]
    turn = chess.COLOR_NAMES[reason.board.turn].capitalize()
    text(header, f"{turn} to move: {_value(reason.root, unit)}", MARGIN, -26, 15, bold=True)
    text(header, whose, MARGIN, -8, 11.5, ink=FAINT_INK)
    end = f"After {reason.board.variation_san(reason.line)}: {_value(reason.leaf, unit)}"
    text(header, end, right, -26, min(15.0, (BOARD - 2 * MARGIN) / (0.56 * len(end))), bold=True)
    text(header, "what has changed in it at the end of the line", right, -8, 11.5, ink=FAINT_INK)


def _value(evaluation: Evaluation, unit: Unit) -> str:
    return evaluation.silence or "" if evaluation.value is None else _signed(evaluation.value, unit)


def _rows(reason: Reason, unit: Unit) -> Iterator[str]:
    """The parts in words, and their sum."""
    if reason.change is None:
        return
    for part in reason.parts[:_PARTS_SHOWN]:
        yield f"{_signed(part.change, unit)}  {_name(part)}{_amounts(part)}"
    if rest := reason.parts[_PARTS_SHOWN:]:
        yield f"{_signed(sum(part.change for part in rest), unit)}  {len(rest)} smaller parts"
    yield f"{_signed(reason.change, unit)}  for White in all, in {unit.words}"


def _signed(value: float, unit: Unit) -> str:
    return with_minus(f"{value:+.{max(1, unit.decimals)}f}")


def _name(part: Part) -> str:
    return part.name if part.color is None else f"{chess.COLOR_NAMES[part.color].capitalize()}'s {part.name}"


def _amounts(part: Part) -> str:
    return "" if part.before is None or part.after is None else f" ({part.before:.4g} to {part.after:.4g})"


def _write_rows(svg: Element, rows: list[str]) -> None:
    written = SubElement(svg, "g", {"class": "parts"})
    half = (len(rows) + 1) // 2
    for place, row in enumerate(rows):
        left = MARGIN + (BOARD + _GAP) * (place >= half)
        text(written, row, left, BOARD + _ROW * (1 + place % half), 11.5, bold=place == len(rows) - 1)
