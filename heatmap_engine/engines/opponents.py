"""Whom a person plays against: the engine, or the engine held back to a level."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

import chess

from heatmap_engine.board.candidate import movers_view
from heatmap_engine.deep.levels import level_of
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.thinking_time import thinking_time
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.observer import Observer
from heatmap_engine.limits import LIMITED_PACING, Limits, Pacing
from heatmap_engine.stop import Stop

NAME = "Heatmap Engine"

# Nobody wants to wait longer for a weak player, where no clock runs.
_MOMENT_S = 2.0

Plan = Callable[[chess.Board, Limits, Stop], "Reply"]


@dataclass(frozen=True, slots=True)
class Reply:
    """A move and the line it belongs to; the score is White minus Black, a mate is the mover's."""

    move: chess.Move
    line: tuple[chess.Move, ...]
    score: float
    mate_in: int | None

    def accepts_draw(self, color: chess.Color) -> bool:
        """Whether a side that sees this would take a draw: it is not ahead."""
        return movers_view(color, self.score) <= 0


@dataclass(frozen=True, slots=True)
class Opponent:
    """Who answers; `settings` are what a game's record keeps. A stop has an answer at once."""

    name: str
    description: str
    plan: Plan
    advise: Plan
    """What the engine would play at its full strength, which is a hint."""
    seems_to_think_s: Callable[[chess.Board, chess.Move, Limits], float]
    """How long a person would have thought about this move, if the answer is there at once."""
    settings: Mapping[str, str | int | float | bool]
    pacing: Pacing
    """How it shares out its clock."""


def full_opponent(engine: Engine) -> Opponent:
    """The engine as well as it can play within the limits."""

    def plan(board: chess.Board, limits: Limits, stop: Stop) -> Reply:
        pick = engine.pick_move(board, limits, _Stopped(stop))
        return Reply(pick.move, pick.line, pick.score, pick.mate_in)

    return Opponent(
        NAME,
        f"at full strength, in mode {engine.mode.name}",
        plan,
        plan,
        lambda board, move, limits: 0.0,
        _settings(engine),
        engine.mode.pacing,
    )


def limited_opponent(engine: Engine, elo: int, source: Random) -> Opponent:
    """The engine's search held back to a level, which knows no table."""
    search = LimitedSearch(engine.settings.weights, level_of(elo), source)

    def plan(board: chess.Board, limits: Limits, stop: Stop) -> Reply:
        found = search.search(board, limits, stop)
        score = movers_view(board.turn, float(found.value))
        return Reply(found.move, found.line, score, found.mate_in)

    def seems_to_think_s(board: chess.Board, move: chess.Move, limits: Limits) -> float:
        available_s = limits.soft_seconds or min(limits.seconds or _MOMENT_S, _MOMENT_S)
        return thinking_time(board, move, available_s)

    return Opponent(
        f"{NAME} ({elo})",
        f"at about {elo} Elo",
        plan,
        full_opponent(engine).plan,
        seems_to_think_s,
        {**_settings(engine), "elo": elo},
        LIMITED_PACING,
    )


class _Stopped(Observer):
    """Ends a pick with a stop that somebody else holds."""

    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self.stop = stop


def _settings(engine: Engine) -> dict[str, str | int | float | bool]:
    return {"mode": engine.mode.name, "weights": engine.settings.weights_name}
