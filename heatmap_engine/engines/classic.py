"""Classic mode: every move's exact score; among equal best moves one is chosen at random."""

import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from random import Random

import chess

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.board.reading import pack
from heatmap_engine.classic.breakdown import ClassicBreakdown
from heatmap_engine.classic.entries import entries_to_record
from heatmap_engine.classic.kept_trees import KeptTrees
from heatmap_engine.classic.pattern_learning import PatternLearner
from heatmap_engine.classic.patterns import parts_of, pattern_table_of, patterns_of
from heatmap_engine.classic.reanalysis import ClassicReanalysis
from heatmap_engine.classic.search import SearchResult, search
from heatmap_engine.classic.settings import (
    ALL,
    MAX_PLIES,
    RECORDED,
    SEARCHED,
    WON,
    ClassicSettings,
    settings_of_game,
)
from heatmap_engine.classic.what_if import next_reply, without_table
from heatmap_engine.classic.yardstick import HEAT_UNITS, ClassicYardstick
from heatmap_engine.engines.mode import Bench, Mode
from heatmap_engine.engines.pick import FoundDepth, Pick
from heatmap_engine.engines.thinker import SearchOutcome, SearchRequest
from heatmap_engine.errors import InvalidSettings, SearchTooLarge
from heatmap_engine.limits import Budget, Limits, Pacing
from heatmap_engine.memory.views import EntrySource
from heatmap_engine.reports.why import Verdict
from heatmap_engine.stop import Stop, Stopped

# A depth of the base search takes some thirty times as long as the one before. One that is begun later would
# mostly be cut off by the hard budget, and its time be lost.
_PACING = Pacing(moves=40, begin_until=0.05)

# One search of a position takes some milliseconds, which say little about the speed.
_SPEED_SEARCHES = 16


