"""An annotation as plain values for programs; `annotation.schema.json` says what they mean."""

import json
from importlib.resources import files
from typing import Any

import chess

from heatmap_engine.reports.annotated_pgn import words_on
from heatmap_engine.reports.annotation import Annotation, JudgedMove

VERSION = 1

Data = dict[str, Any]


def annotation_schema() -> Data:
    """The JSON Schema of `annotation_as_data`."""
    text = files("heatmap_engine.reports").joinpath("annotation.schema.json").read_text(encoding="utf-8")
    data: Data = json.loads(text)
    return data


def annotation_as_data(annotation: Annotation, *, white: str, black: str, result: str) -> Data:
    """The whole annotation, with who played and how it ended."""
    opening, setting = annotation.opening, annotation.setting
    return {
        "version": VERSION,
        "mode": setting.unit.mode,
        "unit": setting.unit.words,
        "weights": setting.weights,
        "table": setting.table,
        "white": white,
        "black": black,
        "result": result,
        "opening": None if opening is None else {"eco": opening.eco, "name": opening.name},
        "plies": annotation.plies,
        "whole": annotation.is_whole,
        "accuracy": {chess.COLOR_NAMES[color]: value for color, value in annotation.accuracy.items()},
        "marks": {chess.COLOR_NAMES[color]: dict(annotation.marks(color)) for color in chess.COLORS},
        "moves": [_move_as_data(move) for move in annotation.moves],
    }


def _move_as_data(judged: JudgedMove) -> Data:
    before, after = judged.shares
    best = judged.best
    return {
        "ply": judged.ply,
        "turn": chess.COLOR_NAMES[judged.color],
        "uci": judged.move.uci(),
        "san": judged.san,
        "fen": judged.board.fen(),
        "value": judged.after.value,
        "centipawns": judged.after.centipawns,
        "mate_in": judged.after.mate_in,
        "over": judged.after.over,
        "chances_before": before,
        "chances_after": after,
        "accuracy": judged.accuracy,
        "mark": judged.mark or None,
        "best": best.move.uci(),
        "best_san": judged.board.san(best.move),
        "best_value": judged.before.value,
        "best_mate_in": judged.before.mate_in,
        "best_line": [move.uci() for move in best.line],
        "words": None if judged.why is None else words_on(judged, judged.why),
    }
