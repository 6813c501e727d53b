"""Arrows for the best candidates, each with its value, none of the values on top of another."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import chess

from heatmap_engine.drawing.palette import INK, PAPER
from heatmap_engine.pictures.shapes import (
    BOARD,
    MARGIN,
    SQUARE,
    Point,
    group,
    middle,
    polygon,
    rectangle,
    text,
)
from heatmap_engine.pictures.values import shown_value
from heatmap_engine.reports.report import Prospect

MOST_ARROWS = 3
# The best arrow is the widest and darkest.
_WIDTHS = (7.0, 5.0, 3.6)
_OPACITIES = (0.92, 0.78, 0.66)
_HEAD = 15.0
_TIP_GAP = 6.0

_LABEL_SIZE = 10.5
_LABEL_HEIGHT = 15.0
# Wide enough for a digit of every common font.
_DIGIT_WIDTH = 6.3
_NUMBER_HEIGHT = 9.0
# A digit nearer to an arrow's middle line is crossed out by it.
_CLEARANCE = 7.5

# Where along an arrow its value may stand, and how far beside it, the best places first.
_ALONG = (0.55, 0.4, 0.7, 0.28, 0.82, 0.15, 1.0)
_BESIDE = (0.0, 18.0, -18.0, 34.0, -34.0)
# To hide another value is so much worse than to hide a piece or an arrow's head.
_VALUES_MATTER = 1000.0
_MAN_WIDTH, _MAN_HEIGHT, _MAN_RISE = 24.0, 28.0, 5.0


@dataclass(frozen=True, slots=True)
class Box:
    """What takes room on the drawing: its middle and its size."""

    x: float
    y: float
    width: float
    height: float

    def overlap(self, other: "Box") -> float:
        across = (self.width + other.width) / 2 + 1 - abs(self.x - other.x)
        down = (self.height + other.height) / 2 + 1 - abs(self.y - other.y)
        return max(across, 0.0) * max(down, 0.0)


@dataclass(frozen=True, slots=True)
class Arrow:
    """A candidate's arrow on the drawing, and where its value stands."""

    tail: Point
    head: Point
    rank: int
    value: str
    label: Box

    @property
    def length(self) -> float:
        return math.dist(self.tail, self.head)

    def covers(self, point: Point) -> bool:
        """Whether a number whose middle is here could not be read."""
        a_number = Box(*point, width=_DIGIT_WIDTH * 4, height=_NUMBER_HEIGHT)
        parts = [(point[0] + aside, point[1]) for aside in (-_DIGIT_WIDTH, 0.0, _DIGIT_WIDTH)]
        return self.label.overlap(a_number) > 0 or min(map(self._distance, parts)) < _CLEARANCE

    def _distance(self, point: Point) -> float:
        across, down = self.head[0] - self.tail[0], self.head[1] - self.tail[1]
        along = ((point[0] - self.tail[0]) * across + (point[1] - self.tail[1]) * down) / self.length**2
        share = min(max(along, 0.0), 1.0)
        return math.dist(point, (self.tail[0] + share * across, self.tail[1] + share * down))


def different_arrows(moves: Iterable[Prospect]) -> list[Prospect]:
    """The best moves that an arrow can tell apart: of four promotions on one square only the best."""
    best: dict[tuple[chess.Square, chess.Square], Prospect] = {}
    for move in moves:
        best.setdefault((move.move.from_square, move.move.to_square), move)
        if len(best) == MOST_ARROWS:
            break
    return list(best.values())


def placed_arrows(
    candidates: Sequence[Prospect], occupied: chess.SquareSet, bottom: chess.Color
) -> list[Arrow]:
    """Arrows for moves, each with its value where that hides least."""
    labels = [(each.move, shown_value(each.value, each.unit, each.mate_in)) for each in candidates]
    return labelled_arrows(labels, occupied, bottom)


