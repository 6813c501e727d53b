"""Following a pick while it is made."""

from collections.abc import Callable

import chess

from heatmap_engine.engines.pick import FoundDepth, Pick
from heatmap_engine.stop import Stop


class Observer:
    """Is called while a pick is made, in the thread that makes it. Override what you need.

    `stop` works like `Engine.stop`, also if it is set before the pick begins, and for every pick that has
    this observer.
    """

    def __init__(self) -> None:
        self.stop = Stop()

    def on_move(self, number: int, move: chess.Move) -> None:
        """A search that is too large for one tree begins with this root move; numbers count from 1."""

    def on_depth(self, found: FoundDepth) -> None:
        """A depth is finished; this is what it would pick."""

    def on_pick(self, pick: Pick) -> None:
        """This is the pick. Nothing is recorded yet, so that the answer need not wait for the table."""

    def on_found(self, record: Callable[[], None]) -> None:
        """There is something to record. Call `record`, here or in one other thread."""
        record()
