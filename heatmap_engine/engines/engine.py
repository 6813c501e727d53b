"""The engine: it picks moves, remembers what it found, and learns from games."""

import logging
import os
import random as random_module
import time
from collections.abc import Callable, Collection, Mapping
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import chess
import chess.pgn

from games.chess.journal import LearnedGame
from games.chess.record import GameRecord
from heatmap_engine.board.reading import BoardLike, as_board, board_and_root
from heatmap_engine.engines.mode import DEFAULT, Mode, ModeSettings, mode_named, mode_of, mode_of_meaning
from heatmap_engine.engines.observer import Observer
from heatmap_engine.engines.pick import Pick
from heatmap_engine.engines.thinker import SearchRequest
from heatmap_engine.errors import AlreadyLearned, InvalidMove, InvalidSettings
from heatmap_engine.limits import Limits
from heatmap_engine.memory.finished_game import as_record
from heatmap_engine.memory.lesson import Learned, Lesson
from heatmap_engine.memory.memory import Memory
from heatmap_engine.memory.tables import open_to_read, opened_table
from heatmap_engine.memory.views import EntrySource, View
from heatmap_engine.memory.walk import Reanalysis
from heatmap_engine.reports.build import report_on
from heatmap_engine.reports.report import Report
from heatmap_engine.reports.why import Why, why_of
from heatmap_engine.stop import Stop
from qtable import Entry, QTable
from qtable.errors import TableMismatch, TableMissing
from qtable.file import read_header

if TYPE_CHECKING:
    from heatmap_engine.reports.annotation import Annotation

_log = logging.getLogger("heatmap_engine")