def labelled_arrows(
    moves: Sequence[tuple[chess.Move, str]], occupied: chess.SquareSet, bottom: chess.Color
) -> list[Arrow]:
    """The same with any words, MOST_ARROWS of them at the most."""
    ends = [(middle(move.from_square, bottom), middle(move.to_square, bottom)) for move, _ in moves]
    in_the_way = [_man_box(square, bottom) for square in occupied]
    in_the_way += [_head_box(tail, head) for tail, head in ends]
    arrows: list[Arrow] = []
    for rank, ((_, words), (tail, head)) in enumerate(zip(moves, ends, strict=True)):
        label = _place(tail, head, words, [arrow.label for arrow in arrows], in_the_way)
        arrows.append(Arrow(tail, head, rank, words, label))
    return arrows


def _man_box(square: chess.Square, bottom: chess.Color) -> Box:
    x, y = middle(square, bottom)
    return Box(x, y - _MAN_RISE, _MAN_WIDTH, _MAN_HEIGHT)


def _head_box(tail: Point, head: Point) -> Box:
    share = 1 - (_TIP_GAP + _HEAD / 2) / math.dist(tail, head)
    x, y = tail[0] + share * (head[0] - tail[0]), tail[1] + share * (head[1] - tail[1])
    return Box(x, y, _HEAD, _HEAD)


def _inside(middle: float, size: float) -> float:
    """Where the middle of something so large must be to stay on the board."""
    least = MARGIN + size / 2 + 2
    return min(max(middle, least), BOARD - least)


def _place(tail: Point, head: Point, value: str, values: Sequence[Box], in_the_way: Sequence[Box]) -> Box:
    width = len(value) * _DIGIT_WIDTH + 7

    def box(share: float, aside: float) -> Box:
        across, down = head[0] - tail[0], head[1] - tail[1]
        length = math.hypot(across, down)
        x, y = (
            tail[0] + share * across - aside * down / length,
            tail[1] + share * down + aside * across / length,
        )
        return Box(_inside(x, width), _inside(y, _LABEL_HEIGHT), width, _LABEL_HEIGHT)

    def hides(place: Box) -> float:
        hidden_values = sum(place.overlap(other) for other in values)
        return _VALUES_MATTER * hidden_values + sum(place.overlap(other) for other in in_the_way)

    return min((box(share, aside) for aside in _BESIDE for share in _ALONG), key=hides)


def draw_arrows(svg: Element, arrows: Sequence[Arrow]) -> None:
    """The shortest on top: on the same line it would vanish under a longer one."""
    drawn = group(svg, "candidates")
    for arrow in sorted(arrows, key=lambda arrow: -arrow.length):
        _draw_arrow(drawn, arrow)


def _draw_arrow(parent: Element, arrow: Arrow) -> None:
    tail, length = arrow.tail, arrow.length
    ahead = ((arrow.head[0] - tail[0]) / length, (arrow.head[1] - tail[1]) / length)

    def at(along: float, aside: float) -> Point:
        return tail[0] + ahead[0] * along - ahead[1] * aside, tail[1] + ahead[1] * along + ahead[0] * aside

    half, wing = _WIDTHS[arrow.rank] / 2, _WIDTHS[arrow.rank] / 2 + 5.5
    tip, neck, start = length - _TIP_GAP, length - _TIP_GAP - _HEAD, SQUARE * 0.2
    outline = [at(start, half), at(neck, half), at(neck, wing), at(tip, 0)]
    outline += [at(neck, -wing), at(neck, -half), at(start, -half)]
    polygon(
        parent,
        outline,
        fill=INK,
        stroke=PAPER,
        stroke_width=1.4,
        stroke_linejoin="round",
        opacity=_OPACITIES[arrow.rank],
    )


def write_values(svg: Element, arrows: Sequence[Arrow]) -> None:
    """The values of all arrows, over everything else on the board."""
    written = group(svg, "values")
    for arrow in reversed(arrows):
        _write_value(written, arrow.label, arrow.value, is_best=arrow.rank == 0)


def _write_value(parent: Element, label: Box, value: str, *, is_best: bool) -> None:
    left, top = label.x - label.width / 2, label.y - label.height / 2
    fill, ink = (INK, PAPER) if is_best else (PAPER, INK)
    rectangle(parent, left, top, label.width, label.height, rx=4, fill=fill, stroke=INK, stroke_width=0.8)
    text(parent, value, label.x, label.y + 3.7, _LABEL_SIZE, ink=ink, anchor="middle", bold=is_best)
