"""Why of a deep move as plain values for programs; `deep_why.schema.json` says what they mean."""

import json
from importlib.resources import files
from typing import Any

import chess

from heatmap_engine.board.heat import Heat
from heatmap_engine.deep.yardstick import TENFOLD_CHANCE
from heatmap_engine.reports.deep_asking import DeepAnswer
from heatmap_engine.reports.deep_why import DeepWhy, Part, Weighed

VERSION = 1

Data = dict[str, Any]


def deep_why_schema() -> Data:
    """The JSON Schema of `deep_answer_as_data`."""
    text = files("heatmap_engine.reports").joinpath("deep_why.schema.json").read_text(encoding="utf-8")
    data: Data = json.loads(text)
    return data


def deep_answer_as_data(answer: DeepAnswer) -> Data:
    """The whole answer."""
    board = answer.best.board
    return {
        "version": VERSION,
        "mode": "deep",
        "fen": board.fen(),
        "turn": chess.COLOR_NAMES[board.turn],
        "unit": TENFOLD_CHANCE,
        "weights": answer.best.weights,
        "moves": board.legal_moves.count(),
        "reason": why_as_data(answer.asked),
        "best": why_as_data(answer.best),
    }


def why_as_data(why: DeepWhy) -> Data:
    """One move, its line and what that changes."""
    return {
        "uci": why.move.uci(),
        "san": why.board.san(why.move),
        "value": why.value,
        "mate_in": why.mate_in,
        "depth": why.depth,
        "nodes": why.nodes,
        "line": [move.uci() for move in why.line],
        "line_san": why.board.variation_san(why.line),
        "here": _weighed_as_data(why.root),
        "there": _weighed_as_data(why.leaf),
        "change": why.change,
        "beyond": why.beyond,
        "parts": [_part_as_data(part) for part in why.parts],
        "lost": {
            chess.COLOR_NAMES[color]: {chess.piece_name(kind): less for kind, less in men.items()}
            for color, men in why.lost.items()
        },
        "heat_change": _heat_as_data(why.heat_change),
    }


def _weighed_as_data(weighed: Weighed) -> Data:
    return {
        "fen": weighed.board.fen(),
        "value": weighed.value,
        "silence": weighed.silence,
        "heat": _heat_as_data(weighed.heat),
    }


def _heat_as_data(heat: Heat) -> Data:
    return {chess.COLOR_NAMES[color]: heat[color].tolist() for color in chess.COLORS}


def _part_as_data(part: Part) -> Data:
    return {
        "side": None if part.color is None else chess.COLOR_NAMES[part.color],
        "group": part.group,
        "before": part.before,
        "after": part.after,
        "change": part.change,
    }
