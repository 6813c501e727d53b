"""The engine: one position, one clock, one answer; and what it remembers of it."""

import logging
import random as random_module
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike

import chess

from heatmap_engine.board.reading import BoardLike, as_board
from heatmap_engine.classic.entries import entries_of
from heatmap_engine.classic.rethinking import SearchAgain
from heatmap_engine.classic.search import (
    MAX_PLIES,
    Candidate,
    SearchResult,
    SearchSettings,
    Stopped,
    search,
)
from heatmap_engine.classic.weights import CMHM2, Weights
from heatmap_engine.engines.base import TableEngine
from heatmap_engine.engines.observer import Observer
from heatmap_engine.errors import InvalidSettings, SearchTooLarge
from heatmap_engine.memory.views import View
from heatmap_engine.memory.walk import Rethinking
from heatmap_engine.reports.build import report_on
from heatmap_engine.reports.report import Report
from heatmap_engine.reports.why import Why, why
from qtable import QTable

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
        if self.plies is not None and not 1 <= self.plies <= MAX_PLIES:
            raise InvalidSettings(f"plies must be from 1 to {MAX_PLIES}, got {self.plies}")

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


class Engine(TableEngine):
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
        self._clock = clock
        self._stop = threading.Event()
        super().__init__(table, self.settings, readonly, report)

    def stop(self) -> None:
        """Make the pick that is running in another thread return what it has, within 10 ms."""
        self._stop.set()

    def pick_move(
        self,
        board: BoardLike,
        limits: Limits | None = None,
        observer: Observer[Pick] | None = None,
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

    def _rethinking(self) -> Rethinking:
        return SearchAgain(self.settings)

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
        observer: Observer[Pick],
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
        last = limits.plies or MAX_PLIES
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
            board, settings, self._known, keep_going, with_leaves=self.record == "all", on_move=on_move
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
        return report_on(
            board,
            self._memory.entries,
            self.settings,
            self._table_name,
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
        return why(board, move, self.settings, self._known)
