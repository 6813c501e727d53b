"""A UCI or xboard engine as a player: what it does wrong loses its game and not the match."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

import chess
import chess.engine

from heatmap_engine.errors import MatchError
from heatmap_engine.players.game_loop import Forfeit
from heatmap_engine.players.movers import TIME_FORFEIT, Clocks, MoveAnswer
from heatmap_engine.players.pace import Pace
from heatmap_engine.players.protocols import TimedUci, TimedXboard
from heatmap_engine.players.sides import UciSide, XboardSide
from heatmap_engine.workers.end_with_parent import end_with_parent
from heatmap_engine.workers.time_limit import patient_for

# So long beyond its time an engine is waited for; it may have to make ready for a game first.
_LATE_S = 10.0
# After so long without any limit in time an engine is taken to hang.
_STALLED_S = 600.0
# So long a program may take to end after `quit`.
_QUIT_S = 5.0
# A mate in N moves counts so many centipawns, less N.
_MATE_CENTIPAWNS = 10_000
# No score counts more, whatever an engine says: what is written down must be a number that can be read.
_MOST_CENTIPAWNS = 1_000_000


class EngineMover:
    """An engine's process, started when it is first needed, and again after it has failed."""

    def __init__(self, side: UciSide) -> None:
        self._side = side
        self._pace = side.pace
        self._engine: chess.engine.SimpleEngine | None = None
        self._game = object()

    def begin(self, seed: str, pace: Pace | None = None) -> None:
        self._pace = pace or self._side.pace
        self._game = object()  # python-chess says `ucinewgame` or `new` when this is another one

    def think(self, board: chess.Board, clocks: Clocks) -> MoveAnswer:
        allowed = clocks.of(board.turn).allowed_s
        patience = _Patience(_STALLED_S if allowed is None else allowed + _LATE_S)
        limit = _limit(self._pace, clocks, board.turn)
        limit.clock_id = self._game  # an xboard engine is told the control once a game, and then the clocks
        try:
            engine = self._running()
            with patience.of(engine):
                played = engine.play(board, limit, game=self._game, info=chess.engine.INFO_SCORE)
        except (chess.engine.EngineTerminatedError, OSError) as error:  # OSError: it does not start again
            self._kill()
            if not patience.is_over:
                raise Forfeit("abandoned: the engine's process ended") from error
            raise Forfeit("stalled connection" if allowed is None else TIME_FORFEIT) from error
        except chess.engine.EngineError as error:
            self._kill()  # whatever it still says is about a game that is over
            raise Forfeit("rules infraction: illegal move") from error
        assert isinstance(engine.protocol, (TimedUci, TimedXboard))
        seconds = engine.protocol.thought_s
        if played.resigned:
            raise Forfeit("resignation")
        if not played.move:  # None, or the null move, as 0000 is read
            raise Forfeit("rules infraction: no move")
        return MoveAnswer(played.move, seconds, _centipawns(played.info))

    def _running(self) -> chess.engine.SimpleEngine:
        if self._engine is None:
            self._engine = _started(self._side)
        return self._engine

    def close(self) -> None:
        if self._engine is not None:
            _ask_to_quit(self._engine)
            self._kill()

    def _kill(self) -> None:
        if self._engine is not None:
            _end(self._engine)
            self._engine = None


def require_starting(side: UciSide, *, chess960: bool) -> None:
    """Raise MatchError if the engine does not start, refuses its options, or does not play what it must."""
    command, kind = " ".join(side.command), _kind(side)
    try:
        engine = _started(side)
        plays_chess960 = _plays_chess960(engine.protocol)
        _end(engine)
    except TimeoutError as error:
        raise MatchError(f"{command}: expected {kind} engine, {error}") from error
    except OSError as error:
        raise MatchError(f"{command}: cannot be started: {error.strerror}") from error
    except chess.engine.EngineError as error:
        raise MatchError(f"{command}: expected {kind} engine that takes its options: {error}") from error
    if chess960 and not plays_chess960:
        raise MatchError(
            f"{command}: expected {kind} engine that plays Chess960, as the openings do, got another"
        )


def _plays_chess960(protocol: chess.engine.Protocol) -> bool:
    if isinstance(protocol, chess.engine.XBoardProtocol):
        return "fischerandom" in str(protocol.features.get("variants", "")).split(",")
    return "UCI_Chess960" in protocol.options


def _kind(side: UciSide) -> str:
    return "an xboard" if isinstance(side, XboardSide) else "a UCI"


def _started(side: UciSide) -> chess.engine.SimpleEngine:
    # python-chess starts the process in a thread of its own, which lives as long as the engine.
    engine = chess.engine.SimpleEngine.popen(
        TimedXboard if isinstance(side, XboardSide) else TimedUci,
        list(side.command),
        timeout=None,
        preexec_fn=partial(_begin_beside, os.getpid()),
    )
    try:
        engine.configure(dict(side.options))
    except BaseException:
        _end(engine)
        raise
    return engine


def _begin_beside(parent: int) -> None:
    """In the new process: it ends with its parent, and a terminal's Ctrl-C is not for it."""
    end_with_parent(parent)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _ask_to_quit(engine: chess.engine.SimpleEngine) -> None:
    """Let the program end by itself: it may have something to save, such as what it learned."""
    engine.timeout = _QUIT_S
    with suppress(chess.engine.EngineError, TimeoutError, OSError):
        engine.quit()


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
    if score is None:
        return None
    centipawns = score.white().score(mate_score=_MATE_CENTIPAWNS)
    return max(-_MOST_CENTIPAWNS, min(centipawns, _MOST_CENTIPAWNS))
