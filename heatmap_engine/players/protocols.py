"""How engines are spoken to, UCI or xboard: python-chess's protocols, which here time the thinking alone."""

import asyncio
import time
from collections.abc import Coroutine

import chess.engine

# How long an engine may take to start, to take its options, or to make ready for a game.
READY_S = 20.0


class TimedUci(chess.engine.UciProtocol):
    """Notes when `go` was written: what an engine does to make ready for a game is not thinking."""

    _asked_at = 0.0

    @property
    def thought_s(self) -> float:
        """How long the engine has thought until now."""
        return time.perf_counter() - self._asked_at

    async def initialize(self) -> None:
        await _begun(self, super().initialize())

    def send_line(self, line: str) -> None:
        super().send_line(line)
        if line.startswith("go"):
            self._asked_at = time.perf_counter()


class TimedXboard(chess.engine.XBoardProtocol):
    """Notes when `go` was written, and when the move was read.

    python-chess asks for a sign of life after the move, which is no thinking either. The engine must say
    `done=1` after its features.
    """

    _asked_at = 0.0
    _answered_at = 0.0

    @property
    def thought_s(self) -> float:
        """How long the engine has thought about its last move."""
        return self._answered_at - self._asked_at

    async def initialize(self) -> None:
        # An engine that is late says so itself with this line; else python-chess gives up after two seconds,
        # in which a busy machine may not even have started it.
        self.loop.call_soon(self._line_received, "feature done=0")
        await _begun(self, super().initialize())

    def send_line(self, line: str) -> None:
        if line.startswith("ping"):
            self._answered_at = time.perf_counter()
        super().send_line(line)
        if line == "go":
            self._asked_at = time.perf_counter()


async def _begun(protocol: chess.engine.Protocol, initialize: Coroutine[None, None, None]) -> None:
    """Wait until the program speaks; end one that does not, which python-chess would leave behind."""
    assert protocol.transport is not None
    limit = protocol.loop.call_later(READY_S, protocol.transport.kill)
    try:
        await initialize
    except chess.engine.EngineTerminatedError as error:
        if protocol.loop.time() < limit.when():
            raise
        raise TimeoutError(f"got no answer in {READY_S:g} s") from error
    except chess.engine.EngineError:
        protocol.transport.kill()
        await asyncio.shield(protocol.returncode)
        raise
    finally:
        limit.cancel()
