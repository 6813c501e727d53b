"""Whom a person plays against in the terminal: the engine, or the engine held back to a level."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import chess

from heatmap_engine.board.candidate import movers_view
from heatmap_engine.cli.interruptible import now_or_on_ctrl_c
from heatmap_engine.cli.mode_options import value_text
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.thinking_time import thinking_time
from heatmap_engine.engines.engine import Engine
from heatmap_engine.limits import Limits
from heatmap_engine.stop import Stop

_NAME = "Heatmap Engine"

# Nobody wants to wait longer at the terminal for a weak player, where no clock runs.
_MOMENT_S = 2.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A move and the line it belongs to; the score, White minus Black, as a number and in words."""

    move: chess.Move
    line: tuple[chess.Move, ...]
    score: float
    says: str


@dataclass(frozen=True, slots=True)
class Opponent:
    """Who answers; `settings` are what a game's record keeps."""

    name: str
    description: str
    plan: Callable[[chess.Board], Reply]
    advise: Callable[[chess.Board], Reply]
    """What the engine would play at its full strength, which is a hint."""
    seems_to_think_s: Callable[[chess.Board, chess.Move], float]
    """How long a person would have thought about this move, if the answer is there at once."""
    settings: Mapping[str, str | int | float | bool]
    heat_depth: int


def full_opponent(engine: Engine, limits: Limits) -> Opponent:
    """The engine as well as it can play within the limits."""

    def plan(board: chess.Board) -> Reply:
        pick = now_or_on_ctrl_c(lambda: engine.pick_move(board, limits), engine.stop)
        says = value_text(pick.score, pick.mate_in, board.turn, engine.mode.unit)
        return Reply(pick.move, pick.line, pick.score, says)

    description = f"at full strength, in mode {engine.mode.name}"
    return Opponent(
        _NAME, description, plan, plan, lambda board, move: 0.0, _settings(engine), engine.settings.heat_depth
    )


def limited_opponent(engine: Engine, search: LimitedSearch, limits: Limits) -> Opponent:
    """The engine's search held back to a level."""

    def plan(board: chess.Board) -> Reply:
        stop = Stop()
        found = now_or_on_ctrl_c(lambda: search.search(board, limits, stop), stop.set)
        score = movers_view(board.turn, float(found.value))
        says = value_text(score, found.mate_in, board.turn, engine.mode.unit)
        return Reply(found.move, found.line, score, says)

    elo = round(search.level.elo)
    return Opponent(
        f"{_NAME} ({elo})",
        f"at about {elo} Elo",
        plan,
        full_opponent(engine, limits).plan,
        lambda board, move: thinking_time(board, move, min(limits.seconds or _MOMENT_S, _MOMENT_S)),
        {**_settings(engine), "elo": elo},
        engine.settings.heat_depth,
    )


def _settings(engine: Engine) -> dict[str, str | int | float | bool]:
    return {"mode": engine.mode.name, "weights": engine.settings.weights_name}
