"""Who thinks for a side: our engine in this process, or another engine in one of its own."""

import time
from dataclasses import dataclass
from random import Random
from typing import Protocol

import chess

from heatmap_engine.engines.engine import Engine
from heatmap_engine.errors import MatchError
from heatmap_engine.limits import Limits, clock_budget, move_budget
from heatmap_engine.players.pace import Clock, Pace
from heatmap_engine.players.sides import OurSide

TIME_FORFEIT = "time forfeit"

# What our engine leaves unused for the moment between its stop and the clock's.
OVERHEAD_MS = 15.0


@dataclass(frozen=True, slots=True)
class MoveAnswer:
    """A move, what its player thinks of it, and how long that took on the clock outside."""

    move: chess.Move
    seconds: float
    centipawns: int | None = None
    """White minus Black; None from an engine that does not say."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Both clocks of a game."""

    white: Clock
    black: Clock

    def of(self, colour: chess.Color) -> Clock:
        return self.white if colour == chess.WHITE else self.black


class Mover(Protocol):
    """Thinks for one side, game after game."""

    def begin(self, seed: str, pace: Pace | None = None) -> None:
        """A new game; of equally good moves our engine plays one by chance, which comes from `seed`.

        With a `pace` that one holds in this game, instead of the side's.
        """
        ...

    def think(self, board: chess.Board, clocks: Clocks) -> MoveAnswer:
        """A move for the side to move; raises Forfeit if there is none to be had."""
        ...

    def close(self) -> None:
        """Let go of tables and processes."""
        ...


class OurMover:
    """Our engine, in either mode. Games do not record; a side that learns does so after each."""

    def __init__(self, side: OurSide) -> None:
        self._pace = self._own_pace = side.pace
        self._random = Random()
        self.engine = Engine(
            side.table,
            settings=side.settings,
            record="off",
            random=self._random,
            readonly=not side.learns,
            report=refuse,
        )

    def begin(self, seed: str, pace: Pace | None = None) -> None:
        """Who played before must not matter."""
        self._pace = pace or self._own_pace
        self._random.seed(seed)
        self.engine.clear()

    def think(self, board: chess.Board, clocks: Clocks) -> MoveAnswer:
        started = time.perf_counter()
        pick = self.engine.pick_move(board, self._limits(clocks.of(board.turn)), tells_lines=False)
        seconds = time.perf_counter() - started
        return MoveAnswer(pick.move, seconds, self.engine.mode.unit.centipawns(pick.score))

    def _limits(self, clock: Clock) -> Limits:
        pace, mode = self._pace, self.engine.mode
        depth = None if pace.plies is None else min(pace.plies, mode.max_depth)
        if clock.remaining_s is not None:
            remaining_ms, increment_ms = 1e3 * clock.remaining_s, 1e3 * (clock.increment_s or 0.0)
            budget = clock_budget(remaining_ms, increment_ms, clock.moves_to_go, OVERHEAD_MS, mode.pacing)
        elif pace.move_ms is not None:
            budget = move_budget(pace.move_ms, OVERHEAD_MS)
        else:
            return Limits(depth, nodes=pace.nodes)
        return budget.limits(depth, pace.nodes)

    def table_state(self) -> str:
        """How much is in the table at this moment; it must have one."""
        table = self.engine.table
        assert table is not None
        return f"{len(table):,} entries of {table.journal_length():,} games"

    def close(self) -> None:
        self.engine.close()


def refuse(message: str) -> None:
    """A match with a table that cannot be read would measure something else than it says."""
    raise MatchError(message)
