"""One game to learn, and what learning it comes to: what goes to a worker and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.chess.journal import LearnedGame
from games.chess.record import GameRecord, Scalar
from heatmap_engine.engines.modes import AnySettings, rethinking
from heatmap_engine.memory.views import Known, View
from heatmap_engine.memory.walk import Walk, learned_steps, walk_back
from qtable import Entry, QTable
from qtable.errors import DuplicateJournalLine


@dataclass(frozen=True, slots=True)
class GameToLearn:
    """A game to walk backwards `walks` times, after `walks_before` times that the table knows of.

    `added` is when the journal says that the game was learned; None is the moment of recording.
    """

    record: GameRecord
    settings: AnySettings
    walks_before: int = 0
    walks: int = 1
    added: int | None = None
    place: str = ""
    """Where the game stands, for people: a file and a number."""


@dataclass(frozen=True)
class FinishedGame:
    """A game with what it changes in a table: its line of the journal, and entries by key."""

    learned: LearnedGame
    changes: dict[str, Entry]

    def __getstate__(self) -> dict[str, Any]:
        """Plain tuples, which travel between processes in a third of the time that entries take."""
        return {"learned": self.learned, "changes": [(key, *entry) for key, entry in self.changes.items()]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        changes = {key: Entry._make(fields) for key, *fields in state["changes"]}
        self.__dict__.update(learned=state["learned"], changes=changes)


class Finisher:
    """Finishes games on a table as it is at that moment; writes nothing."""

    def __init__(self, table: Known) -> None:
        self._table = table

    def __call__(self, game: GameToLearn) -> FinishedGame:
        return finish(game, self._table)


def finish(game: GameToLearn, table: Known) -> FinishedGame:
    """Walk a game backwards; its result counts only in the first walk of all."""
    view = View(table)
    return finished(game, view, walk_game(game, table, view))


def walk_game(game: GameToLearn, table: Known, view: View) -> list[Walk]:
    """Walk a game as often as it asks for, on a view of `table` that may hold what playing it has found."""
    walks = []
    again = rethinking(game.settings)
    for number in range(game.walks):
        below = view if view.changes else table  # a view of nothing costs as much to read as one of a game
        counts = game.walks_before + number == 0
        walks.append(walk_back(game.record, again, below, count_results=counts))
        view.record(walks[-1].changes)
    return walks


def finished(
    game: GameToLearn, view: View, walks: list[Walk], measured: Mapping[str, Scalar] | None = None
) -> FinishedGame:
    """The game with what `view` and the walks have changed.

    `measured` goes into the journal beside the learner's settings.
    """
    number = game.walks_before + game.walks
    settings = {**game.settings.learner, **(measured or {})}
    steps = learned_steps(walks[0], walks[-1])
    return FinishedGame(LearnedGame(game.record, settings, number, game.added, steps), view.changes)


def apply(game: FinishedGame, table: QTable) -> bool:
    """Record a game together with its line in the journal; False if another process has learned it meanwhile.

    Only the process that is the table's writer calls this.
    """
    try:
        table.record(game.changes, [game.learned.to_line()], replace=game.learned.walks > 1)
    except DuplicateJournalLine:
        return False
    return True
