"""A game to learn as it goes to a worker, and the worker that learns it."""

from dataclasses import dataclass

from games.chess.record import GameRecord
from heatmap_engine.engines.mode import ModeSettings, mode_of
from heatmap_engine.memory.lesson import Learned, Lesson
from heatmap_engine.memory.views import EntrySource


@dataclass(frozen=True, slots=True)
class GameToLearn:
    """A game to walk backwards `walks` times, after `walks_before` times that the table knows of.

    `added` is when the journal says that the game was learned; None is the moment of recording.
    """

    record: GameRecord
    settings: ModeSettings
    walks_before: int = 0
    walks: int = 1
    added: int | None = None
    place: str = ""
    """Where the game stands, for people: a file and a number."""


class GameLearner:
    """Learns games on a table as it is at that moment; writes nothing."""

    def __init__(self, table: EntrySource) -> None:
        self._table = table

    def __call__(self, game: GameToLearn) -> Learned:
        reanalysis = mode_of(game.settings).reanalysis(game.settings)
        lesson = Lesson(
            game.record,
            reanalysis,
            self._table,
            walks=game.walks,
            walks_before=game.walks_before,
            added=game.added,
        )
        return lesson.go_on()
