"""The engine: one position, one clock, one answer; and what it remembers of it."""

import logging
import os
import random as random_module
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

import chess
import chess.pgn

from games.journal import LearnedGame
from games.record import GameRecord
from heatmap_engine.errors import AlreadyLearned, InvalidSettings, SearchTooLarge
from heatmap_engine.late_table import LateTable
from heatmap_engine.learning.finished import as_record, learner_settings
from heatmap_engine.learning.walk import Step, View, Walker, learned_steps
from heatmap_engine.memory import Memory, entries_of, open_table, require_meaning
from heatmap_engine.positions import BoardLike, as_board
from heatmap_engine.reports.asking import report_on
from heatmap_engine.reports.report import Report
from heatmap_engine.reports.why import Why, why
from heatmap_engine.search import (
    MOST_PLIES,
    Candidate,
    SearchResult,
    SearchSettings,
    Stopped,
    Values,
    search,
)
from heatmap_engine.weights import CMHM2, Weights
from qtable import Entry, QTable
from qtable.errors import TableReadOnly
from qtable.file import read_header, require_writable

_log = logging.getLogger("heatmap_engine")

RECORD_MODES = ("searched", "all", "off")


@dataclass(frozen=True, slots=True)
class Limits:
    """When a pick must be ready. With seconds or moves visited it deepens until these run out.

    The first search, with the engine's own plies, is always finished unless `Engine.stop` is called or the
    limits are `strict`.
    """

    plies: int | None = None
    seconds: float | None = None
    moves_visited: int | None = None
    soft_seconds: float | None = None
    """After so long no deeper search is begun, though one that is running may go on."""
    strict: bool = False
    """Whether the limits end the first search too; then a search of one ply picks."""

    def __post_init__(self) -> None:
        for name in ("plies", "seconds", "moves_visited", "soft_seconds"):
            value = getattr(self, name)
            kinds = (int, float) if name.endswith("seconds") else (int,)
            if value is not None and (
                not isinstance(value, kinds) or isinstance(value, bool) or not value >= 0
            ):
                raise InvalidSettings(f"{name} must be a number of at least 0, got {value!r:.80}")
        if self.plies is not None and not 1 <= self.plies <= MOST_PLIES:
            raise InvalidSettings(f"plies must be from 1 to {MOST_PLIES}, got {self.plies}")

    @property
    def deepens(self) -> bool:
        return (self.seconds, self.moves_visited, self.soft_seconds) != (None, None, None)


@dataclass(frozen=True, slots=True)
class Pick:
    """The chosen move, and all candidates ranked, the chosen one first; scores are White minus Black."""

    move: chess.Move
    score: float
    candidates: tuple[Candidate, ...]
    plies: int
    tactical_plies: int
    nodes: int
    moves_visited: int
    table_hits: int
    seconds: float

    @property
    def line(self) -> tuple[chess.Move, ...]:
        """The principal variation: the moves that the score comes from."""
        return self.candidates[0].line

    @property
    def reply(self) -> chess.Move | None:
        """The reply expected."""
        return self.candidates[0].reply


class Observer:
    """Hears of a pick while it is made, in the thread that makes it; override what is wanted.

    `stop`, once set, works like `Engine.stop`, also where it was set before the pick began.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()

    def on_move(self, number: int, move: chess.Move) -> None:
        """A search too large for one tree turns to the root's move of this number, counted from 1."""

    def on_depth(self, pick: Pick) -> None:
        """A depth was finished, and would pick this."""

    def on_pick(self, pick: Pick) -> None:
        """This is the pick; nothing was recorded yet, so that a clock need not wait for the table."""

    def on_found(self, record: Callable[[], None]) -> None:
        """There is something to record; one other thread at a time may do so instead."""
        record()


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
        self, memory: Memory, settings: SearchSettings, record: GameRecord, *, walks_before: int
    ) -> None:
        self._memory = memory
        self._record = record
        self._settings = learner_settings(settings)
        self._walks_before = walks_before
        self._is_first = walks_before == 0
        self._walker = Walker(record, settings, memory, count_results=self._is_first)

    def go_on(self, keep_going: Callable[[int], None] = lambda moves_visited: None) -> Learned:
        """Walk on, and record it all when the start is reached; what `keep_going` raises interrupts."""
        walk = self._walker.go_on(keep_going)
        steps = learned_steps(walk, walk)
        learned = LearnedGame(self._record, self._settings, self._walks_before + 1, steps=steps)
        self._memory.learn(walk.changes, learned.to_line(), keep_going, replace=not self._is_first)
        return Learned(self._record.game_id, walk.steps, len(walk.changes))


