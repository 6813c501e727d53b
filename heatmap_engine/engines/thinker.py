"""What the engine asks a mode: to think about one position within limits."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import chess

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.engines.observer import Observer
from heatmap_engine.engines.pick import Pick
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.limits import Limits
from heatmap_engine.memory.views import EntrySource
from heatmap_engine.memory.walk import Reanalysis
from heatmap_engine.reports.why import Verdict
from heatmap_engine.stop import Stop
from qtable import Entry


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One position to think about."""

    board: chess.Board
    root: PackedPosition
    """The board for the kernel."""
    limits: Limits
    known: EntrySource | None
    """What the table knows, or None where there is none."""
    stop: Stop
    """Ends the search, however early it is set."""
    observer: Observer = field(default_factory=Observer)
    is_watched: bool = False
    """Whether anybody hears of single depths."""
    lines: int = 1
    moves: Collection[chess.Move] = ()
    """The moves to choose from; none for all of them."""
    tells_lines: bool = True
    """Whether a line that ends at a value of the table is told on."""
    asks_tablebases: bool = True
    """Whether endgame tables may rule the root. They know results and no reasons."""
    record: str = "off"
    """What of it is going to be recorded."""
    report: Callable[[str], None] = lambda message: None
    """Hears what went wrong and did not stop the search."""


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The pick, and what there is to record: in deep mode nothing of a search of some moves only."""

    pick: Pick
    entries: Callable[[], Mapping[str, Entry]]
    """Made only when the answer is on its way: no clock waits for that."""


class Thinker(Protocol):
    """A mode's search with what it keeps in memory. One thread at a time may use it."""

    def think(self, request: SearchRequest) -> SearchOutcome:
        """The best move within the limits; raises GameOver without any."""
        ...

    def candidates(
        self, board: chess.Board, limits: Limits | None, known: EntrySource | None
    ) -> tuple[Candidate, ...]:
        """The moves as a pick ranks them, for a report. The same question always has the same answer."""
        ...

    def compare(self, request: SearchRequest, move: chess.Move | None) -> tuple[Verdict, Verdict]:
        """What is found for a move, by default the best one, and for the best one; as for a report."""
        ...

    def reanalysis(self, settings: Any) -> Reanalysis:
        """How the positions of the games that are played next are searched again, in the same thread."""
        ...

    def clear(self) -> None:
        """Forget what searches keep in memory."""
        ...

    @property
    def hash_permille(self) -> int | None:
        """How much of its memory the search has filled; None where it keeps nothing."""
        ...

    @property
    def current(self) -> tuple[str, int]:
        """The root's move that is being searched and its number, 0 before the first; any thread may ask."""
        ...
