"""Deep mode: the deep search. Before it begins it gets what the table knows around the root."""

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from random import Random
from typing import TypeVar

import chess

from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.board.history import is_repeating
from heatmap_engine.board.reading import pack
from heatmap_engine.board.tablebases import Ruling, Tablebases
from heatmap_engine.deep.breakdown import DeepBreakdown
from heatmap_engine.deep.endings import ruled_candidates, ruled_entries, ruled_lines
from heatmap_engine.deep.entries import as_known, candidates_of, entries_of
from heatmap_engine.deep.favours import favours_of
from heatmap_engine.deep.reanalysis import DeepReanalysis
from heatmap_engine.deep.search import DeepResult, DeepSearch
from heatmap_engine.deep.settings import DeepSettings, settings_of_game
from heatmap_engine.deep.telling import ENOUGH_PLIES, Line, LineTeller
from heatmap_engine.deep.yardstick import DEEP_UNITS, DeepYardstick
from heatmap_engine.engines.mode import Bench, Mode
from heatmap_engine.engines.pick import FoundDepth, Pick
from heatmap_engine.engines.thinker import SearchOutcome, SearchRequest
from heatmap_engine.errors import InvalidTablebase
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.deep.search import MAX_DEPTH
from heatmap_engine.kernel.deep.table_probe import TableProbe
from heatmap_engine.limits import Budget, Limits, Pacing
from heatmap_engine.memory.views import EntrySource
from heatmap_engine.reports.why import Verdict
from heatmap_engine.stop import Stop
from qtable import Entry, QTable

# A depth of the deep search takes some two times as long as the one before, and a broken one is not lost.
# Time kept for more moves than these would be left over at the end of most games.
_PACING = Pacing(moves=20, begin_until=0.8)

# How deep is looked where no limit is given: the same answer each time, in less than a second.
_DEFAULT_DEPTH = 10

_BENCH_LIMITS = Limits(depth=8)
# For the speed, which such short searches do not show.
_SPEED_LIMITS = Limits(nodes=500_000)

# How many lines a report's candidates are, and how deep: a fraction of a second, and arrows for a picture.
_REPORT_LINES = 5
_REPORT_LIMITS = Limits(depth=8)

# How far around the root the table is asked, by the time for the move: one ply takes 0.02 ms, two take 1.2
# (docs/figures.md, "Tables"). Where it knew nothing around the position before, one ply is asked first: of a
# game's positions that is most, and two plies for nothing would take a third of the time of 2,000 nodes.
_S_FOR_ONE_PLY = 0.001
_S_FOR_TWO_PLIES = 0.03

# A line that ended at a value of the table, and is short even so, is searched on with so many nodes, some ms;
# where time or nodes are limited, with no more than this share of what was searched.
_NODES_TO_TELL = 4_000
_SHARE_TO_TELL = 1 / 50

# Endgame tables are read in Python: a root takes some ms, at worst 100 (docs/design/deep-search.md). With
# less time for the move than this they are not asked, and of more they may have this share.
_S_FOR_TABLEBASES = 0.02
_SHARE_FOR_TABLEBASES = 0.25

_Found = TypeVar("_Found", bound=FoundDepth)


