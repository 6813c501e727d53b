"""What stands around the board: whose move it is and the score, the colours with their unit, the moves."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

import chess

from heatmap_engine.drawing.palette import FAINT_INK, Palette, Scale
from heatmap_engine.pictures.arrows import MOST_ARROWS
from heatmap_engine.pictures.shapes import BOARD, MARGIN, group, rectangle, text, words
from heatmap_engine.pictures.values import shown_value, with_minus
from heatmap_engine.reports.report import Prospect, Report, State

# Small pictures leave out what nobody could read there, and write the rest larger.
HEADER = 47.0
SMALL_HEADER = 30.0
FOOTER = 49.0
MOVES_ROW = 21.0
SMALL_FOOTER = 36.0

_RIGHT = BOARD - MARGIN
_BAR_WIDTH = 206.0
_BAR_HEIGHT = 10.0
# Strips as narrow as this look like a gradient, which would need an id that is unique on its page.
_STRIP = 2.0

_KEY_LEFT = 262.0

# In sizes of the font, on the average of a few words and numbers, in a wide and bold font.
_WIDEST_CHARACTER = 0.62


def write_header(svg: Element, report: Report, what: str) -> None:
    header = group(svg, "header")
    score = f"{name_of_score(report)} {_score(report)}"
    if report.patterns:
        score += f", patterns {shown_value(sum(part.value for part in report.patterns), report.unit)}"
    _write_headline(header, what_happened(report), score, -26, 15)
    text(header, what, MARGIN, -8, 11.5, ink=FAINT_INK)
    if facts := ", ".join(_facts(report)):
        text(header, facts, _RIGHT, -8, 11.5, ink=FAINT_INK, anchor="end")


def _facts(report: Report) -> Iterator[str]:
    """The mode, if its moves are not to be believed, and what the table knows."""
    if report.unit.caution:
        yield f"mode {report.unit.mode}"
    q = report.standing.q
    if q is not None:
        yield f"Q-value {shown_value(q, report.unit, report.standing.mate_of(q))}"


def write_small_header(svg: Element, report: Report) -> None:
    header = group(svg, "header")
    _write_headline(header, what_happened(report), _score(report), -9, 17)


def name_of_score(report: Report) -> str:
    """What the position's number is called: a score is of heat."""
    return "score" if report.unit.is_static else "value"


def _score(report: Report) -> str:
    return shown_value(report.score, report.unit, report.standing.mate_of(report.score))


def _write_headline(header: Element, left: str, right: str, line: float, size: float) -> None:
    size = _fitting(size, len(left) + len(right) + 2, _RIGHT - MARGIN)
    text(header, left, MARGIN, line, size, bold=True)
    text(header, right, _RIGHT, line, size, anchor="end", bold=True)


def _fitting(size: float, characters: int, room: float) -> float:
    """The size at which so many characters surely fit, if it is smaller."""
    return min(size, room / (characters * _WIDEST_CHARACTER))


def what_happened(report: Report) -> str:
    """The move that led here, if it is known, and who is to move, or how the game is over."""
    return " · ".join(filter(None, (last_move_text(report.board), _whose_turn(report))))


def last_move_text(board: chess.Board) -> str:
    """Such as "3. Bb5" or "3... a6"; nothing at the start."""
    if not board.move_stack:
        return ""
    before = board.copy()
    move = before.pop()
    dots = "." if before.turn == chess.WHITE else "..."
    return f"{before.fullmove_number}{dots} {before.san(move)}"


def _whose_turn(report: Report) -> str:
    if report.state in (State.CHECKMATE, State.STALEMATE, State.DRAWN):
        return f"{report.board.result() if report.state == State.CHECKMATE else '1/2-1/2'}, {report.reason}"
    return f"{chess.COLOR_NAMES[report.turn].capitalize()} to move"


