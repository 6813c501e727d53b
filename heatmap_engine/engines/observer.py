"""Who hears of a pick while it is made."""

from collections.abc import Callable

import chess

from heatmap_engine.engines.pick import FoundDepth, Pick
from heatmap_engine.stop import Stop


class Observer:
    """Hears of a pick while it is made, in the thread that makes it; override what is wanted.

    `stop`, once set, works like `Engine.stop`, also where it was set before the pick began, and for every
    pick that has this observer.
    """

    def __init__(self) -> None:
        self.stop = Stop()

    def on_move(self, number: int, move: chess.Move) -> None:
        """A search too large for one tree turns to the root's move of this number, counted from 1."""

    def on_depth(self, found: FoundDepth) -> None:
        """A depth was finished, and would pick this."""

    def on_pick(self, pick: Pick) -> None:
        """This is the pick; nothing was recorded yet, so that a clock need not wait for the table."""

    def on_found(self, record: Callable[[], None]) -> None:
        """There is something to record; one other thread at a time may do so instead."""
        record()
