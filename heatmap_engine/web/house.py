"""What all pages of one server share: the mode, the table, the archive, and who learns games."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import chess

from games.chess.archive import Archive
from games.chess.errors import GamesError
from games.chess.journal import LearnedGame
from games.chess.record import GameRecord
from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.reading import pack
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import Mode
from heatmap_engine.learning.changes import changes_of
from heatmap_engine.learning.changes_data import changes_as_data
from heatmap_engine.learning.learner import Learner
from heatmap_engine.memory.lazy_table import LazyTable
from heatmap_engine.memory.tables import opened_table
from heatmap_engine.stop import Stopped
from heatmap_engine.user_files import path_in_words, played_games_path
from heatmap_engine.web.live import whites_mate
from qtable import QTable
from qtable.errors import TableError

Data = dict[str, Any]
WhenLearned = Callable[[Data], None]

# So many changed positions are told after a game.
_CHANGES_TOLD = 8
# While a move is searched, learning looks so often whether it may go on.
_UNTIL_NEXT_LOOK_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the command line has decided."""

    mode: Mode
    settings: Any
    table: Path | None
    """None for no table; a missing file is made."""
    is_named: bool = False
    """Whether somebody named the table: one that cannot be used is then an error."""
    runs: tuple[Path, ...] = ()
    """Folders of runs."""
    seed: int | None = None


