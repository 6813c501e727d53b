"""What can go wrong in Tetris, as one small tree.

TetrisError
├── InvalidSettings   also a ValueError: a board, a rule or a player that cannot be
├── InvalidWeights    also a ValueError: weights or a network that cannot be used
└── InvalidRun        a folder that holds no run of learning, or a run that cannot go on
"""


class TetrisError(Exception):
    """Any error that this package raises on purpose; its message is fit to be shown to a user."""


class InvalidSettings(TetrisError, ValueError):
    """Something outside of its range; the message says what was expected and what came."""


class InvalidWeights(TetrisError, ValueError):
    """Weights or a network that cannot be used; the message names the file."""


class InvalidRun(TetrisError):
    """A folder that holds no run, or a run that cannot go on; nothing was changed."""
