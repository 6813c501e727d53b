"""Making a table anew from its journal.

The games are learned into a draft beside the table, whose own journal says how far it is: a rebuilding that
was stopped or killed goes on there. At the end one transaction puts the draft's content in place of the
table's. Not a new file under the old name: programs that have the table open, a chess interface for
instance, would go on in a file without a name, and SQLite would take the old file's log for the new one's.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from games.chess.journal import learned_games
from games.chess.record import Scalar
from heatmap_engine.engines.mode import ModeSettings, mode_of_meaning
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.learning.batch import Tally, run_batch
from heatmap_engine.learning.games_to_learn import GameLearner, GameToLearn
from heatmap_engine.memory.tables import require_meaning
from heatmap_engine.workers.local import local_pool
from qtable import QTable
from qtable.file import beside
from qtable.merging import merge

Progress = Callable[[int, int | None], None]


@dataclass(slots=True)
class Rebuilt:
    """What rebuilding came to; unless it was finished, the table is as it was."""

    tally: Tally = field(default_factory=Tally)
    entries_before: int = 0
    entries: int = 0
    is_finished: bool = False


def draft_path(table: QTable) -> Path:
    """Where the new table is made: beside the old one, as long as rebuilding is not finished."""
    if table.path is None:
        raise InvalidSettings("a table in memory cannot be rebuilt")
    return beside(table.path, "-rebuilding")


def rebuild(
    table: QTable,
    workers: int = 1,
    *,
    progress: Progress = lambda done, total: None,
    report: Callable[[str], None] = lambda message: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Rebuilt:
    """Learn all games of the journal again and keep nothing else, each with its own settings.

    Games that others learn into the table meanwhile are learned as well. What the table had from elsewhere
    (moves picked in play, imports, forgotten games) is gone afterwards.
    """
    rebuilt = Rebuilt()
    with _draft(table) as draft:
        while not rebuilt.is_finished:
            games = _GamesToLearn(table, draft, progress, should_stop)
            pool = local_pool(GameLearner, draft, _settings({}, table), workers)
            tally = run_batch(games, pool, draft, games.is_done, report)
            rebuilt.tally.add(tally)
            if games.is_stopped or tally.lost:
                return rebuilt
            with table.transaction():
                if _games(table) == _games(draft):
                    rebuilt.entries_before = len(table)
                    table.clear()
                    merge(table, draft)
                    rebuilt.is_finished = True
        rebuilt.entries = len(table)
    _remove(draft_path(table))
    return rebuilt


def _draft(table: QTable) -> QTable:
    """The draft that an earlier run has left, if it is still one of this journal; else a new one."""
    path = draft_path(table)
    require_meaning(table, _settings({}, table))
    draft = QTable(path, settings=table.settings)
    if _games(draft).items() <= _games(table).items():
        return draft
    draft.close()
    _remove(path)
    return QTable(path, settings=table.settings)


def _games(table: QTable) -> dict[str, tuple[int, int | None]]:
    """What the journal names: how often each game was walked, and when it was learned."""
    return {game.record.game_id: (game.walks, game.added) for game in learned_games(table.journal())}


@dataclass(slots=True)
class _GamesToLearn:
    """The games of a journal that the draft does not have."""

    table: QTable
    draft: QTable
    progress: Progress
    should_stop: Callable[[], bool]
    is_stopped: bool = False
    done: int = 0

    def __iter__(self) -> Iterator[GameToLearn]:
        for game in learned_games(self.table.journal()):
            game_id = game.record.game_id
            if self.draft.has_journal_line(game_id):
                self._show_done()
                continue
            if self.should_stop():
                self.is_stopped = True
                return
            settings = _settings(game.settings, self.table)
            yield GameToLearn(
                game.record, settings, walks=game.walks, added=game.added, place=f"game {game_id}"
            )

    def is_done(self, game: GameToLearn) -> None:
        self._show_done()

    def _show_done(self) -> None:
        self.done += 1
        self.progress(self.done, self.table.journal_length())


def _settings(of_game: Mapping[str, Scalar], table: QTable) -> ModeSettings:
    """How a game was learned, for the values that the table holds."""
    settings: ModeSettings = mode_of_meaning(table.settings).settings_of_game(of_game, table.settings)
    return settings


def _remove(path: Path) -> None:
    for name in (path, beside(path, "-wal"), beside(path, "-shm")):
        name.unlink(missing_ok=True)
