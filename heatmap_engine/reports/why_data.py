"""Why as plain values for programs; `why.schema.json` beside this file says what they mean."""

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import chess

from heatmap_engine.board.breakdown import Evaluation, Part
from heatmap_engine.board.candidate import Candidate
from heatmap_engine.board.heat import Heat
from heatmap_engine.reports.why import Reason, Why

VERSION = 2

Data = dict[str, Any]


def why_schema() -> Data:
    """The JSON Schema of `why_as_data`."""
    text = files("heatmap_engine.reports").joinpath("why.schema.json").read_text(encoding="utf-8")
    data: Data = json.loads(text)
    return data


def why_as_data(why: Why) -> Data:
    """The whole answer."""
    return {
        "version": VERSION,
        "mode": why.unit.mode,
        "unit": why.unit.words,
        "fen": why.board.fen(),
        "turn": chess.COLOR_NAMES[why.board.turn],
        "weights": why.weights,
        "table": why.table,
        "moves": why.moves,
        "reason": reason_as_data(why.asked),
        "best": reason_as_data(why.best),
        "parts_against_best": _parts_as_data(why.parts),
    }


def reason_as_data(reason: Reason) -> Data:
    """One move, its line and what that changes."""
    return {
        "uci": reason.move.uci(),
        "san": reason.board.san(reason.move),
        "rank": reason.rank,
        "score": reason.score,
        "mate_in": reason.mate_in,
        "source": source_of(reason.candidate),
        "depth": reason.depth,
        "nodes": reason.nodes,
        "reply": reason.reply and reason.reply.uci(),
        "next_reply": reason.next_reply and _reply_as_data(reason.next_reply),
        "line": [move.uci() for move in reason.line],
        "line_san": reason.board.variation_san(reason.line),
        "over": reason.over,
        "here": _evaluation_as_data(reason.root),
        "there": _evaluation_as_data(reason.leaf),
        "change": reason.change,
        "beyond": reason.beyond,
        "parts": _parts_as_data(reason.parts),
        "lost": {
            chess.COLOR_NAMES[color]: {chess.piece_name(kind): less for kind, less in pieces.items()}
            for color, pieces in reason.lost.items()
        },
        "heat_change": _heat_as_data(reason.heat_change),
        "without_table": reason.without_table,
        "learned": reason.learned,
    }


def source_of(candidate: Candidate) -> str:
    """Where the value at the end of a candidate's line is from."""
    return "table" if candidate.from_table else "search"


def _reply_as_data(reply: Candidate) -> Data:
    return {"uci": reply.move.uci(), "score": reply.score}


def _evaluation_as_data(evaluation: Evaluation) -> Data:
    return {
        "fen": evaluation.board.fen(),
        "value": evaluation.value,
        "silence": evaluation.silence,
        "heat": _heat_as_data(evaluation.heat),
    }


def _heat_as_data(heat: Heat) -> Data:
    return {chess.COLOR_NAMES[color]: heat[color].tolist() for color in chess.COLORS}


def _parts_as_data(parts: Iterable[Part]) -> list[Data]:
    return [
        {
            "side": None if part.color is None else chess.COLOR_NAMES[part.color],
            "name": part.name,
            "before": part.before,
            "after": part.after,
            "change": part.change,
        }
        for part in parts
    ]
