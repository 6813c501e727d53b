"""What can go wrong with a question about perfect clears, as one small tree.

PerfectClearError
├── InvalidQuestion   also a ValueError: a board, a queue, a pattern or a code that cannot be
├── Stopped           the search was asked to stop before it knew the answer
└── MissingLibrary    an optional library is not installed
"""


class PerfectClearError(Exception):
    """Any error that this package raises on purpose; its message is fit to be shown to a user."""


class InvalidQuestion(PerfectClearError, ValueError):
    """A question without an answer; the message says what was expected and what came."""


class Stopped(PerfectClearError):
    """The search has ended without an answer, because it was asked to."""


class MissingLibrary(PerfectClearError):
    """A library that the question needs is not installed; the message says how to install it."""
