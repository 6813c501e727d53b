"""Whom a person plays at the terminal: either search, or a level of the deep one, behind one face."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import chess

from heatmap_engine.cli.interruptible import now_or_on_ctrl_c
from heatmap_engine.cli.mode_options import pick_now_or_on_ctrl_c, value_text
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.search import DeepLimits, DeepResult
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.engines.classic import Engine, Limits
from heatmap_engine.engines.deep import DeepEngine, DeepPick
from heatmap_engine.stop import Stop

_NAME = "Heatmap Engine"


@dataclass(frozen=True, slots=True)
class Plan:
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
    plan: Callable[[chess.Board], Plan]
    settings: Mapping[str, str | int | float | bool]
    heat_depth: int = 1


def classic_opponent(engine: Engine, limits: Limits) -> Opponent:
    def plan(board: chess.Board) -> Plan:
        pick = pick_now_or_on_ctrl_c(engine, board, limits)
        return Plan(pick.move, pick.line, pick.score, f"{pick.score:+.4f}")

    settings = engine.settings
    return Opponent(_NAME, "the base search", plan, settings.learner, settings.heat_depth)


def deep_opponent(engine: DeepEngine, limits: DeepLimits) -> Opponent:
    def plan(board: chess.Board) -> Plan:
        return _plan(board, now_or_on_ctrl_c(lambda: engine.pick_move(board, limits), engine.stop))

    settings = _settings(engine.settings.weights)
    return Opponent(_NAME, "the deep search at its full strength", plan, settings)


def limited_opponent(search: LimitedSearch, limits: DeepLimits, weights: DeepWeights) -> Opponent:
    def plan(board: chess.Board) -> Plan:
        stop = Stop()
        return _plan(board, now_or_on_ctrl_c(lambda: search.search(board, limits, stop), stop.set))

    elo = round(search.level.elo)
    settings = {**_settings(weights), "elo": elo}
    return Opponent(f"{_NAME} ({elo})", f"at a level of about {elo} Elo", plan, settings)


def _settings(weights: DeepWeights) -> dict[str, str | int | float | bool]:
    return {"mode": "deep", "weights": weights.name}


def _plan(board: chess.Board, found: DeepResult | DeepPick) -> Plan:
    value = found.value if board.turn else -found.value
    return Plan(found.move, found.line, value, value_text(value, found.mate_in, board.turn))
