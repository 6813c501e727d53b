"""Learning finished games in the time that nobody needs for anything else."""

from collections import deque
from collections.abc import Callable

from games.chess.errors import GamesError
from games.chess.record import GameRecord
from heatmap_engine.engines.engine import Engine, RecordedLesson
from heatmap_engine.errors import AlreadyLearned, HeatmapError
from heatmap_engine.learning.spool import Spool
from heatmap_engine.stop import Stopped
from qtable.errors import DuplicateJournalLine, TableError


class Learner:
    """The games that wait to be learned by one engine, the first perhaps half learned."""

    def __init__(self, engine: Engine, tell: Callable[[str], None], debug: Callable[[str], None]) -> None:
        self._engine = engine
        self._tell = tell
        self._debug = debug
        self._waiting: deque[GameRecord] = deque()
        self._lesson: RecordedLesson | None = None
        table = engine.table
        self._spool = Spool(table.path) if table is not None and table.path is not None else None
        self._can_learn = table is not None and not table.is_readonly
        if self._can_learn and self._spool is not None:
            self._waiting.extend(self._spool.games(tell))

    @property
    def has_work(self) -> bool:
        return bool(self._waiting)

    def is_waiting(self, record: GameRecord) -> bool:
        return record in self._waiting

    def keep(self, record: GameRecord) -> None:
        """Write a game beside the table, so that it outlives the process; any thread may do so."""
        if not self._can_learn or self._spool is None:
            return
        try:
            self._spool.add(record)
        except OSError as error:
            self._tell(f"a game will be lost if this process ends before it is learned: {error}")

    def add(self, record: GameRecord) -> None:
        """Let a game wait to be learned."""
        if self._can_learn and record not in self._waiting:
            self._waiting.append(record)

    def go_on(self, keep_going: Callable[[int], None]) -> None:
        """Learn the first game that waits; what `keep_going` raises leaves it to wait for the next call."""
        record = self._waiting[0]
        try:
            self._lesson = self._lesson or self._engine.begin_lesson(record)
            learned = self._lesson.go_on(keep_going)
            self._debug(f"learned a game of {len(learned.steps)} plies: {learned.entries} entries recorded")
        except Stopped:
            raise
        except (AlreadyLearned, DuplicateJournalLine):
            self._debug(f"the game {record.game_id} was learned before")
        except (HeatmapError, GamesError) as error:
            self._tell(f"a game cannot be learned: {error}")
        except TableError as error:
            self._tell(f"a game waits to be learned at the next start: {error}")
            self._drop_first()
            return
        self._drop_first()
        self._remove_from_spool(record)

    def _drop_first(self) -> None:
        self._lesson = None
        self._waiting.popleft()

    def _remove_from_spool(self, record: GameRecord) -> None:
        if self._spool is None:
            return
        try:
            self._spool.remove(record)
        except OSError as error:
            self._tell(f"a game that was learned is still beside the table: {error}")
