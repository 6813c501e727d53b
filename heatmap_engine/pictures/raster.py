"""SVG to pixels, by resvg; the extra `pictures` brings it, and it needs nothing of the system.

The words are set in the one font that Pillow carries, so that a picture is the same on every machine, also
on one without fonts.
"""

import importlib
import tempfile
from pathlib import Path
from types import ModuleType

from heatmap_engine.errors import MissingExtra
from heatmap_engine.pictures.values import MINUS

# What the font has no glyph for, though the pictures use it.
IN_THE_FONT = str.maketrans({MINUS: "-"})
_FONT = "Aileron"


def png_of(svg: str, width: int) -> bytes:
    """The SVG as PNG, so many pixels wide."""
    resvg, fonts = pictures_extra("resvg_py"), pictures_extra("PIL.ImageFont")
    with tempfile.TemporaryDirectory() as folder:
        font = Path(folder) / "font.ttf"
        font.write_bytes(fonts.load_default(16).font_bytes)
        png: bytes = resvg.svg_to_bytes(
            svg_string=svg.translate(IN_THE_FONT),
            width=width,
            skip_system_fonts=True,
            font_files=[str(font)],
            font_family=_FONT,
            sans_serif_family=_FONT,
        )
    return png


def pictures_extra(name: str) -> ModuleType:
    """A module of the extra `pictures`; raises MissingExtra where that is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra(
            f"PNG and GIF need {name}, which is not installed; "
            'in the folder of Heatmap Engine, run: pip install ".[pictures]"'
        ) from error