class House:
    """Opens the table once; any thread may ask it for engines and hand it finished games."""

    def __init__(self, choice: Choice, report: Callable[[str], None]) -> None:
        self.choice = choice
        self.mode = choice.mode
        self.random = Random(choice.seed)
        self._report = report
        self.trouble = ""
        self.table = self._opened()
        self._archiving = threading.Lock()
        self._searching = 0
        self._count = threading.Lock()
        self._work = threading.Event()
        self._is_closed = False
        self._waiting: list[tuple[GameRecord, WhenLearned]] = []
        self._new: list[tuple[GameRecord, WhenLearned]] = []
        self._engine: Engine | None = None
        self._learner: Learner | None = None
        self._thread: threading.Thread | None = None
        if self.can_learn:
            self._thread = threading.Thread(target=self._learn, name="learner", daemon=True)
            self._thread.start()

    def _opened(self) -> QTable | None:
        choice = self.choice
        try:
            if choice.table is not None and not choice.is_named:
                choice.table.parent.mkdir(parents=True, exist_ok=True)
            table = opened_table(choice.table, choice.settings, False, self._tell)
            return table.made() if isinstance(table, LazyTable) else table
        except (TableError, OSError) as error:
            if choice.is_named:
                raise
            self._tell(f"playing without a table: {error}")
            return None

    def _tell(self, words: str) -> None:
        self.trouble = words
        self._report(words)

    @property
    def can_learn(self) -> bool:
        return self.table is not None and not self.table.is_readonly

    @property
    def table_name(self) -> str | None:
        if self.table is None:
            return None
        return "in memory" if self.table.path is None else path_in_words(self.table.path)

    @property
    def caution(self) -> str:
        """What people should know of the mode's moves; nothing once the table has learned otherwise."""
        caution = self.mode.unit.caution
        learned = (
            self.mode.generalizer(self.table).described() if caution and self.table is not None else None
        )
        return "" if learned else caution

    def engine(self, *, records: bool = False) -> Engine:
        """A new engine on the table, which stays open with it."""
        record = None if records and self.can_learn else "off"
        return Engine(
            self.table, settings=self.choice.settings, record=record, random=self.random, report=self._tell
        )

    @contextmanager
    def searching(self) -> Iterator[None]:
        """While a move is searched for a game, learning waits: the processor is needed."""
        with self._count:
            self._searching += 1
        try:
            yield
        finally:
            with self._count:
                self._searching -= 1
            self._work.set()

    # Finished games

    def keep(self, record: GameRecord, when_learned: WhenLearned) -> Data:
        """Put a finished game into the archive, and have it learned; what became of it."""
        answer: Data = {"game": record.game_id, "archive": None, "learns": False}
        try:
            answer["archive"] = self._archive(record)
        except (GamesError, OSError) as error:
            answer["trouble"] = f"the game is in no file: {error}"
        if not self.can_learn:
            return answer
        if self._learner is not None:
            self._learner.keep(record)  # in a file, should the process end before it is learned
        with self._count:
            self._new.append((record, when_learned))
        self._work.set()
        return {**answer, "learns": True}

    def _archive(self, record: GameRecord) -> str:
        path = played_games_path()
        with self._archiving:
            path.parent.mkdir(parents=True, exist_ok=True)
            archive = Archive(path)
            if record.game_id not in archive:
                archive.append(record)
        return path_in_words(path)

    def _learn(self) -> None:
        try:
            self._engine = self.engine()
            self._learner = Learner(self._engine, self._tell, lambda words: None)
            while not self._is_closed:
                self._take_new()
                if self._learner.has_work and not self._searching:
                    self._go_on(self._learner)
                else:
                    self._work.wait(_UNTIL_NEXT_LOOK_S if self._learner.has_work else None)
                    self._work.clear()
        except Exception as error:  # whoever waits for what is learned must hear that nothing will be
            self._tell(f"nothing is learned any more: {type(error).__name__}: {error}")
            for record, when_learned in [*self._waiting, *self._new]:
                when_learned({"game": record.game_id, "trouble": self.trouble})
        finally:
            if self._engine is not None:
                self._engine.close()

    def _take_new(self) -> None:
        assert self._learner is not None
        with self._count:
            new, self._new = self._new, []
        for record, when_learned in new:
            self._learner.keep(record)
            self._learner.add(record)
            self._waiting.append((record, when_learned))

    def _go_on(self, learner: Learner) -> None:
        def keep_going(_moves_visited: int) -> None:
            if self._searching or self._is_closed:
                raise Stopped

        try:
            learner.go_on(keep_going)
        except Stopped:
            return
        self._tell_learned()

    def _tell_learned(self) -> None:
        """Whoever waits for a game hears what was learned from it, or that it was not."""
        waiting, self._waiting = self._waiting, []
        for record, when_learned in waiting:
            if self._learner is not None and self._learner.is_waiting(record):
                self._waiting.append((record, when_learned))
            else:
                when_learned(self._learned(record))

    def _learned(self, record: GameRecord) -> Data:
        assert self.table is not None
        table = self.table
        line = table.journal_line(record.game_id)
        if line is None:
            return {"game": record.game_id, "trouble": self.trouble or "nothing was learned from the game"}
        game = LearnedGame.from_line(line)
        found = changes_of([game], _CHANGES_TOLD, self.mode.unit.is_mate)
        return {
            "game": record.game_id,
            "changes": changes_as_data(
                found, self.table_name or "", lambda board: self.mode.patterns(table, pack(board))
            ),
            "steps": [*self._steps(game)],
        }

    def _steps(self, game: LearnedGame) -> Iterator[Data]:
        """What was learned at each position of a game; a mate is White's."""
        turn = game.record.board().root().turn
        for step in game.steps:
            yield {
                "old": step.old_value,
                "old_mate": self._mate(turn, step.old_value),
                "new": step.new_value,
                "mate": self._mate(turn, step.new_value),
                "old_pick": step.old_pick,
                "pick": step.new_pick,
            }
            turn = not turn

    def _mate(self, turn: chess.Color, value: float | None) -> int | None:
        if value is None:
            return None
        return whites_mate(turn, self.mode.unit.mate_in(movers_view(turn, value), 0))

    def close(self) -> None:
        """What is half learned waits in its file for the next start."""
        self._is_closed = True
        self._work.set()
        if self._thread is not None:
            self._thread.join(2.0)
        if self.table is not None:
            self.table.close()