class ClassicThinker:
    """Searches deeper and deeper within the limits. Each depth starts anew."""

    hash_permille = None

    def __init__(
        self, settings: ClassicSettings, random: Random, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._random = random
        self._clock = clock
        self._current = ("", 0)
        self._kept: KeptTrees | None = None

    @property
    def current(self) -> tuple[str, int]:
        return self._current

    def clear(self) -> None:
        pass  # what is kept changes no result

    def reanalysis(self, settings: ClassicSettings) -> ClassicReanalysis:
        """From now on picks keep their trees, because the walk of the game needs them again."""
        if settings.meaning != self._settings.meaning:
            return ClassicReanalysis(settings)
        self._kept = self._kept or KeptTrees()
        return ClassicReanalysis(settings, self._kept)

    def think(self, request: SearchRequest) -> SearchOutcome:
        thinking = self._begun(request, self._random)
        finished = self._deepest(thinking)
        seconds = self._clock() - thinking.started
        pick = replace(finished[0], seconds=seconds, moves_visited=thinking.visited)
        recording = self._settings.recording(request.record)
        return SearchOutcome(pick, partial(entries_to_record, request.board, finished[1], recording))

    def _begun(self, request: SearchRequest, random: Random | None = None) -> "_Thinking":
        """Without a source of chances, which belongs to the moves of games, equal moves have their order."""
        self._current = "", 0
        return _Thinking(request, random or Random(0), self._clock)

    def _deepest(self, thinking: "_Thinking") -> tuple[Pick, SearchResult]:
        """What the last search that was finished picks."""
        for settings in self._plan(thinking.request.limits):
            try:
                result = self._searched(thinking, settings, thinking.keep_going)
            except Stopped:
                break
            except SearchTooLarge:
                if thinking.finished is None:
                    raise
                break
            if thinking.finished is not None and result.nodes == thinking.finished[1].nodes:
                break  # the game ends on every line: looking further finds nothing more
            self._finish(thinking, settings, result)
            if thinking.is_spent() or thinking.is_late():
                break
        if thinking.finished is None:
            # Stopped at once; the shallowest search takes a fifth of a millisecond.
            settings = replace(self._settings, plies=1, tactical_plies=0)
            self._finish(thinking, settings, self._searched(thinking, settings, lambda moves_visited: None))
        assert thinking.finished is not None
        return thinking.finished

    def _finish(self, thinking: "_Thinking", settings: ClassicSettings, result: SearchResult) -> None:
        pick = self._pick_of(thinking, settings, result)
        thinking.finished = pick, result
        thinking.visited += result.moves_visited
        thinking.request.observer.on_depth(replace(pick, moves_visited=thinking.visited))

    def _plan(self, limits: Limits) -> Iterator[ClassicSettings]:
        """The searches to make one after the other, each deeper than the one before."""
        if limits.depth is not None and limits.depth > MAX_PLIES:
            raise InvalidSettings(f"plies must be from 1 to {MAX_PLIES}, got {limits.depth}")
        if not limits.is_timed:
            yield replace(self._settings, plies=limits.depth or self._settings.plies)
            return
        last = limits.depth or MAX_PLIES
        for plies in range(min(self._settings.plies, last), last + 1):
            yield replace(self._settings, plies=plies)

    def _searched(
        self, thinking: "_Thinking", settings: ClassicSettings, keep_going: Callable[[int], None]
    ) -> SearchResult:
        def on_move(number: int, move: chess.Move) -> None:
            self._current = move.uci(), number
            request.observer.on_move(number, move)

        request = thinking.request
        return search(
            request.board,
            settings,
            request.known,
            keep_going,
            root=request.root,
            with_all=request.record in (SEARCHED, ALL),
            with_leaves=request.record == ALL,
            on_move=on_move,
            patterns=pattern_table_of(request.known),
            kept=self._kept,
        )

    def _pick_of(self, thinking: "_Thinking", settings: ClassicSettings, result: SearchResult) -> Pick:
        candidates = _chosen_first(_allowed(result.candidates, thinking.request), thinking.random)
        return Pick(
            lines=candidates,
            candidates=candidates,
            depth=settings.plies,
            selective_depth=max(len(candidate.line) for candidate in candidates),
            tactical_plies=settings.tactical_plies,
            nodes=result.nodes,
            moves_visited=result.moves_visited,
            table_hits=result.table_hits,
            seconds=self._clock() - thinking.started,
        )

    def candidates(
        self, board: chess.Board, limits: Limits | None, known: EntrySource | None
    ) -> tuple[Candidate, ...]:
        request = SearchRequest(
            board=board, root=pack(board), limits=limits or Limits(), known=known, stop=Stop()
        )
        return tuple(self._deepest(self._begun(request))[1].candidates)

    def compare(self, request: SearchRequest, move: chess.Move | None) -> tuple[Verdict, Verdict]:
        """Of equal moves the first by name is the best one here, so that it is the same one each time."""
        pick, result = self._deepest(self._begun(request))
        what_if = _WhatIf(request, replace(self._settings, plies=pick.depth))
        ranked = result.candidates
        asked = next((candidate for candidate in ranked if candidate.move == move), ranked[0])
        verdicts = {
            candidate: Verdict(
                candidate=candidate,
                depth=pick.depth,
                nodes=pick.nodes,
                rank=ranked.index(candidate) + 1,
                next_reply=what_if.next_reply(candidate),
                without_table=what_if.without_table.get(candidate.move),
            )
            for candidate in (asked, ranked[0])
        }
        return verdicts[asked], verdicts[ranked[0]]


class _WhatIf:
    """Searches beside the one that was asked for; what they do not find until a stop is left out."""

    def __init__(self, request: SearchRequest, settings: ClassicSettings) -> None:
        self._question = request
        self._settings = settings
        self.without_table: dict[chess.Move, float] = {}
        with suppress(Stopped):
            self.without_table = without_table(request.board, settings, self._keep_going)

    def next_reply(self, candidate: Candidate) -> Candidate | None:
        request = self._question
        with suppress(Stopped):
            return next_reply(request.board, candidate, self._settings, request.known, self._keep_going)
        return None

    def _keep_going(self, moves_visited: int) -> None:
        if self._question.stop.is_set():
            raise Stopped


class _Thinking:
    """One search in progress: what is finished so far, and whether the limits are reached."""

    def __init__(self, request: SearchRequest, random: Random, clock: Callable[[], float]) -> None:
        self.request = request
        self.random = random
        self.started = clock()
        self.finished: tuple[Pick, SearchResult] | None = None
        self.visited = 0
        self._clock = clock

    def keep_going(self, moves_visited: int) -> None:
        if self.request.stop.is_set():
            raise Stopped
        can_end = self.finished is not None or self.request.limits.strict
        if can_end and self.is_spent(moves_visited):
            raise Stopped

    def is_spent(self, moves_visited: int = 0) -> bool:
        limits = self.request.limits
        if limits.seconds is not None and self._clock() - self.started >= limits.seconds:
            return True
        return limits.nodes is not None and self.visited + moves_visited >= limits.nodes

    def is_late(self) -> bool:
        soft = self.request.limits.soft_seconds
        return soft is not None and self._clock() - self.started >= soft


def _chosen_first(ranked: list[Candidate], random: Random) -> tuple[Candidate, ...]:
    best = [candidate for candidate in ranked if candidate.score == ranked[0].score]
    chosen = random.choice(best)
    return (chosen, *(candidate for candidate in ranked if candidate is not chosen))


def _due_after_ponder(budget: Budget, pondered_s: float, found: FoundDepth | None) -> float:
    """A search of one ply is no answer yet: then the hard budget is for more."""
    return budget.soft_s if found is not None and found.depth > 1 else budget.hard_s


def _allowed(ranked: list[Candidate], request: SearchRequest) -> list[Candidate]:
    """The candidates among the moves that were asked about; all scores are exact."""
    return [candidate for candidate in ranked if not request.moves or candidate.move in request.moves]


def _bench(settings: ClassicSettings) -> Bench:
    """The signature is made of every score; nine digits, as the last bits of a sum may differ by compiler."""
    digest = 0

    def add(fen: str) -> None:
        nonlocal digest
        for candidate in search(chess.Board(fen), ClassicSettings(), with_all=False).candidates:
            digest = zlib.crc32(f"{candidate.move.uci()} {candidate.score:.9g}\n".encode(), digest)

    def work(fen: str) -> int:
        return sum(
            search(chess.Board(fen), ClassicSettings(), with_all=False).moves_visited
            for _ in range(_SPEED_SEARCHES)
        )

    return Bench(add, lambda: digest, work)


MODE = Mode(
    name="classic",
    unit=HEAT_UNITS,
    table_file="default.table",
    pacing=_PACING,
    due_after_ponder=_due_after_ponder,
    max_depth=MAX_PLIES,
    record_modes=(*RECORDED, "off"),
    recording=ClassicSettings.recording,
    takes_weights_file=False,
    has_levels=False,
    plays_by_nodes=False,
    results_choose=ClassicReanalysis.results_choose,
    won_score=WON,
    drawn_score=2.0,
    settings=ClassicSettings,
    settings_named=ClassicSettings.named,
    settings_of_game=settings_of_game,
    effort="moves visited",
    bench=_bench,
    thinker=ClassicThinker,
    reanalysis=ClassicReanalysis,
    patterns=lambda known, position: parts_of(patterns_of(known), position),
    yardstick=lambda settings, known: ClassicYardstick(settings, patterns_of(known)),
    generalizer=PatternLearner,
    breakdown=lambda settings, known: ClassicBreakdown(settings, patterns_of(known)),
)