class Engine:
    """Picks moves, remembers what it found, learns from games.

    `table` is a path, closed with the engine and, if it is missing, made when there is something to record,
    or a QTable, which stays open, or a View, which takes what is found and writes nothing; the engine works
    without one as well. `record` says
    what picks record: the positions "searched", "all" with the leaves, or nothing ("off"). A table that
    cannot be read or written never stops a pick: `report` hears of it once. One thread at a time may pick
    and one may record or learn; any may call `stop`.
    """

    def __init__(
        self,
        table: str | PathLike[str] | QTable | View | None = None,
        plies: int = 2,
        tactical_plies: int = 1,
        heat_depth: int = 1,
        weights: Weights = CMHM2,
        record: str = "searched",
        random: random_module.Random | None = None,
        *,
        readonly: bool = False,
        report: Callable[[str], None] = _log.warning,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if record not in RECORD_MODES:
            raise InvalidSettings(f"record must be one of {', '.join(RECORD_MODES)}, got {record!r:.80}")
        self.settings = SearchSettings(plies, tactical_plies, heat_depth, weights)
        self.record = record
        self._random = random if random is not None else random_module.Random()
        self._report = report
        self._clock = clock
        self._stop = threading.Event()
        self._owns_table = not (table is None or isinstance(table, QTable | View))
        self._view = table if isinstance(table, View) else None
        self._memory = Memory(None if isinstance(table, View) else self._opened(table, readonly), report)

    def _opened(
        self, table: str | PathLike[str] | QTable | None, readonly: bool
    ) -> QTable | LateTable | None:
        if table is None:
            return None
        if isinstance(table, QTable):
            require_meaning(table, self.settings)
            return table
        path = Path(os.path.realpath(table))  # the process may go elsewhere before it is made
        try:
            if not readonly and read_header(path) is None:
                require_writable(path)
                return LateTable(path, partial(open_table, path, self.settings))
            return open_table(path, self.settings, readonly=readonly)
        except TableReadOnly as error:
            self._report(f"{error}; what is found will not be remembered")
            return open_table(path, self.settings, readonly=True)

    @property
    def table(self) -> QTable | None:
        """The table that the engine reads and records to; one that is still missing is made now."""
        return self._memory.table

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

    def stop(self) -> None:
        """Make the pick that is running in another thread return what it has, within 10 ms."""
        self._stop.set()

    def pick_move(
        self,
        board: BoardLike,
        limits: Limits | None = None,
        observer: Observer | None = None,
    ) -> Pick:
        """The best move within the limits, one of equal ones at random; raises GameOver without any."""
        self._stop.clear()
        started = self._clock()
        board = as_board(board)
        observer = observer or Observer()
        pick, result = self._pick_within(board, limits or Limits(), started, observer)
        pick = replace(pick, seconds=self._clock() - started)
        observer.on_pick(pick)
        if self.record != "off":
            observer.on_found(partial(self._remember, entries_of(result)))
        return pick

    def _remember(self, entries: Mapping[str, Entry]) -> None:
        if self._view is not None:
            self._view.record(entries)
        else:
            self._memory.remember(entries)

    @property
    def _values(self) -> Values | None:
        """What a search asks; None rather than a memory of nothing, which would be asked for each leaf."""
        return self._view or (self._memory if self._memory.has_table else None)

    def _pick_of(self, settings: SearchSettings, result: SearchResult, started: float) -> Pick:
        candidates = self._chosen_first(result)
        return Pick(
            move=candidates[0].move,
            score=result.score,
            candidates=candidates,
            plies=settings.plies,
            tactical_plies=settings.tactical_plies,
            nodes=result.nodes,
            moves_visited=result.moves_visited,
            table_hits=result.table_hits,
            seconds=self._clock() - started,
        )

    def _chosen_first(self, result: SearchResult) -> tuple[Candidate, ...]:
        best = [candidate for candidate in result.candidates if candidate.score == result.score]
        chosen = self._random.choice(best)
        return (chosen, *(candidate for candidate in result.candidates if candidate is not chosen))

    def _pick_within(
        self,
        board: chess.Board,
        limits: Limits,
        started: float,
        observer: Observer,
    ) -> tuple[Pick, SearchResult]:
        """What the last search that was finished picks."""
        finished: tuple[Pick, SearchResult] | None = None
        visited = 0

        def keep_going(moves_visited: int) -> None:
            if self._stop.is_set() or observer.stop.is_set():
                raise Stopped
            can_end = finished is not None or limits.strict
            if can_end and self._is_spent(limits, started, visited + moves_visited):
                raise Stopped

        def finish(settings: SearchSettings, result: SearchResult) -> tuple[Pick, SearchResult]:
            pick = self._pick_of(settings, result, started)
            observer.on_depth(pick)
            return pick, result

        for settings in self._plan(limits):
            try:
                result = self._searched(board, settings, keep_going, observer.on_move)
            except Stopped:
                break
            except SearchTooLarge:
                if finished is None:
                    raise
                break
            if finished is not None and result.nodes == finished[1].nodes:
                break  # the game ends on every line: looking further finds nothing more
            finished = finish(settings, result)
            visited += result.moves_visited
            if self._is_spent(limits, started, visited) or self._is_late(limits, started):
                break
        if finished is None:
            # Stopped at once; the shallowest search takes a fifth of a millisecond.
            settings = replace(self.settings, plies=1, tactical_plies=0)
            finished = finish(settings, self._searched(board, settings, lambda moves_visited: None))
        return finished

    def _plan(self, limits: Limits) -> Iterator[SearchSettings]:
        """The searches to make one after the other, each deeper than the one before."""
        if not limits.deepens:
            yield replace(self.settings, plies=limits.plies or self.settings.plies)
            return
        last = limits.plies or MOST_PLIES
        for plies in range(min(self.settings.plies, last), last + 1):
            yield replace(self.settings, plies=plies)

    def _searched(
        self,
        board: chess.Board,
        settings: SearchSettings,
        keep_going: Callable[[int], None],
        on_move: Callable[[int, chess.Move], None] = lambda number, move: None,
    ) -> SearchResult:
        return search(
            board, settings, self._values, keep_going, with_leaves=self.record == "all", on_move=on_move
        )

    def _is_spent(self, limits: Limits, started: float, moves_visited: int) -> bool:
        if limits.seconds is not None and self._clock() - started >= limits.seconds:
            return True
        return limits.moves_visited is not None and moves_visited >= limits.moves_visited

    def _is_late(self, limits: Limits, started: float) -> bool:
        return limits.soft_seconds is not None and self._clock() - started >= limits.soft_seconds

    def report(
        self, board: BoardLike, *, candidates: bool = False, line: bool = False, plies: int = 0
    ) -> Report:
        """What is known of a position and of each of its moves, without any search; records nothing.

        `candidates` adds the search of a pick without limits, `line` the table's principal line, `plies` how
        much of so many plies below the table has.
        """
        board = as_board(board)
        table = self._memory.table_to_read
        return report_on(
            board,
            self._memory.entries,
            self.settings,
            None if table is None else str(table.path or "in memory"),
            candidates=self._candidates(board) if candidates else None,
            line=line,
            plies=plies,
        )

    def _candidates(self, board: chess.Board) -> tuple[Candidate, ...]:
        if not any(board.generate_legal_moves()):
            return ()
        return tuple(self._searched(board, self.settings, lambda moves_visited: None).candidates)

    def why(self, board: BoardLike, move: chess.Move) -> Why:
        """Why a move has its score: searches as a pick without limits does, and records nothing."""
        return why(board, move, self.settings, self._values)

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
        return Lesson(self._memory, self.settings, record, walks_before=before)

    def _table_to_learn_into(self) -> QTable:
        table = self.table
        if table is None:
            raise InvalidSettings("an engine without a table has nowhere to learn into")
        self._memory.flush()
        return table
