"""The deep mode's engine: the deep search, and a table that it reads before and records to afterwards."""

import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike

import chess

from heatmap_engine.board.history import is_repeating
from heatmap_engine.board.reading import BoardLike, as_board, pack
from heatmap_engine.classic.search import Candidate, SearchSettings
from heatmap_engine.deep.entries import (
    DeepCandidate,
    as_known,
    candidates_of,
    entries_of,
)
from heatmap_engine.deep.rethinking import DeepThink
from heatmap_engine.deep.search import DeepLimits, DeepResult, DeepSearch
from heatmap_engine.deep.settings import DeepSettings
from heatmap_engine.deep.weights import DeepWeights, learned_weights
from heatmap_engine.deep.yardstick import DeepYardstick
from heatmap_engine.engines.base import TableEngine
from heatmap_engine.engines.observer import Observer
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.kernel.deep.table_probe import TableProbe
from heatmap_engine.memory.views import View
from heatmap_engine.memory.walk import Rethinking
from heatmap_engine.reports.build import report_on
from heatmap_engine.reports.report import Report
from heatmap_engine.stop import Stop
from qtable import QTable

_log = logging.getLogger("heatmap_engine")

RECORD_MODES = ("searched", "off")

DEFAULT_LIMITS = DeepLimits(depth=10)

# How many lines a report's candidates are, and how deep: a fraction of a second, and arrows for a picture.
_REPORT_LINES = 5
_REPORT_LIMITS = DeepLimits(depth=8)

# How far around the root the table is asked, by the time for the move: one ply takes 0.02 ms, two take 1.2
# (docs/deep-table.md).
_MS_FOR_ONE_PLY = 1.0
_MS_FOR_TWO_PLIES = 30.0


@dataclass(frozen=True, slots=True)
class DeepPick:
    """The chosen move, and the candidates whose values are known, the chosen one first.

    `value` is for the side to move, `score` the same as White minus Black.
    """

    move: chess.Move
    value: int
    score: float
    depth: int
    deepest: int
    nodes: int
    seconds: float
    line: tuple[chess.Move, ...]
    mate_in: int | None
    table_hits: int
    """How many positions near the root the table knew."""
    candidates: tuple[DeepCandidate, ...]
    others: tuple[DeepResult, ...] = ()
    """The best lines after this one, as many as were asked for."""

    @property
    def reply(self) -> chess.Move | None:
        """The reply expected."""
        return self.line[1] if len(self.line) > 1 else None


