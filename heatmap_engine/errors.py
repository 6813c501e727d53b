"""What can go wrong, as one small tree.

HeatmapError
└── InvalidPosition   also a ValueError: the question has no answer, because the position is not
                      one of standard chess, or because the depth or the weights make none
"""


class HeatmapError(Exception):
    """Any error that this package raises on purpose; its message is fit to be shown to a user."""


class InvalidPosition(HeatmapError, ValueError):
    """A position, depth or set of weights that has no score; the message says what was expected."""


def shown(value: object) -> str:
    """What came instead of what was expected, short enough for a message."""
    try:
        return f"{value!r:.80}"
    except ValueError:  # Python writes out no int of more than 4,300 digits
        return f"a {type(value).__name__} too long to write out"
