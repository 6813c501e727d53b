"""How engines are spoken to, UCI or xboard: python-chess's protocols, which here time the thinking alone."""

import asyncio
import time

import chess.engine

# How long an engine may take to start, to take its options, or to make ready for a game.
READY_S = 20.0


class TimedUci(chess.engine.UciProtocol):
    """Notes when `go` was written: what an engine does to make ready for a game is not thinking.

    A program that does not begin to speak UCI is ended here, because python-chess would leave it behind.
    """

    _asked_at = 0.0

    @property
    def thought_s(self) -> float:
        """How long the engine has thought until now."""
        return time.perf_counter() - self._asked_at

    async def initialize(self) -> None:
        assert self.transport is not None
        limit = self.loop.call_later(READY_S, self.transport.kill)
        try:
            await super().initialize()
        except chess.engine.EngineTerminatedError as error:
            if self.loop.time() < limit.when():
                raise
            raise TimeoutError(f"got no answer in {READY_S:g} s") from error
        finally:
            limit.cancel()

    def send_line(self, line: str) -> None:
        super().send_line(line)
        if line.startswith("go"):
            self._asked_at = time.perf_counter()


class TimedXboard(chess.engine.XBoardProtocol):
    """Notes when `go` was written, and when the move was read.

    python-chess asks for a sign of life after the move, which is no thinking either. It gives up a program
    that does not begin to speak after two seconds, and that is ended here too.
    """

    _asked_at = 0.0
    _answered_at = 0.0

    @property
    def thought_s(self) -> float:
        """How long the engine has thought about its last move."""
        return self._answered_at - self._asked_at

    async def initialize(self) -> None:
        assert self.transport is not None
        try:
            await super().initialize()
        except chess.engine.EngineError:
            self.transport.kill()
            await asyncio.shield(self.returncode)
            raise

    def send_line(self, line: str) -> None:
        if line.startswith("ping"):
            self._answered_at = time.perf_counter()
        super().send_line(line)
        if line == "go":
            self._asked_at = time.perf_counter()
