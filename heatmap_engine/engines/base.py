"""What the engines of both modes have in common: a table that they remember in, and games to learn from."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

import chess
import chess.pgn

from games.chess.journal import LearnedGame
from games.chess.record import GameRecord
from heatmap_engine.errors import AlreadyLearned, InvalidSettings
from heatmap_engine.memory.finished_game import as_record
from heatmap_engine.memory.lazy_table import LazyTable
from heatmap_engine.memory.memory import Memory
from heatmap_engine.memory.tables import Settings, open_table, require_meaning
from heatmap_engine.memory.views import Known, View
from heatmap_engine.memory.walk import Rethinking, Step, Walker, learned_steps
from qtable import Entry, QTable
from qtable.errors import TableReadOnly
from qtable.file import read_header, require_writable


@dataclass(frozen=True, slots=True)
class Learned:
    """What the table learned from one game: the game's id, and a step for each of its positions."""

    game_id: str
    steps: tuple[Step, ...]
    entries: int
    """How many entries were recorded."""


class Lesson:
    """A game that is being learned. `go_on` may be interrupted at any time and called again."""

    def __init__(
        self, memory: Memory, rethinking: Rethinking, record: GameRecord, *, walks_before: int
    ) -> None:
        self._memory = memory
        self._record = record
        self._settings = rethinking.settings.learner
        self._walks_before = walks_before
        self._is_first = walks_before == 0
        self._walker = Walker(record, rethinking, memory, count_results=self._is_first)

    def go_on(self, keep_going: Callable[[int], None] = lambda moves_visited: None) -> Learned:
        """Walk on, and record it all when the start is reached; what `keep_going` raises interrupts."""
        walk = self._walker.go_on(keep_going)
        steps = learned_steps(walk, walk)
        learned = LearnedGame(self._record, self._settings, self._walks_before + 1, steps=steps)
        self._memory.learn(walk.changes, learned.to_line(), keep_going, replace=not self._is_first)
        return Learned(self._record.game_id, walk.steps, len(walk.changes))


class TableEngine:
    """An engine with a table, which is a path, a QTable that stays open, or a View that takes what is found.

    A path's table is closed with the engine and, if it is missing, made when there is something to record.
    """

    def __init__(
        self,
        table: str | PathLike[str] | QTable | View | None,
        meaning: Settings,
        readonly: bool,
        report: Callable[[str], None],
    ) -> None:
        self._report = report
        self._owns_table = not (table is None or isinstance(table, QTable | View))
        self._view = table if isinstance(table, View) else None
        opened = None if isinstance(table, View) else self._opened(table, meaning, readonly)
        self._memory = Memory(opened, report)

    def _opened(
        self, table: str | PathLike[str] | QTable | None, meaning: Settings, readonly: bool
    ) -> QTable | LazyTable | None:
        if table is None:
            return None
        if isinstance(table, QTable):
            require_meaning(table, meaning)
            return table
        path = Path(os.path.realpath(table))  # the process may go elsewhere before it is made
        try:
            if not readonly and read_header(path) is None:
                require_writable(path)
                return LazyTable(path, partial(open_table, path, meaning))
            return open_table(path, meaning, readonly=readonly)
        except TableReadOnly as error:
            self._report(f"{error}; what is found will not be remembered")
            return open_table(path, meaning, readonly=True)

    @property
    def table(self) -> QTable | None:
        """The table that the engine reads and records to; one that is still missing is made now."""
        return self._memory.table

    @property
    def _table_name(self) -> str | None:
        """The file of the table that reports ask, "in memory", or None where there is none."""
        table = self._memory.table_to_read
        return None if table is None else str(table.path or "in memory")

    def close(self) -> None:
        """Write what is still to be remembered, and close the table if the engine opened it."""
        self.flush()
        if self._owns_table:
            self._memory.close()

    def flush(self) -> None:
        """Write what is still to be remembered because another process was writing."""
        self._memory.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _remember(self, entries: Mapping[str, Entry]) -> None:
        if self._view is not None:
            self._view.record(entries)
        else:
            self._memory.remember(entries)

    @property
    def _known(self) -> Known | None:
        """What a search asks; None rather than a memory of nothing, which would be asked each time."""
        return self._view or (self._memory if self._memory.has_table else None)

    def _rethinking(self) -> Rethinking:
        """How positions of finished games are thought over again."""
        raise NotImplementedError

    def learn_game(
        self,
        game: chess.Board | chess.pgn.Game | GameRecord,
        result: str | None = None,
        *,
        force: bool = False,
    ) -> Learned:
        """Walk a finished game backwards and record what that changes, in one transaction with the journal.

        `result` is for what the board does not show: a resignation, an adjudication or an agreed draw. A game
        that the journal has raises AlreadyLearned unless `force`, which does not count its result again.
        """
        return self.begin_lesson(as_record(game, result), force=force).go_on()

    def begin_lesson(self, record: GameRecord, *, force: bool = False) -> Lesson:
        """Make ready to learn from a game in parts, as `learn_game` does in one go."""
        known = self._table_to_learn_into().journal_line(record.game_id)
        if known is not None and not force:
            raise AlreadyLearned(
                f"the table has learned from game {record.game_id} before; force learns again"
            )
        before = LearnedGame.from_line(known).walks if known is not None else 0
        return Lesson(self._memory, self._rethinking(), record, walks_before=before)

    def _table_to_learn_into(self) -> QTable:
        table = self.table
        if table is None:
            raise InvalidSettings("an engine without a table has nowhere to learn into")
        self._memory.flush()
        return table
