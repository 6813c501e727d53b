"""The first answer and the loop: `uci` is answered before numpy, the kernel or a table are loaded."""

import io
from collections.abc import Iterator
from typing import BinaryIO

from heatmap_engine.uci.identification import identification
from heatmap_engine.uci.options import Options
from heatmap_engine.uci.wire import Output, read_lines


def run(stream: BinaryIO | io.BufferedIOBase, output: Output) -> None:
    """Answer the commands of a stream until `quit`, its end, or until nobody reads the answers."""
    options = Options()
    lines = read_lines(stream, output.string)
    first = _identify(lines, options, output)
    if first is None:
        return
    from heatmap_engine.uci.session import UciSession

    session = UciSession(options, output)
    try:
        if session.handle(first):
            for line in lines:
                if not session.handle(line) or output.is_closed:
                    break
    finally:
        session.close()


def _identify(lines: Iterator[str], options: Options, output: Output) -> str | None:
    """Answer the commands that need no chess; the first other one is handed back, None at the end."""
    for line in lines:
        match line.split():
            case ["uci", *_]:
                output.lines(*identification(options))
                # What the session needs takes 0.2 s to load; the GUI is reading the answer meanwhile.
                import heatmap_engine.uci.session  # noqa: F401
            case ["quit", *_]:
                return None
            case []:
                continue
            case _:
                return line
    return None