class DeepEngine(TableEngine):
    """Picks moves by the deep search, remembers what it found, learns from games.

    The twin of `Engine`: see there for `table`, `record`, `readonly` and `report`, and for what threads may
    do. Its tables are its own, because values are in another unit. `hash_mib` is what the search may keep in
    memory; `clear` forgets that, and nothing of the table.
    """

    def __init__(
        self,
        table: str | PathLike[str] | QTable | View | None = None,
        *,
        weights: DeepWeights | None = None,
        hash_mib: int = 16,
        threads: int = 1,
        record: str = "searched",
        readonly: bool = False,
        report: Callable[[str], None] = _log.warning,
        learning_nodes: int = 20_000,
    ) -> None:
        if record not in RECORD_MODES:
            raise InvalidSettings(f"record must be one of {', '.join(RECORD_MODES)}, got {record!r:.80}")
        self.settings = DeepSettings(weights or learned_weights(), learning_nodes)
        self.record = record
        self._stop = Stop()
        self._search = DeepSearch(self.settings.weights, hash_mib=hash_mib, threads=threads)
        super().__init__(table, self.settings, readonly, report)

    def _rethinking(self) -> Rethinking:
        return DeepThink(self.settings)

    @property
    def permille_used(self) -> int:
        """How much of the memory the last search has filled."""
        return self._search.permille_used

    @property
    def current(self) -> tuple[str, int]:
        """The root's move that is being searched and its number, 0 before the first; any thread may ask."""
        return self._search.current

    @property
    def deserved(self) -> float:
        """What the position deserves of the soft budget, by the last depth; any thread may ask."""
        return self._search.deserved

    def clear(self) -> None:
        """Forget what searches keep in memory; the table stays as it is."""
        self._search.clear()

    def stop(self) -> None:
        """Make the pick that is running in another thread return what it has, within 10 ms."""
        self._stop.set()

    def pick_move(
        self,
        board: BoardLike,
        limits: DeepLimits | None = None,
        observer: Observer[DeepPick] | None = None,
        *,
        lines: int = 1,
        moves: Collection[chess.Move] = (),
    ) -> DeepPick:
        """The best move within the limits, of `moves` if any are given; raises GameOver without any.

        With more `lines` the pick holds the others. Of a search of chosen `moves` nothing is recorded: what
        it finds is not the position's value.
        """
        started = time.monotonic()
        stop = self._stop = Stop()  # a stop that comes late must not end the next pick
        board = as_board(board)
        is_watched = observer is not None
        observer = observer or Observer()
        limits = limits or DEFAULT_LIMITS
        probe, hits = self._read(board, limits)
        finished: list[DeepResult] = []

        def heard(result: DeepResult) -> None:
            finished.append(result)
            if is_watched:  # to make a pick of each depth would be a tenth of the work of 2,000 nodes
                observer.on_depth(self._pick(board, result, probe, hits, started))

        with observer.stop.calls(stop.set):
            left = limits.after(time.monotonic() - started)
            result = self._search.search(board, left, heard, lines, moves, stop)
        pick = self._pick(board, result, probe, hits, started)
        observer.on_pick(pick)
        if self.record != "off" and finished and not moves:
            last, candidates = finished[-1], pick.candidates
            # A depth that was broken off may have found a move, but only a bound for it.
            if result is not last:
                candidates = candidates_of(board, last, self._search, probe if hits else None)
            observer.on_found(partial(self._remember, entries_of(board, last, candidates)))
        return pick

    def report(
        self,
        board: BoardLike,
        *,
        candidates: bool = False,
        line: bool = False,
        plies: int = 0,
        limits: DeepLimits | None = None,
    ) -> Report:
        """As `Engine.report`, in the deep mode's unit; records nothing.

        `candidates` adds the best lines of a search within `limits`, before which what earlier ones found is
        forgotten, so that the same question has the same answer.
        """
        board = as_board(board)
        return report_on(
            board,
            self._memory.entries,
            SearchSettings(),
            self._table_name,
            yardstick=DeepYardstick(self.settings.weights),
            candidates=self._candidates(board, limits or _REPORT_LIMITS) if candidates else None,
            line=line,
            plies=plies,
        )

    def _candidates(self, board: chess.Board, limits: DeepLimits) -> tuple[Candidate, ...]:
        if not any(board.generate_legal_moves()):
            return ()
        self.clear()
        self._read(board, limits)
        result = self._search.search(board, limits, lines=_REPORT_LINES)
        white = 1 if board.turn == chess.WHITE else -1
        return tuple(
            Candidate(each.move, float(white * each.value), each.line, self._is_learned(board, each.move))
            for each in result.ranked
        )

    def _is_learned(self, board: chess.Board, move: chess.Move) -> bool:
        """Whether what the search knows of the position after a move is what the table gave it."""
        after = board.copy(stack=False)
        after.push(move)
        known = self._search.exact(pack(after))
        return known is not None and known[2]

    def _read(self, board: chess.Board, limits: DeepLimits) -> tuple[TableProbe | None, int]:
        """Let the search know what the table knows around the root; one read, and how much it found."""
        plies = _plies_to_read(limits)
        if self._known is None or plies == 0 or is_repeating(board):
            return None, 0
        probe = TableProbe(pack(board), plies)
        entries = self._known.get_many(dict.fromkeys(probe.keys))
        return probe, self._search.put(probe, as_known(entries)) if entries else 0

    def _pick(
        self, board: chess.Board, result: DeepResult, probe: TableProbe | None, hits: int, started: float
    ) -> DeepPick:
        line = result.line
        reply = probe.reply_to(result.move.uci()) if probe is not None and hits and len(line) == 1 else None
        if reply is not None:  # the table's value ended the line, and the table knows how it goes on
            line = (*line, chess.Move.from_uci(reply))
            result = replace(result, line=line)
        return DeepPick(
            move=result.move,
            value=result.value,
            score=float(result.value if board.turn else -result.value),
            depth=result.depth,
            deepest=result.deepest,
            nodes=result.nodes,
            seconds=time.monotonic() - started,
            line=line,
            mate_in=result.mate_in,
            table_hits=hits,
            candidates=candidates_of(board, result, self._search, probe if hits else None),
            others=result.others,
        )


def _plies_to_read(limits: DeepLimits) -> int:
    times = [ms for ms in (limits.soft_ms, limits.hard_ms) if ms is not None]
    if not times or min(times) >= _MS_FOR_TWO_PLIES:
        return 2
    return 1 if min(times) >= _MS_FOR_ONE_PLY else 0
