"""SVG to pixels. resvg draws, Pillow makes GIFs; the extra `pictures` brings both.

The words are set in the one font that Pillow carries, so that a picture is the same on every machine, also
on one without fonts.
"""

import tempfile
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from heatmap_engine.errors import MissingExtra
from heatmap_engine.pictures.values import MINUS

if TYPE_CHECKING:
    pass

# What the font has no glyph for, though the pictures use it.
_IN_THE_FONT = str.maketrans({MINUS: "-"})


def png_of(svg: str, width: int) -> bytes:
    """The SVG as PNG, so many pixels wide."""
    resvg, fonts = _required()
    with tempfile.TemporaryDirectory() as folder:
        font = Path(folder) / "font.ttf"
        font.write_bytes(fonts.load_default(16).font_bytes)
        png: bytes = resvg.svg_to_bytes(
            svg_string=svg.translate(_IN_THE_FONT),
            width=width,
            skip_system_fonts=True,
            font_files=[str(font)],
            font_family="Aileron",
            sans_serif_family="Aileron",
        )
    return png


def _required() -> tuple[ModuleType, ModuleType]:
    try:
        import resvg_py
        from PIL import ImageFont
    except ImportError as error:
        raise MissingExtra(
            f"PNG and GIF need the extra 'pictures' ({error.name} is missing): "
            "pip install 'heatmap-engine[pictures]'"
        ) from error
    return resvg_py, ImageFont
