"""The engine for chess GUIs: the UCI protocol over standard input and output."""

from heatmap_engine.start import STOPPED, begin, end_on_ctrl_c


def main() -> None:
    """Speak UCI until `quit` or the end of the input."""
    end_on_ctrl_c()
    import sys

    from heatmap_engine.uci.loop import run
    from heatmap_engine.uci.wire import Output

    if sys.stdin is None or sys.stdout is None:
        raise OSError("UCI needs a standard input and a standard output, and one of them is closed")
    # A search must not wait 5 ms, Python's usual turn, whenever the other thread is writing.
    sys.setswitchinterval(0.0005)
    try:
        begin()
        run(sys.stdin.buffer, Output(sys.stdout.buffer))
    except KeyboardInterrupt:
        sys.exit(STOPPED)
