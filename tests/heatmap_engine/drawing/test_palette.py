"""Colours of heat: told apart by colour-blind eyes, and readable under men and numbers."""

import itertools
import math

import chess
import pytest

from heatmap_engine.drawing.palette import (
    FAINT_INK,
    INK,
    PALETTES,
    PAPER,
    Palette,
    Scale,
    palette_named,
    rgb,
    round_limit,
)
from heatmap_engine.errors import InvalidSettings

# How eyes without one kind of cone see linear light: Machado, Oliveira and Fernandes (2009), severity 1.
SIGHT = {
    "full": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}

Vector = tuple[float, ...]

all_palettes = pytest.mark.parametrize("palette", PALETTES.values(), ids=list(PALETTES))
all_eyes = pytest.mark.parametrize("sight", SIGHT)


def linear(colour: str) -> Vector:
    parts = [part / 255 for part in rgb(colour)]
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def seen(colour: str, sight: str) -> Vector:
    light = linear(colour)
    found = (sum(share * part for share, part in zip(row, light, strict=True)) for row in SIGHT[sight])
    return tuple(min(max(part, 0.0), 1.0) for part in found)


def lab(light: Vector) -> Vector:
    """CIE L*a*b* of linear sRGB under its own white."""
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(share * part for share, part in zip(row, light, strict=True)) for row in rows]
    x, y, z = (
        share ** (1 / 3) if share > 0.008856 else 7.787 * share + 16 / 116
        for share in (part / white for part, white in zip(xyz, (0.9505, 1.0, 1.089), strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: str, other: str, sight: str) -> float:
    return math.dist(lab(seen(one, sight)), lab(seen(other, sight)))


def contrast(one: str, other: str) -> float:
    """As the accessibility guidelines of the web count it: 1 for the same, 21 for black on white."""
    lights = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in map(linear, (one, other))]
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def colours_on_board(palette: Palette) -> list[str]:
    scale = Scale(palette, 10.0)
    return [scale.square_colour(heat, square) for heat in range(-10, 11) for square in (chess.A1, chess.A2)]


@all_palettes
@all_eyes
def test_white_and_black_heat_are_told_apart(palette: Palette, sight: str) -> None:
    scale = Scale(palette, 10.0)
    for heat, least in ((10, 40), (5, 20), (2.5, 8)):  # a difference of 2.3 is just noticed
        assert difference(scale.colour(heat), scale.colour(-heat), sight) > least


@all_palettes
@all_eyes
def test_more_heat_looks_further_from_none(palette: Palette, sight: str) -> None:
    scale = Scale(palette, 10.0)
    for sign in (1, -1):
        steps = [difference(scale.colour(0), scale.colour(sign * heat), sight) for heat in range(11)]
        assert all(later > earlier + 1 for earlier, later in itertools.pairwise(steps))


@all_palettes
def test_numbers_and_black_men_are_read_on_every_heat(palette: Palette) -> None:
    for colour in colours_on_board(palette):
        assert contrast(INK, colour) >= 4.5  # what the guidelines ask for small text
        assert contrast("#000000", colour) >= 4.5


def test_words_are_read_on_paper() -> None:
    inks = [ink for palette in PALETTES.values() for ink in palette.inks.values()]
    for ink in (INK, FAINT_INK, *inks):
        assert contrast(ink, PAPER) >= 4.5


@all_palettes
def test_scale_ends_at_its_limit(palette: Palette) -> None:
    scale = Scale(palette, 4.0)
    assert scale.colour(4.0) == scale.colour(99.0) == palette.arms[chess.WHITE][-1]
    assert scale.colour(-4.0) == palette.arms[chess.BLACK][-1]
    assert scale.colour(0.0) == scale.colour(-0.0) == palette.arms[chess.WHITE][0]
    assert len({scale.colour(heat) for heat in (0, 1, 2, 3, 4)}) == 5


@pytest.mark.parametrize(
    ("hottest", "limit"),
    [(0, 1), (0.4, 1), (1, 1), (1.01, 2), (5.0, 5), (6.1, 8), (10, 10), (10.5, 20), (61, 80), (1e6, 1e6)],
)
def test_limit_is_the_next_round_number(hottest: float, limit: float) -> None:
    assert round_limit(hottest) == limit


@pytest.mark.parametrize("name", ["rainbow", "", None, ["orange-blue"]])
def test_unknown_colours_are_named_with_the_known_ones(name: str) -> None:
    with pytest.raises(InvalidSettings, match="colours must be one of orange-blue, green-pink, got"):
        palette_named(name)