class DeepThinker:
    """The deep search of one engine. Its hash table stays from search to search until `clear`."""

    def __init__(
        self, settings: DeepSettings, random: Random, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._weights = settings.weights
        self._tablebases = Tablebases.open(os.fspath(settings.syzygy)) if settings.syzygy else None
        self._search = DeepSearch(settings.weights, hash_mib=settings.hash_mib, threads=settings.threads)
        self._second_search: DeepSearch | None = None
        self._is_far = False
        """Whether the table knew nothing around the last root that it was asked of."""

    @property
    def hash_permille(self) -> int:
        return self._search.permille_used

    @property
    def current(self) -> tuple[str, int]:
        return self._search.current

    def clear(self) -> None:
        self._search.clear()
        self._is_far = False

    def reanalysis(self, settings: DeepSettings) -> DeepReanalysis:
        """With a memory of its own: a game is learned alike whatever its player had in mind."""
        return DeepReanalysis(settings)

    def think(self, request: SearchRequest) -> SearchOutcome:
        started = self._clock()
        ruling = self._ruling(request, started)
        board, limits = request.board, request.limits
        if limits.depth is None and not limits.is_timed:
            limits = replace(limits, depth=_DEFAULT_DEPTH)
        moves = request.moves if ruling is None else ruling.moves
        is_forced = len(moves) == 1 and ruling is not None and request.lines == 1
        probe, around = self._probed(board, request.root, limits, request.known)
        hits = self._search.put(probe, as_known(around)) if probe is not None and around else 0
        favours = favours_of(request.root, around) if request.lines == 1 and not moves else {}
        finished: list[DeepResult] = []
        teller = self._teller(request) if hits else None

        def heard(result: DeepResult) -> None:
            finished.append(result)
            if request.is_watched:
                found = _found(board, result, probe if hits else None, self._clock() - started)
                if teller is not None:
                    found = replace(found, lines=self._told_lines(board, found.lines, result, teller.told_on))
                found = replace(found, deserved=0.0 if is_forced else self._search.deserved)
                request.observer.on_depth(_ruled(found, ruling, request))

        limits = limits.after(self._clock() - started)
        if is_forced and limits.is_patient and limits.soft_seconds is not None:
            limits = replace(limits, soft_seconds=0.0)
        result = self._search.search(
            board,
            limits,
            heard,
            request.lines,
            moves,
            request.stop,
            root=request.root,
            favours=favours,
        )
        known = probe if hits else None
        candidates = candidates_of(board, request.root, result, self._search, known)
        found = _found(board, result, known, self._clock() - started)
        lines = found.lines
        if teller is not None:
            nodes = _nodes_to_tell(request.limits, result.nodes)
            lines = self._told_lines(
                board, lines, result, lambda line: teller.finished(line, nodes, request.stop)
            )
        elif hits:
            lines = self._told_lines(board, lines, result, lambda line: line)
        pick = Pick(
            lines=lines,
            candidates=(lines[0], *candidates),
            depth=found.depth,
            selective_depth=found.selective_depth,
            nodes=found.nodes,
            moves_visited=found.moves_visited,
            seconds=found.seconds,
            table_hits=hits,
        )
        if ruling is not None:
            others = ruled_candidates(candidates, ruling, board.turn)
            pick = _ruled(pick, ruling, request)
            pick = replace(pick, candidates=(pick.best, *others))

        def entries() -> Mapping[str, Entry]:
            # What a search of some moves finds is not the position's value.
            if not finished or request.moves:
                return {}
            last = finished[-1]
            # A depth that was broken off may have found a move, but only a bound for it.
            others = candidates
            if result is not last:
                others = candidates_of(board, request.root, last, self._search, known)
            found = entries_of(board, request.root, last, others)
            return found if ruling is None else ruled_entries(key_of(request.root), ruling, found)

        return SearchOutcome(pick, entries)

    def candidates(
        self, board: chess.Board, limits: Limits | None, known: EntrySource | None
    ) -> tuple[Candidate, ...]:
        """The best lines; what earlier searches found is forgotten before."""
        self.clear()
        root = pack(board)
        if limits is None or (limits.depth is None and not limits.is_timed):
            limits = _REPORT_LIMITS
        request = SearchRequest(board=board, root=root, limits=limits, known=known, stop=Stop())
        probe, entries = self._probed(board, root, limits, known)
        hits = self._search.put(probe, as_known(entries)) if probe is not None and entries else 0
        teller = self._teller(request) if hits else None
        result = self._search.search(board, limits, lines=_REPORT_LINES, root=root)
        found = tuple(
            _candidate(board, each, from_table=self._is_learned(board, each.line[:1]))
            for each in result.ranked
        )
        return found if teller is None else self._told_lines(board, found, result, teller.told_on)

    def compare(self, request: SearchRequest, move: chess.Move | None) -> tuple[Verdict, Verdict]:
        """A move that is not the best is searched by itself; what earlier searches found is forgotten."""
        self.clear()
        request = replace(request, asks_tablebases=False)
        best = _verdict(self.think(request).pick, rank=1)
        if move is None or move == best.move:
            return best, best
        alone = replace(request, moves=(move,))
        return _verdict(self.think(alone).pick), best

    def _ruling(self, request: SearchRequest, started: float) -> Ruling | None:
        """What endgame tables say of the root; None without any, unasked, or without the time to ask."""
        seconds = _least_seconds(request.limits)
        if self._tablebases is None or not request.asks_tablebases or seconds < _S_FOR_TABLEBASES:
            return None
        until = started + _SHARE_FOR_TABLEBASES * seconds

        def is_late() -> bool:
            return request.stop.is_set() or self._clock() >= until

        try:
            return self._tablebases.ruling(request.board, request.moves, is_late)
        except InvalidTablebase as error:
            self._tablebases.close()
            self._tablebases = None
            request.report(f"searching without endgame tables from now on: {error}")
            return None

    def _teller(self, request: SearchRequest) -> LineTeller | None:
        """Who tells lines on; nobody where they are not wanted, or where the time is too short for that."""
        if request.known is None or not request.tells_lines or _plies_to_read(request.limits) < 2:
            return None
        return LineTeller(request.board, self._search, request.known, self._short_search)

    def _short_search(self) -> DeepSearch:
        """A search that leaves alone what the other one keeps in memory; made when it is first asked for."""
        if self._second_search is None:
            self._second_search = DeepSearch(self._weights, hash_mib=1)
        return self._second_search

    def _told_lines(
        self,
        board: chess.Board,
        lines: Iterable[Candidate],
        result: DeepResult,
        told_on: Callable[[Line], Line],
    ) -> tuple[Candidate, ...]:
        """The lines of a result, told on where they are short, or end at a value of the table and say so."""
        told = []
        for line, searched in zip(lines, result.ranked, strict=True):
            is_learned = self._is_learned(board, searched.line)
            # A new best move that was broken off has no line yet.
            if is_learned or len(searched.line) < min(result.depth, ENOUGH_PLIES):
                longer = told_on(searched.line)[: max(ENOUGH_PLIES, result.depth)]
                line = replace(line, line=max(longer, line.line, key=len), from_table=is_learned)
            told.append(line)
        return tuple(told)

    def _is_learned(self, board: chess.Board, line: Iterable[chess.Move]) -> bool:
        """Whether what the search knows of the position after these moves is what the table gave it."""
        after = board.copy(stack=False)
        for move in line:
            after.push(move)
        known = self._search.exact(pack(after))
        return known is not None and known[2]

    def _probed(
        self, board: chess.Board, root: PackedPosition, limits: Limits, known: EntrySource | None
    ) -> tuple[TableProbe | None, Mapping[str, Entry]]:
        """What the table knows around the root, in one read.

        Once a game has left what the table knows it hardly comes back: then one ply is read before two.
        """
        plies = _plies_to_read(limits)
        if known is None or plies == 0 or is_repeating(board):
            return None, {}
        if plies > 1 and self._is_far and not _near(root, known):
            return None, {}
        probe = TableProbe(root, plies)
        entries = known.get_many(dict.fromkeys(probe.keys))
        self._is_far = not entries
        return probe, entries


class _NothingElse:
    """What holds everywhere is in the weights, which `tune` learns."""

    def __init__(self, table: QTable) -> None:
        pass

    def game_recorded(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def described(self) -> tuple[str, ...]:
        return ()


def _due_after_ponder(budget: Budget, pondered_s: float, found: FoundDepth | None) -> float:
    """What was pondered is thought as well: a position that is settled by now is answered at once."""
    if not budget.is_shared:
        return budget.soft_s
    deserved = 1.0 if found is None else found.deserved
    return max(min(deserved * budget.soft_s, budget.hard_s) - pondered_s, 0.0)


def _found(board: chess.Board, result: DeepResult, probe: TableProbe | None, seconds: float) -> FoundDepth:
    lines = [_candidate(board, each) for each in result.ranked]
    reply = probe.reply_to(result.move.uci()) if probe is not None and len(result.line) == 1 else None
    if reply is not None:  # the table's value ended the line, and the table knows how it goes on
        lines[0] = _candidate(board, result, then=chess.Move.from_uci(reply))
    nodes = max(each.nodes for each in result.ranked)  # a line's own count goes on from the line before
    return FoundDepth(
        lines=tuple(lines),
        depth=result.depth,
        selective_depth=result.deepest,
        nodes=nodes,
        moves_visited=nodes,
        seconds=seconds,
    )


def _ruled(found: _Found, ruling: Ruling | None, request: SearchRequest) -> _Found:
    """What was found, with the values that endgame tables give."""
    if ruling is None:
        return found
    lines = ruled_lines(found.lines, ruling, request.board.turn, request.lines)
    return replace(found, lines=lines, tablebase_hits=ruling.hits)


def _candidate(
    board: chess.Board, result: DeepResult, *, from_table: bool = False, then: chess.Move | None = None
) -> Candidate:
    line = result.line if then is None else (*result.line, then)
    score = movers_view(board.turn, float(result.value))
    return Candidate(result.move, score, line, from_table, result.mate_in, result.depth)


def _verdict(pick: Pick, rank: int | None = None) -> Verdict:
    return Verdict(candidate=pick.best, depth=pick.depth, nodes=pick.nodes, rank=rank)


def _near(root: PackedPosition, known: EntrySource) -> bool:
    """Whether the table knows the root or one of its moves."""
    return bool(known.get_many(dict.fromkeys(TableProbe(root, 1).keys)))


def _least_seconds(limits: Limits) -> float:
    times = [seconds for seconds in (limits.soft_seconds, limits.seconds) if seconds is not None]
    return min(times, default=math.inf)


def _plies_to_read(limits: Limits) -> int:
    seconds = _least_seconds(limits)
    return 2 if seconds >= _S_FOR_TWO_PLIES else 1 if seconds >= _S_FOR_ONE_PLY else 0


def _nodes_to_tell(limits: Limits, searched: int) -> int:
    is_limited = limits.is_timed or limits.nodes is not None
    return min(_NODES_TO_TELL, int(_SHARE_TO_TELL * searched)) if is_limited else _NODES_TO_TELL


def _bench(settings: DeepSettings) -> Bench:
    """The signature is the number of nodes that one thread visits."""
    search = DeepSearch(settings.weights)
    nodes = 0

    def visited(fen: str, limits: Limits) -> int:
        search.clear()
        return search.search(fen, limits).nodes

    def add(fen: str) -> None:
        nonlocal nodes
        nodes += visited(fen, _BENCH_LIMITS)

    return Bench(add, lambda: nodes, lambda fen: visited(fen, _SPEED_LIMITS))


MODE = Mode(
    name="deep",
    unit=DEEP_UNITS,
    table_file="default.deep.table",
    pacing=_PACING,
    due_after_ponder=_due_after_ponder,
    max_depth=MAX_DEPTH,
    record_modes=("searched", "off"),
    recording=lambda settings, record: settings,
    takes_weights_file=True,
    has_levels=True,
    plays_by_nodes=True,
    results_choose=DeepReanalysis.results_choose,
    won_score=800.0,
    drawn_score=10.0,
    settings=DeepSettings,
    settings_named=DeepSettings.named,
    settings_of_game=settings_of_game,
    effort="nodes",
    bench=_bench,
    thinker=DeepThinker,
    reanalysis=DeepReanalysis,
    patterns=lambda known, position: (),
    yardstick=lambda settings, known: DeepYardstick(settings.weights),
    generalizer=_NothingElse,
    breakdown=lambda settings, known: DeepBreakdown(settings.weights),
)
