"""Learning one game: it is walked back, once or several times, and the changes are returned.

The engine, `learn`, self-play, rebuilding and the cluster all learn games here. Nothing is written: only the
process that is a table's writer records what a lesson came to.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from games.chess.journal import LearnedGame
from games.chess.record import GameRecord, Scalar
from heatmap_engine.memory.views import EntrySource, View
from heatmap_engine.memory.walk import Reanalysis, Step, Walk, Walker, learned_steps
from qtable import Entry, QTable
from qtable.errors import DuplicateJournalLine


@dataclass(frozen=True)
class Learned:
    """The result of learning a game: its line of the journal, and the entries to record."""

    game: LearnedGame
    changes: dict[str, Entry]
    steps: tuple[Step, ...] = ()
    """What the last walk changed at each position, the last one first; only where the game was learned."""

    @property
    def game_id(self) -> str:
        return self.game.record.game_id

    @property
    def entries(self) -> int:
        """How many entries were recorded."""
        return len(self.changes)

    @property
    def replaces(self) -> bool:
        """Whether the journal may have the game already, because it is walked again."""
        return self.game.walks > 1

    def with_figures(self, figures: Mapping[str, Scalar], added: int | None = None) -> "Learned":
        """The same with figures beside the learner's settings in the journal."""
        settings = {**self.game.settings, **figures}
        added = self.game.added if added is None else added
        return replace(self, game=replace(self.game, settings=settings, added=added))

    def __getstate__(self) -> dict[str, Any]:
        """Plain tuples, which travel between processes in a third of the time that entries take."""
        return {"game": self.game, "changes": [(key, *entry) for key, entry in self.changes.items()]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        changes = {key: Entry._make(fields) for key, *fields in state["changes"]}
        self.__dict__.update(game=state["game"], changes=changes, steps=())


class Lesson:
    """A game that is being learned on a table as it is now. `go_on` may be interrupted and called again.

    It is walked `walks` times after `walks_before` times that the table knows of; its result counts only in
    the first walk of all. `view` may hold what playing the game has found.
    """

    def __init__(
        self,
        record: GameRecord,
        reanalysis: Reanalysis,
        table: EntrySource,
        *,
        walks: int = 1,
        walks_before: int = 0,
        added: int | None = None,
        view: View | None = None,
    ) -> None:
        self._record = record
        self._reanalysis = reanalysis
        self._table = table
        self._view = view if view is not None else View(table)
        self._number = walks_before
        self._last_number = walks_before + walks
        self._added = added
        self._walker: Walker | None = None
        self.walks: list[Walk] = []

    def go_on(self, keep_going: Callable[[int], None] = lambda moves_visited: None) -> Learned:
        """Walk on to the end; what `keep_going` raises interrupts, and the next call goes on from there."""
        while self._number < self._last_number:
            self._walker = self._walker or self._new_walker()
            walk = self._walker.go_on(keep_going)
            self.walks.append(walk)
            self._view.record(walk.changes)
            self._walker = None
            self._number += 1
        steps = learned_steps(self.walks[0], self.walks[-1])
        settings = self._reanalysis.settings.learner
        game = LearnedGame(self._record, settings, self._last_number, self._added, steps)
        return Learned(game, self._view.changes, self.walks[-1].steps)

    def _new_walker(self) -> Walker:
        # An empty view is left out: reading through it costs as much as through a full one.
        below = self._view if self._view.changes else self._table
        return Walker(self._record, self._reanalysis, below, count_results=self._number == 0)


def record_lesson(learned: Learned, table: QTable) -> bool:
    """Record a game together with its line in the journal; False if another process has learned it meanwhile.

    Only the process that is the table's writer calls this.
    """
    try:
        table.record(learned.changes, [learned.game.to_line()], replace=learned.replaces)
    except DuplicateJournalLine:
        return False
    return True