class Engine:
    """Picks moves, remembers what it found, and learns from games, in deep mode or in classic mode.

    `table` is a path, a QTable, a View or nothing. A missing file is made when there is something to record,
    and is closed with the engine. A QTable stays open. A View takes what is found and writes nothing. A table
    decides the mode by what it holds. `given` are settings of the mode: `plies`, `tactical_plies`,
    `heat_depth` and `weights` in classic mode; `weights`, `hash_mib`, `threads`, `learning_nodes` and
    `syzygy`, folders of endgame tables, in deep mode. `settings` holds all of them, and the mode.

    `record` says what is recorded: in classic mode "useful" positions, those "searched", or "all" with the
    leaves; in deep mode those "searched"; or nothing of picks ("off"). A table that cannot be read or written
    never stops a pick: `report` hears of it once. One thread at a time may pick and one may record or learn;
    any may call `stop`.
    """

    def __init__(
        self,
        table: str | PathLike[str] | QTable | View | None = None,
        *,
        mode: str | None = None,
        settings: ModeSettings | None = None,
        record: str | None = None,
        random: random_module.Random | None = None,
        readonly: bool = False,
        report: Callable[[str], None] = _log.warning,
        clock: Callable[[], float] = time.monotonic,
        **given: Any,
    ) -> None:
        if settings is not None and (given or mode not in (None, settings.mode)):
            raise InvalidSettings(f"settings of mode {settings.mode} say it all, got also {mode or [*given]}")
        self.mode: Mode = mode_of(settings) if settings is not None else _mode_for(table, mode)
        self.settings: Any = settings if settings is not None else self.mode.settings_from(given)
        record = self.mode.record_modes[0] if record is None else record
        if record not in self.mode.record_modes:
            raise InvalidSettings(
                f"record must be one of {', '.join(self.mode.record_modes)}, got {record!r:.80}"
            )
        self.record = record
        self._report = report
        self.settings = self.mode.recording(self.settings, record)
        self._stop = Stop()
        self._thinker = self.mode.thinker(self.settings, random or random_module.Random(), clock)
        self._owns_table = not (table is None or isinstance(table, QTable | View))
        self._view = table if isinstance(table, View) else None
        opened = None if isinstance(table, View) else opened_table(table, self.settings, readonly, report)
        self._memory = Memory(opened, report)

    # Picking

    def stop(self) -> None:
        """Make the pick that is running in another thread return what it has, within 10 ms."""
        self._stop.set()

    def pick_move(
        self,
        board: BoardLike,
        limits: Limits | None = None,
        observer: Observer | None = None,
        *,
        lines: int = 1,
        moves: Collection[chess.Move] = (),
        tells_lines: bool = True,
    ) -> Pick:
        """The best move within the limits, of `moves` if any are given; raises GameOver without any.

        Where the score is a value of the table, the line is told on from there, unless nobody will read it
        (`tells_lines=False`).

        With more `lines` the pick holds the others. In classic mode it always holds all moves, and of equal
        ones the first is chosen at random.
        """
        stop = self._stop = Stop()  # a stop that comes late must not end the next pick
        board, root = board_and_root(board)
        for move in moves:
            if not board.is_legal(move):
                raise InvalidMove(f"{move.uci()} is not legal in {board.fen()}")
        is_watched = observer is not None
        observer = observer or Observer()
        with observer.stop.calls(stop.set):
            outcome = self._thinker.think(
                SearchRequest(
                    board=board,
                    root=root,
                    limits=limits or Limits(),
                    known=self.known,
                    stop=stop,
                    observer=observer,
                    is_watched=is_watched,
                    lines=lines,
                    moves=moves,
                    tells_lines=tells_lines,
                    record=self.record,
                    report=self._report,
                )
            )
        observer.on_pick(outcome.pick)
        if self.record != "off" and (entries := outcome.entries()):
            observer.on_found(lambda: self._remember(entries))
        return outcome.pick

    def reanalysis(self, settings: ModeSettings) -> Reanalysis:
        """For whoever plays a game and then walks it back in the same thread: made before the first pick.

        With these settings of the walk, which are mostly the engine's own.
        """
        return self._thinker.reanalysis(settings)

    def clear(self) -> None:
        """Forget what searches keep in memory; the table stays as it is."""
        self._thinker.clear()

    @property
    def hash_permille(self) -> int | None:
        """How much of its memory the search has filled; None where it keeps nothing."""
        return self._thinker.hash_permille

    @property
    def current(self) -> tuple[str, int]:
        """The root's move that is being searched and its number, 0 before the first; any thread may ask."""
        return self._thinker.current

    # Asking

    def report(
        self,
        board: BoardLike,
        *,
        candidates: bool = False,
        line: bool = False,
        plies: int = 0,
        limits: Limits | None = None,
    ) -> Report:
        """What is known of a position and of each of its moves, without any search; records nothing.

        `candidates` adds the moves as a search within `limits` ranks them, `line` the table's principal line,
        `plies` how much of so many plies below the table has.
        """
        board = as_board(board)
        found = None
        if candidates:
            has_moves = any(board.generate_legal_moves())
            found = self._thinker.candidates(board, limits, self.known) if has_moves else ()
        return report_on(
            board,
            self._memory.entries,
            self.mode.yardstick(self.settings, self.known),
            self.table_name,
            candidates=found,
            line=line,
            plies=plies,
        )

    def why(self, board: BoardLike, move: chess.Move | None = None, limits: Limits | None = None) -> Why:
        """Why a move, by default the best one, has its score, and what the best one has; records nothing.

        Each of the two is searched within the limits. Raises InvalidMove for a move that is not legal.
        """
        stop = self._stop = Stop()
        board, root = board_and_root(board)
        if move is not None and not board.is_legal(move):
            raise InvalidMove(f"{move.uci()} is not a legal move in {board.fen()}")
        request = SearchRequest(
            board=board, root=root, limits=limits or Limits(), known=self.known, stop=stop
        )
        asked, best = self._thinker.compare(request, move)
        return why_of(
            board,
            asked,
            best,
            self.mode.breakdown(self.settings, self.known),
            unit=self.mode.unit,
            weights=self.settings.weights_name,
            table=self.table_name,
        )

    def annotate(
        self,
        board: BoardLike,
        limits: Limits | None = None,
        keep_going: Callable[[int], bool] = lambda done: True,
    ) -> "Annotation":
        """The game on the board's stack, judged move by move, from its end; records nothing.

        Each position is searched within the limits. `keep_going` hears how many moves are done, and ends it
        as `stop` does by answering no: then only the last moves are judged.
        """
        # Imported here: no other question needs it, and it would cost the start of every session.
        from heatmap_engine.engines.annotating import GameSearch, annotated

        stop = self._stop = Stop()
        self.clear()  # the same game has the same annotation
        search = GameSearch(self._thinker, self.known, limits or Limits(), stop)
        return annotated(as_board(board), search, self.mode, self.settings, self.table_name, keep_going)

    @property
    def caution(self) -> str:
        """What people should know of the mode's moves; nothing once its table has learned otherwise."""
        table = self._memory.table_to_read
        learned = None if table is None else self.mode.generalizer(table).described()
        return "" if learned else self.mode.unit.caution

    # The table

    @property
    def table(self) -> QTable | None:
        """The table that the engine reads and records to; one that is still missing is made now."""
        return self._memory.table

    @property
    def table_name(self) -> str | None:
        """The file of the table that reports ask, "in memory", or None where there is none."""
        table = self._memory.table_to_read
        return None if table is None else str(table.path or "in memory")

    @property
    def known(self) -> EntrySource | None:
        """What a search asks; None without a table, so that searches look nothing up."""
        return self._view or (self._memory if self._memory.has_table else None)

    def _remember(self, entries: Mapping[str, Entry]) -> None:
        if self._view is not None:
            self._view.record(entries)
        else:
            self._memory.remember(entries)

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

    # Learning

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

    def begin_lesson(self, record: GameRecord, *, force: bool = False) -> "RecordedLesson":
        """Prepare to learn from a game in parts; `learn_game` does all of it at once."""
        known = self._table_to_learn_into().journal_line(record.game_id)
        if known is not None and not force:
            raise AlreadyLearned(
                f"the table has learned from game {record.game_id} before; force learns again"
            )
        before = LearnedGame.from_line(known).walks if known is not None else 0
        reanalysis = self.mode.reanalysis(self.settings)
        lesson = Lesson(record, reanalysis, self._memory, walks_before=before)
        return RecordedLesson(lesson, self._memory, self.mode)

    def _table_to_learn_into(self) -> QTable:
        table = self.table
        if table is None:
            raise InvalidSettings("an engine without a table has nowhere to learn into")
        self._memory.flush()
        return table


