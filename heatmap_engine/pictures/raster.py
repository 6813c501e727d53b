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


def gif_of(pictures: Iterable[Picture], frame_ms: int, last_ms: int) -> bytes:
    """One frame for each picture, again and again, the last one shown for longer."""
    _required()
    from PIL import Image as images

    frames = [_in_few_colours(images.open(io.BytesIO(picture.png()))) for picture in pictures]
    durations = [frame_ms] * (len(frames) - 1) + [last_ms]
    gif = io.BytesIO()
    frames[0].save(
        gif, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True
    )
    return gif.getvalue()


def _in_few_colours(frame: "Image") -> "Image":
    """As many colours as a GIF has, without dots of other colours between them, on a white page."""
    page = frame.convert("RGB") if frame.mode == "RGB" else _on_white(frame)
    return page.quantize(colors=_GIF_COLOURS, dither=0)


def _on_white(frame: "Image") -> "Image":
    from PIL import Image as images

    page = images.new("RGB", frame.size, "white")
    page.paste(frame, mask=frame.getchannel("A"))
    return page
