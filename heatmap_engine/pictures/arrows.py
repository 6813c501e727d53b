"""Arrows for the best candidates, each with its value, none of the values on top of another."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import chess

from heatmap_engine.pictures.palette import INK, PAPER
from heatmap_engine.pictures.shapes import SQUARE, Point, group, middle, polygon, rectangle, text

# The best arrow is the widest and darkest.
_WIDTHS = (7.0, 5.0, 3.6)
_OPACITIES = (0.92, 0.78, 0.66)
_HEAD = 15.0
_TIP_GAP = 6.0

_LABEL_SIZE = 10.5
_LABEL_HEIGHT = 15.0
# Wide enough for a digit of every common font.
_DIGIT_WIDTH = 6.3
# Places along an arrow at which its value may stand, the best first.
_PLACES = (0.55, 0.4, 0.7, 0.28, 0.82, 0.15, 0.95)


@dataclass(frozen=True, slots=True)
class Arrow:
    """A candidate's arrow on the drawing, and where its value stands."""

    tail: Point
    head: Point
    rank: int
    value: str
    label: "Label"

    @property
    def length(self) -> float:
        return math.dist(self.tail, self.head)

    def covers(self, point: Point) -> bool:
        """Whether a number whose middle is here could not be read."""
        return self.label.overlap(Label(*point, _DIGIT_WIDTH * 3)) > 0 or self._distance(point) < 7.0

    def _distance(self, point: Point) -> float:
        across, down = self.head[0] - self.tail[0], self.head[1] - self.tail[1]
        along = ((point[0] - self.tail[0]) * across + (point[1] - self.tail[1]) * down) / self.length**2
        share = min(max(along, 0.0), 1.0)
        return math.dist(point, (self.tail[0] + share * across, self.tail[1] + share * down))


@dataclass(frozen=True, slots=True)
class Label:
    """A value's box: its middle and its width."""

    x: float
    y: float
    width: float

    def overlap(self, other: "Label") -> float:
        across = (self.width + other.width) / 2 + 1 - abs(self.x - other.x)
        down = _LABEL_HEIGHT + 1 - abs(self.y - other.y)
        return max(across, 0.0) * max(down, 0.0)


def placed_arrows(candidates: Iterable[tuple[chess.Move, str]], bottom: chess.Color) -> list[Arrow]:
    """Arrows for moves and their values, the best first, with each value where it hides least of others."""
    arrows: list[Arrow] = []
    for rank, (move, value) in enumerate(candidates):
        tail, head = middle(move.from_square, bottom), middle(move.to_square, bottom)
        label = _place(tail, head, value, [arrow.label for arrow in arrows])
        arrows.append(Arrow(tail, head, min(rank, len(_WIDTHS) - 1), value, label))
    return arrows


def _place(tail: Point, head: Point, value: str, placed: Sequence[Label]) -> Label:
    width = len(value) * _DIGIT_WIDTH + 7
    labels = [
        Label(tail[0] + (head[0] - tail[0]) * share, tail[1] + (head[1] - tail[1]) * share, width)
        for share in _PLACES
    ]
    return min(labels, key=lambda label: sum(label.overlap(other) for other in placed))


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


def _write_value(parent: Element, label: Label, value: str, *, is_best: bool) -> None:
    left, top = label.x - label.width / 2, label.y - _LABEL_HEIGHT / 2
    fill, ink = (INK, PAPER) if is_best else (PAPER, INK)
    rectangle(parent, left, top, label.width, _LABEL_HEIGHT, rx=4, fill=fill, stroke=INK, stroke_width=0.8)
    text(parent, value, label.x, label.y + 3.7, _LABEL_SIZE, ink=ink, anchor="middle", bold=is_best)
