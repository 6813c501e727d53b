"""The engine: one position, one clock, one answer; and what it remembers of it."""

import logging
import random as random_module
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from types import TracebackType
from typing import Self

import chess
import chess.pgn

from games.journal import LearnedGame
from games.record import GameRecord
from heatmap_engine.errors import AlreadyLearned, InvalidSettings
from heatmap_engine.learning.finished import as_record, learner_settings
from heatmap_engine.learning.walk import Step, walk_back
from heatmap_engine.memory import Memory, entries_of, open_table, require_meaning
from heatmap_engine.positions import BoardLike, as_board
from heatmap_engine.search import MOST_PLIES, Candidate, SearchResult, SearchSettings, Stopped, search
from heatmap_engine.weights import CMHM2, Weights
from qtable import QTable
from qtable.errors import TableReadOnly

_log = logging.getLogger("heatmap_engine")

RECORD_MODES = ("searched", "all", "off")


@dataclass(frozen=True, slots=True)
class Limits:
    """When a pick must be ready. With seconds or moves visited it deepens until these run out.

    The first search, with the engine's own plies, is always finished unless `Engine.stop` is called.
    """

    plies: int | None = None
    seconds: float | None = None
    moves_visited: int | None = None

    def __post_init__(self) -> None:
        for name in ("plies", "seconds", "moves_visited"):
            value = getattr(self, name)
            kinds = (int, float) if name == "seconds" else (int,)
            if value is not None and (
                not isinstance(value, kinds) or isinstance(value, bool) or not value >= 0
            ):
                raise InvalidSettings(f"{name} must be a number of at least 0, got {value!r:.80}")
        if self.plies is not None and not 1 <= self.plies <= MOST_PLIES:
            raise InvalidSettings(f"plies must be from 1 to {MOST_PLIES}, got {self.plies}")

    @property
    def deepens(self) -> bool:
        return self.seconds is not None or self.moves_visited is not None


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


@dataclass(frozen=True, slots=True)
class Learned:
    """What the table learned from one game: the game's id, and a step for each of its positions."""

    game_id: str
    steps: tuple[Step, ...]
    entries: int
    """How many entries were recorded."""


class Engine:
    """Picks moves, remembers what it found, learns from games.

    `table` is a path, made if it is missing and closed with the engine, or a QTable, which stays open; the
    engine works without one as well. `record` says what picks record: the positions "searched", "all" with
    the leaves, or nothing ("off"). A table that cannot be read or written never stops a pick: `report` hears
    of it once. One thread at a time may pick; any other may call `stop`.
    """

    def __init__(
        self,
        table: str | PathLike[str] | QTable | None = None,
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
        self._owns_table = not (table is None or isinstance(table, QTable))
        self._memory = Memory(self._opened(table, readonly), report)

    def _opened(self, table: str | PathLike[str] | QTable | None, readonly: bool) -> QTable | None:
        if table is None:
            return None
        if isinstance(table, QTable):
            require_meaning(table, self.settings)
            return table
        try:
            return open_table(table, self.settings, readonly=readonly)
        except TableReadOnly as error:
            self._report(f"{error}; what is found will not be remembered")
            return open_table(table, self.settings, readonly=True)

    @property
    def table(self) -> QTable | None:
        """The table that the engine reads and records to."""
        return self._memory.table

    def close(self) -> None:
        """Write what is still to be remembered, and close the table if the engine opened it."""
        self._memory.flush()
        if self._owns_table and self.table is not None:
            self.table.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stop(self) -> None:
        """Make the pick that is running in another thread return what it has, within 10 ms."""
        self._stop.set()

    def pick_move(self, board: BoardLike, limits: Limits | None = None) -> Pick:
        """The best move within the limits, one of equal ones at random; raises GameOver without any."""
        self._stop.clear()
        started = self._clock()
        board = as_board(board)
        settings, result = self._search_within(board, limits or Limits(), started)
        if self.record != "off":
            self._memory.remember(entries_of(result))
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

    def _search_within(
        self, board: chess.Board, limits: Limits, started: float
    ) -> tuple[SearchSettings, SearchResult]:
        """The last search that was finished, and its settings."""
        finished: tuple[SearchSettings, SearchResult] | None = None
        visited = 0

        def keep_going(moves_visited: int) -> None:
            if self._stop.is_set():
                raise Stopped
            if finished is not None and self._is_spent(limits, started, visited + moves_visited):
                raise Stopped

        for settings in self._plan(limits):
            try:
                result = self._searched(board, settings, keep_going)
            except Stopped:
                break
            if finished is not None and result.nodes == finished[1].nodes:
                break  # the game ends on every line: looking further finds nothing more
            finished = settings, result
            visited += result.moves_visited
            if self._is_spent(limits, started, visited):
                break
        if finished is None:
            # Stopped at once; the shallowest search takes a fifth of a millisecond.
            settings = replace(self.settings, plies=1, tactical_plies=0)
            finished = settings, self._searched(board, settings, lambda moves_visited: None)
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
        self, board: chess.Board, settings: SearchSettings, keep_going: Callable[[int], None]
    ) -> SearchResult:
        table = None if self.table is None else self._memory
        return search(board, settings, table, keep_going, with_leaves=self.record == "all")

    def _is_spent(self, limits: Limits, started: float, moves_visited: int) -> bool:
        if limits.seconds is not None and self._clock() - started >= limits.seconds:
            return True
        return limits.moves_visited is not None and moves_visited >= limits.moves_visited

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
        record = as_record(game, result)
        table = self._table_to_learn_into()
        known = table.journal_line(record.game_id)
        if known is not None and not force:
            raise AlreadyLearned(
                f"the table has learned from game {record.game_id} before; force learns again"
            )
        before = LearnedGame.from_line(known).walks if known is not None else 0
        walk = walk_back(record, self.settings, self._memory, count_results=known is None)
        learned = LearnedGame(record, learner_settings(self.settings), before + 1)
        self._memory.learn(walk.changes, learned.to_line(), replace=force)
        return Learned(record.game_id, walk.steps, len(walk.changes))

    def _table_to_learn_into(self) -> QTable:
        if self.table is None:
            raise InvalidSettings("an engine without a table has nowhere to learn into")
        self._memory.flush()
        return self.table
