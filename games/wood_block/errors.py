"""What can go wrong with a wood block puzzle, as one small tree.

WoodBlockError
├── InvalidRules      also a ValueError: a size, a set of blocks or a setting that cannot be
├── InvalidQuestion   also a ValueError: a board, a hand or an action that cannot be
└── InvalidWeights    also a ValueError: weights of the evaluation that cannot be used
"""


class WoodBlockError(Exception):
    """Any error that this package raises on purpose; its message is fit to be shown to a user."""


class InvalidRules(WoodBlockError, ValueError):
    """Rules or settings that cannot be; the message says what was expected and what came."""


class InvalidQuestion(WoodBlockError, ValueError):
    """A question without an answer; the message says what was expected and what came."""


class InvalidWeights(WoodBlockError, ValueError):
    """Weights that cannot be used; the message names the file or the set."""
