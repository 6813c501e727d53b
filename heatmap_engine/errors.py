"""What can go wrong, as one small tree.

HeatmapError
├── InvalidPosition   also a ValueError: the question has no answer, because the position is not
│                     one of standard chess, or because the depth or the weights make none
├── InvalidKey        also a ValueError: the text is no position's key
├── InvalidMove       also a ValueError: the text is no legal move of the position, or more than one
├── InvalidSettings   also a ValueError: an engine or a search cannot be set up like this
├── InvalidWeights    also a ValueError: a file or a set of weights for the deep search that is none
├── InvalidTablebase  a file of an endgame table that cannot be read
├── GameOver          also a ValueError: no legal move to pick, the game is over
├── AlreadyLearned    the table has learned from this game before
├── InvalidRun        a run of self-play cannot begin or go on: its folder, its state or its table
├── SearchTooLarge    the search would need more memory than it may take
├── MissingExtra      an optional part of the package is not installed
├── MatchError        a match cannot be played on: its folder, a side's table or its engine
├── WorkersLost       workers end again and again without finishing a game
└── ClusterError      a cluster cannot be used, or not any more
"""


class HeatmapError(Exception):
    """Any error that this package raises on purpose; its message is fit to be shown to a user."""


class InvalidPosition(HeatmapError, ValueError):
    """A position, depth or set of weights that has no score; the message says what was expected."""


class InvalidKey(HeatmapError, ValueError):
    """A text that is not the key of any position."""


class InvalidMove(HeatmapError, ValueError):
    """A text that means no legal move; the message says why."""


class InvalidSettings(HeatmapError, ValueError):
    """A setting or a limit outside its range, or of the wrong type."""


class InvalidPatterns(HeatmapError, ValueError):
    """Patterns of a table that cannot be read, or that are worth more than anything can be."""


class InvalidWeights(HeatmapError, ValueError):
    """Weights of the deep search that cannot be used; the message names the file or the set."""


class InvalidTablebase(HeatmapError):
    """A Syzygy table that is there and cannot be read."""


class GameOver(HeatmapError, ValueError):
    """There is no legal move; the message names the result and the FEN."""


class AlreadyLearned(HeatmapError):
    """The table's journal has this game."""


class InvalidRun(HeatmapError):
    """A folder that holds no run, or a run that cannot go on; nothing was changed."""


class SearchTooLarge(HeatmapError):
    """A search with so many plies does not fit into memory."""


class MissingExtra(HeatmapError):
    """What was asked for needs an extra; the message names the command that installs it."""


class MatchError(HeatmapError):
    """A match cannot begin or go on; the games played so far are kept."""


class WorkersLost(HeatmapError):
    """Workers end again and again; what was learned before is kept."""


class ClusterError(HeatmapError):
    """A cluster cannot be used, or not any more; what was learned before is kept."""


def shown(value: object) -> str:
    """What came instead of what was expected, short enough for a message."""
    try:
        return f"{value!r:.80}"
    except (ValueError, RecursionError):  # Python writes out no int of more than 4,300 digits
        return f"a {type(value).__name__} too long to write out"
