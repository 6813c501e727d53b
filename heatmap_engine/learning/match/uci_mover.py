"""A UCI engine as a player: what it does wrong loses its game and not the match."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import chess
import chess.engine

from heatmap_engine.errors import MatchError
from heatmap_engine.learning.end_with_parent import end_with_parent
from heatmap_engine.learning.match.movers import TIME_FORFEIT, Answer, Clocks
from heatmap_engine.learning.match.pace import Pace
from heatmap_engine.learning.match.sides import UciSide
from heatmap_engine.learning.patience import patient_for
from heatmap_engine.learning.playing import Forfeit

# How long an engine may take to start, to take its options, or to make ready for a game.
_READY_S = 20.0
# So long beyond its time an engine is waited for; it may have to make ready for a game first.
_LATE_S = 10.0
# After so long without any limit in time an engine is taken to hang.
_STALLED_S = 600.0
# A mate in N moves counts so many centipawns, less N.
_MATE_CENTIPAWNS = 10_000


class _Protocol(chess.engine.UciProtocol):
    """Notes when `go` was written: what an engine does to make ready for a game is not thinking.

    A program that does not begin to speak UCI is ended here, because python-chess would leave it behind.
    """

    asked_at = 0.0

    async def initialize(self) -> None:
        assert self.transport is not None
        limit = self.loop.call_later(_READY_S, self.transport.kill)
        try:
            await super().initialize()
        except chess.engine.EngineTerminatedError as error:
            if self.loop.time() < limit.when():
                raise
            raise TimeoutError from error
        finally:
            limit.cancel()

    def send_line(self, line: str) -> None:
        super().send_line(line)
        if line.startswith("go"):
            self.asked_at = time.perf_counter()


class UciMover:
    """An engine's process, started when it is first needed, and again after it has failed."""

    def __init__(self, side: UciSide) -> None:
        self._side = side
        self._engine: chess.engine.SimpleEngine | None = None
        self._game = object()

    def begin(self, seed: str) -> None:
        self._game = object()  # python-chess says `ucinewgame` when this is another one

    def think(self, board: chess.Board, clocks: Clocks) -> Answer:
        allowed = clocks.of(board.turn).allowed_s
        patience = _Patience(_STALLED_S if allowed is None else allowed + _LATE_S)
        limit = _limit(self._side.pace, clocks, board.turn)
        try:
            engine = self._running()
            with patience.of(engine):
                played = engine.play(board, limit, game=self._game, info=chess.engine.INFO_SCORE)
        except (chess.engine.EngineTerminatedError, OSError) as error:  # OSError: it does not start again
            self.close()
            if not patience.is_over:
                raise Forfeit("abandoned: the engine's process ended") from error
            raise Forfeit("stalled connection" if allowed is None else TIME_FORFEIT) from error
        except chess.engine.EngineError as error:
            self.close()  # whatever it still says is about a game that is over
            raise Forfeit("rules infraction: illegal move") from error
        assert isinstance(engine.protocol, _Protocol)
        seconds = time.perf_counter() - engine.protocol.asked_at
        if played.move is None:
            raise Forfeit("rules infraction: no move")
        return Answer(played.move, seconds, _centipawns(played.info))

    def _running(self) -> chess.engine.SimpleEngine:
        if self._engine is None:
            self._engine = _started(self._side)
        return self._engine

    def close(self) -> None:
        if self._engine is not None:
            _end(self._engine)
            self._engine = None


def require_starting(side: UciSide) -> None:
    """Raise MatchError if the engine does not start, or refuses its options."""
    command = " ".join(side.command)
    try:
        _end(_started(side))
    except TimeoutError as error:
        raise MatchError(f"{command}: expected a UCI engine, got no answer in {_READY_S:g} s") from error
    except OSError as error:
        raise MatchError(f"{command}: cannot be started: {error.strerror}") from error
    except chess.engine.EngineError as error:
        raise MatchError(f"{command}: expected a UCI engine that takes these options: {error}") from error


def _started(side: UciSide) -> chess.engine.SimpleEngine:
    # python-chess starts the process in a thread of its own, which lives as long as the engine.
    engine = chess.engine.SimpleEngine.popen(
        _Protocol, list(side.command), timeout=None, preexec_fn=partial(end_with_parent, os.getpid())
    )
    try:
        engine.configure(dict(side.options))
    except BaseException:
        _end(engine)
        raise
    return engine


def _end(engine: chess.engine.SimpleEngine) -> None:
    """Kill the process if it has not ended, and wait until it has."""
    engine.close()
    engine.returncode.result()


class _Patience:
    """Ends an engine's process if it does not answer in time; python-chess waits for ever on a clock."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.is_over = False

    @contextmanager
    def of(self, engine: chess.engine.SimpleEngine) -> Iterator[None]:
        def lose() -> None:
            self.is_over = True
            engine.close()

        with patient_for(self._seconds, lose):
            yield


def _limit(pace: Pace, clocks: Clocks, mover: chess.Color) -> chess.engine.Limit:
    limit = chess.engine.Limit(depth=pace.plies, nodes=pace.nodes)
    if pace.move_ms is not None:
        limit.time = pace.move_ms / 1000
    if pace.clock is not None:
        white, black = clocks.white, clocks.black
        limit.white_clock, limit.black_clock = white.remaining_s, black.remaining_s
        limit.white_inc, limit.black_inc = white.increment_s, black.increment_s
        limit.remaining_moves = clocks.of(mover).moves_to_go
    return limit


def _centipawns(info: chess.engine.InfoDict) -> int | None:
    score = info.get("score")
    return None if score is None else score.white().score(mate_score=_MATE_CENTIPAWNS)