def write_colours(svg: Element, scale: Scale, side: str) -> None:
    """The bar of the scale with its unit, and the two king boxes."""
    legend, inks = group(svg, "legend"), scale.palette.inks
    top, right = BOARD + 18.0, MARGIN + _BAR_WIDTH
    lowest, highest = _ends(scale, side)
    _draw_bar(legend, scale, lowest, highest, MARGIN, top, _BAR_HEIGHT)
    for number in range(5) if side == "both" else range(0, 5, 2):
        tick = _tick(lowest + (highest - lowest) * number / 4, signed=side == "both")
        text(legend, tick, MARGIN + _BAR_WIDTH * number / 4, top + 22, 10.5, ink=FAINT_INK, anchor="middle")
    if side == "both":
        text(legend, "Black", MARGIN, top - 4, 11, ink=inks[chess.BLACK], bold=True)
    hot = chess.BLACK if side == "black" else chess.WHITE
    text(
        legend,
        chess.COLOR_NAMES[hot].capitalize(),
        right,
        top - 4,
        11,
        ink=inks[hot],
        anchor="end",
        bold=True,
    )
    text(legend, "heat units", MARGIN + _BAR_WIDTH / 2, top - 4, 11, ink=FAINT_INK, anchor="middle")
    for row, color in enumerate((chess.WHITE, chess.BLACK)):
        _draw_box_key(legend, color, scale.palette, top - 8 + 18 * row)


def write_small_colours(svg: Element, scale: Scale, side: str) -> None:
    legend, inks = group(svg, "legend"), scale.palette.inks
    left, line = MARGIN + 77.0, BOARD + 21.0
    lowest, highest = _ends(scale, side)
    _draw_bar(legend, scale, lowest, highest, left, BOARD + 9, 13.0)
    low = f"Black {scale.limit:g}" if side == "both" else "0"
    low_ink = inks[chess.BLACK] if side == "both" else FAINT_INK
    text(legend, low, left - 6, line, 15, ink=low_ink, anchor="end")
    hot = chess.BLACK if side == "black" else chess.WHITE
    high = f"{scale.limit:g} {chess.COLOR_NAMES[hot].capitalize()}"
    text(legend, high, left + _BAR_WIDTH + 6, line, 15, ink=inks[hot])


def _ends(scale: Scale, side: str) -> tuple[float, float]:
    """The heat at the left and at the right end of the bar."""
    return {
        "both": (-scale.limit, scale.limit),
        "white": (0.0, scale.limit),
        "black": (0.0, -scale.limit),
    }[side]


def _tick(value: float, *, signed: bool) -> str:
    return with_minus(f"{value:+g}") if signed and value else f"{abs(value):g}"


def _draw_bar(
    parent: Element,
    scale: Scale,
    lowest: float,
    highest: float,
    left: float,
    top: float,
    height: float,
) -> None:
    strips = int(_BAR_WIDTH / _STRIP)
    for strip in range(strips):
        value = lowest + (highest - lowest) * (strip + 0.5) / strips
        rectangle(
            parent,
            left + strip * _STRIP,
            top,
            _STRIP if strip == strips - 1 else _STRIP + 0.6,  # no gap shows through
            height,
            fill=scale.colour(value),
        )
    rectangle(parent, left, top, _BAR_WIDTH, height, fill="none", stroke=FAINT_INK, stroke_width=0.6)


def _draw_box_key(parent: Element, color: chess.Color, palette: Palette, top: float) -> None:
    dashes = {} if color == chess.WHITE else {"stroke_dasharray": "4 2.5"}
    rectangle(
        parent,
        _KEY_LEFT,
        top,
        18.0,
        12.0,
        fill="none",
        stroke=palette.inks[color],
        stroke_width=2.2,
        **dashes,
    )
    text(parent, f"{chess.COLOR_NAMES[color].capitalize()}'s king box", _KEY_LEFT + 26, top + 10, 11)


def write_moves(svg: Element, moves: Sequence[Prospect], top: float) -> None:
    """The moves that the arrows show, with their values and whether these are the table's."""
    row = group(svg, "moves")
    room = (_RIGHT - MARGIN) / MOST_ARROWS
    all_parts = [
        (
            f"{rank} ",
            f"{move.san} ",
            shown_value(move.value, move.unit, move.mate_in),
            " table" if move.from_table else "",
        )
        for rank, move in enumerate(moves, start=1)
    ]
    size = min((_fitting(11.5, len("".join(parts)) + 1, room) for parts in all_parts), default=11.5)
    for column, (rank, san, value, source) in enumerate(all_parts):
        line = text(row, "", MARGIN + column * room, top, size)
        words(line, rank, fill=FAINT_INK)
        words(line, san, font_weight="600")
        words(line, value)
        if source:
            words(line, source, fill=FAINT_INK)
