"""A game as GIF, by Pillow: one frame for each position, all on one scale."""

import io
from dataclasses import replace
from typing import TYPE_CHECKING

from heatmap_engine.pictures.game import PicturedGame
from heatmap_engine.pictures.picture import Style, picture_of
from heatmap_engine.pictures.raster import pictures_extra

if TYPE_CHECKING:
    from PIL.Image import Image

_COLOURS = 256
# How long a move stays, and how long the end does.
_FRAME_MS, _LAST_FRAME_MS = 1_500, 5_000


def game_gif(game: PicturedGame, style: Style) -> bytes:
    """The game move by move, again and again; raises MissingExtra without the extra `pictures`."""
    style = replace(style, limit=style.limit or game.limit(style.side))
    frames = [_frame(picture_of(report, style).png()) for report in game.reports]
    durations = [_FRAME_MS] * (len(frames) - 1) + [_LAST_FRAME_MS]
    gif = io.BytesIO()
    frames[0].save(gif, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
    return gif.getvalue()


def _frame(png: bytes) -> "Image":
    """On a white page, in as many colours as a GIF has, without dots of other colours between them."""
    images = pictures_extra("PIL.Image")
    drawn = images.open(io.BytesIO(png))
    page: Image = images.new("RGB", drawn.size, "white")
    page.paste(drawn, mask=drawn.getchannel("A"))
    return page.quantize(colors=_COLOURS, dither=images.Dither.NONE)