class RecordedLesson:
    """A lesson that is recorded when it is over. `go_on` may be interrupted at any time and called again."""

    def __init__(self, lesson: Lesson, memory: Memory, mode: Mode) -> None:
        self._lesson = lesson
        self._memory = memory
        self._mode = mode

    def go_on(self, keep_going: Callable[[int], None] = lambda moves_visited: None) -> Learned:
        learned = self._lesson.go_on(keep_going)
        self._memory.learn(learned.changes, learned.game.to_line(), keep_going, replace=learned.replaces)
        if (table := self._memory.table) is not None:
            self._mode.generalizer(table).game_recorded()
        return learned


def _mode_for(table: object, name: str | None) -> Mode:
    """The mode that was named, or else the one whose values the table holds."""
    if name is not None:
        return mode_named(name)
    while isinstance(table, View):
        table = table.below
    if isinstance(table, QTable):
        return mode_of_meaning(table.settings) if table.settings else mode_named(DEFAULT)
    if isinstance(table, str | os.PathLike):
        return mode_of_file(Path(table)) or mode_named(DEFAULT)
    return mode_named(DEFAULT)


def mode_of_file(path: Path) -> Mode | None:
    """The mode whose values the table in a file holds; None where there is no table yet."""
    try:
        if read_header(path) is None:
            return None
    except TableMissing:  # whoever opens the table says that its folder is
        return None
    with open_to_read(path) as table:
        try:
            # One without settings and with values is older than modes.
            return mode_of_meaning(table.settings) if table.settings or len(table) else None
        except InvalidSettings as error:
            raise TableMismatch(f"{path} is a table of another program: {error}") from error
