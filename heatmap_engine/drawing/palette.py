"""What colour a heat has: scales that stay readable for colour-blind eyes, and under pieces of both colours.

Each palette has an arm for each side, from the same cold paper to that side's hot colour. The two hot
colours stay apart for eyes that lack any one kind of cone: a test simulates the three. Neither is dark:
black pieces and dark numbers stand on all of them.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import chess

from heatmap_engine.errors import InvalidSettings, shown

Rgb = tuple[int, int, int]

# Dark squares are so much darker than light ones, whatever their heat.
DARK_SQUARE_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of heat from cold to hot, and the ink for words and lines, of each side."""

    name: str
    arms: Mapping[chess.Color, Sequence[str]]
    inks: Mapping[chess.Color, str]
    """Darker than the arms, to be read on paper."""


PAPER = "#fcfbf8"
INK = "#1d2027"
FAINT_INK = "#5c616b"
COLD = "#f3f0e8"

ORANGE_BLUE = Palette(
    "orange-blue",
    {
        chess.WHITE: (COLD, "#fbd9ab", "#f6aa55", "#e87e22"),
        chess.BLACK: (COLD, "#c8def4", "#90bdea", "#5a9be2"),
    },
    {chess.WHITE: "#a84700", chess.BLACK: "#1a4f9c"},
)
GREEN_PINK = Palette(
    "green-pink",
    {
        chess.WHITE: (COLD, "#cbe8b0", "#8dcb62", "#4fae2e"),
        chess.BLACK: (COLD, "#f1cdec", "#e5a0dd", "#d578cd"),
    },
    {chess.WHITE: "#2a6b12", chess.BLACK: "#8a2280"},
)
PALETTES = {palette.name: palette for palette in (ORANGE_BLUE, GREEN_PINK)}


def palette_named(name: str) -> Palette:
    try:
        return PALETTES[name]
    except (KeyError, TypeError):
        raise InvalidSettings(f"colours must be one of {', '.join(PALETTES)}, got {shown(name)}") from None


@dataclass(frozen=True, slots=True)
class Scale:
    """Turns heat into colour: above zero it is White's, below zero Black's, the limit is the hottest."""

    palette: Palette
    limit: float

    def colour(self, heat: float) -> str:
        arm = self.palette.arms[chess.WHITE if heat >= 0 else chess.BLACK]
        share = min(abs(heat) / self.limit, 1.0) * (len(arm) - 1)
        step = min(int(share), len(arm) - 2)
        return _hex(mixed(rgb(arm[step]), rgb(arm[step + 1]), share - step))

    def square_colour(self, heat: float, square: chess.Square) -> str:
        """The colour on the board, where every other square is a shade darker."""
        colour = self.colour(heat)
        if chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES:
            return colour
        return _hex(mixed((0, 0, 0), rgb(colour), DARK_SQUARE_SHARE))


# Ends of a scale that people read off easily.
_ROUND_STEPS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def round_limit(hottest: float) -> float:
    """The next round number that is not below the hottest square, at least 1."""
    power = 1.0
    while hottest > _ROUND_STEPS[-1] * power:
        power *= 10.0
    above = bisect_right(_ROUND_STEPS, hottest / power - 1e-9)
    return power * _ROUND_STEPS[min(above, len(_ROUND_STEPS) - 1)]


def rgb(colour: str) -> Rgb:
    """The parts of a colour such as `#5a9be2`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(cold: Rgb, hot: Rgb, share: float) -> Rgb:
    red, green, blue = (round(c + (h - c) * share) for c, h in zip(cold, hot, strict=True))
    return red, green, blue


def _hex(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
