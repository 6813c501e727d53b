"""Draws `docs/images/heat.svg`, the picture of docs/guide/3-ask.md, from what `heatmap-engine heat` prints.

    python docs/make_heat_picture.py

The SVG names no font from elsewhere and has a background of its own, so that it looks the same offline,
on light and on dark pages. Each square's text has its own place: no font's widths move the columns.
"""

import os
import pty
import subprocess
import sysconfig
from pathlib import Path
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

FEN = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
COMMAND = ["heatmap-engine", "heat", FEN]
PICTURE = Path(__file__).parent / "images" / "heat.svg"

COLUMNS = 72
CELL_WIDTH, LINE_HEIGHT, FONT_SIZE, MARGIN = 9, 20, 15, 16
PAPER, INK = "#16181d", "#e6e6e6"


def captured() -> str:
    """What the command writes to a truecolor terminal."""
    ours, its = pty.openpty()
    variables = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": str(COLUMNS)}
    variables.pop("NO_COLOR", None)
    program = Path(sysconfig.get_path("scripts")) / COMMAND[0]
    process = subprocess.Popen([program, *COMMAND[1:]], stdout=its, env=variables)
    os.close(its)
    output = b""
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        try:
            while part := terminal.read(65536):
                output += part
        except OSError:  # Linux ends a terminal whose other side is closed with EIO
            pass
    if process.wait() != 0:
        raise RuntimeError(f"{COMMAND} ended with {process.returncode}")
    return output.decode().replace("\r\n", "\n").rstrip("\n")


def drawn(segment: Segment, column: int, row: int) -> list[str]:
    """A background and the words of one segment, each word at its own place."""
    text, style = segment.text, segment.style or Style()
    left, top = MARGIN + column * CELL_WIDTH, MARGIN + row * LINE_HEIGHT
    shapes = []
    if style.bgcolor is not None:
        fill = style.bgcolor.get_truecolor().hex
        width = cell_len(text) * CELL_WIDTH
        shapes.append(f'<rect x="{left}" y="{top}" width="{width}" height="{LINE_HEIGHT}" fill="{fill}"/>')
    ink = style.color.get_truecolor().hex if style.color is not None else INK
    weight = ' font-weight="bold"' if style.bold else ""
    start = 0
    for word in text.split(" "):
        if word:
            x = left + start * CELL_WIDTH
            length = cell_len(word) * CELL_WIDTH
            y = top + LINE_HEIGHT - 5
            shapes.append(
                f'<text x="{x}" y="{y}" textLength="{length}" lengthAdjust="spacingAndGlyphs" '
                f'fill="{ink}"{weight}>{escape(word)}</text>'
            )
        start += cell_len(word) + 1
    return shapes


def svg(text: Text) -> str:
    console = Console(width=COLUMNS, color_system="truecolor", force_terminal=True)
    lines = console.render_lines(text, pad=False)
    shapes = []
    for row, line in enumerate(lines):
        column = 0
        for segment in line:
            shapes += drawn(segment, column, row)
            column += segment.cell_length
    width, height = 2 * MARGIN + COLUMNS * CELL_WIDTH, 2 * MARGIN + len(lines) * LINE_HEIGHT
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{FONT_SIZE}" '
        'xml:space="preserve">\n'
        "<title>heatmap-engine heat: the heat of both sides after 1. e4 e5 2. Nf3 Nc6 3. Bb5</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>\n'
    )
    return head + "\n".join(shapes) + "\n</svg>\n"


def main() -> None:
    prompt = Text(f"$ heatmap-engine heat \\\n    {FEN}\n\n", style=INK)
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(svg(prompt + Text.from_ansi(captured())))


if __name__ == "__main__":
    main()
