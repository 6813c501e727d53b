"""A report as plain values for programs; `report.schema.json` beside this file says what they mean."""

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import chess

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.board.heat import Heat
from heatmap_engine.classic.scoring import Side
from heatmap_engine.reports.report import Known, Line, MoveReport, Reply, Report, Standing, State

VERSION = 2

Data = dict[str, Any]

_NOTHING_KNOWN = dict.fromkeys(("depth", "visits", "wins", "draws", "losses", "source", "updated"))


def schema() -> Data:
    """The JSON Schema of `as_data` and `invalid_as_data`."""
    text = files("heatmap_engine.reports").joinpath("report.schema.json").read_text(encoding="utf-8")
    data: Data = json.loads(text)
    return data


def as_data(report: Report, moves: Iterable[MoveReport] | None = None) -> Data:
    """The whole report; the moves stand in the order of their ranks, or as they are given here."""
    data: Data = {
        "version": VERSION,
        "mode": report.unit.mode,
        "unit": report.unit.words,
        "state": report.state.value,
        "reason": report.reason,
        "fen": report.fen,
        "key": report.key,
        "turn": chess.COLOR_NAMES[report.turn],
        "table": report.table,
        "heat_depth": report.heat_depth,
        "weights": report.weights,
        **_standing_as_data(report.standing),
        "best": report.best and report.best.uci,
        "moves": [move_as_data(report, move) for move in (moves or report.moves)],
        "heat": {
            "white": side_as_data(report.explanation.white, report.heat[chess.WHITE]),
            "black": side_as_data(report.explanation.black, report.heat[chess.BLACK]),
        },
        "king_boxes": {
            chess.COLOR_NAMES[color]: [chess.square_name(square) for square in squares]
            for color, squares in report.king_boxes.items()
        },
    }
    if report.patterns:
        data["patterns"] = [part._asdict() for part in report.patterns]
    if report.candidates is not None:
        data["candidates"] = [_candidate_as_data(report, candidate) for candidate in report.candidates]
    if report.line is not None:
        data["line"] = _line_as_data(report, report.line)
    if report.coverage:
        data["coverage"] = [
            {"ply": level.ply, "positions": level.positions, "known": level.known}
            for level in report.coverage
        ]
    return data


def _candidate_as_data(report: Report, candidate: Candidate) -> Data:
    return {
        "uci": candidate.move.uci(),
        "san": report.board.san(candidate.move),
        "score": candidate.score,
        "mate_in": report.standing.mate_of(candidate.score),
        "from_table": candidate.from_table,
        "line": [move.uci() for move in candidate.line],
    }


def _line_as_data(report: Report, line: Line) -> Data:
    moves = [
        {
            "uci": step.move.uci(),
            "san": step.san,
            "value": step.value,
            "mate_in": report.standing.mate_of(step.value, ply),
        }
        for ply, step in enumerate(line.moves, start=1)
    ]
    return {"moves": moves, "end": line.end}


def invalid_as_data(text: str, reason: str) -> Data:
    """What there is to say of a text that is no position."""
    return {"version": VERSION, "state": State.INVALID.value, "reason": reason, "fen": text, "moves": []}


def side_as_data(side: Side, heat: Heat) -> Data:
    """One side's parts of the score by piece, and its heat from a1 to h8."""
    return {
        "mobility": {chess.piece_name(piece): value for piece, value in side.mobility.items()},
        "pressure": {chess.piece_name(piece): value for piece, value in side.pressure.items()},
        "heat": heat.tolist(),
    }


def _standing_as_data(standing: Standing) -> Data:
    chances = standing.chances
    return {
        "known": standing.known is not None,
        "q": standing.q,
        "q_mover": standing.q_mover,
        "static": standing.static,
        "learned": standing.learned,
        **_known_as_data(standing.known),
        "win": chances.win,
        "draw": chances.draw,
        "loss": chances.loss,
        "centipawns": standing.centipawns,
        "mate_in": standing.mate_in,
    }


def _known_as_data(known: Known | None) -> Data:
    if known is None:
        return _NOTHING_KNOWN
    return {name: getattr(known, name) for name in _NOTHING_KNOWN}


def move_as_data(report: Report, move: MoveReport) -> Data:
    """One move of a report."""
    return {
        "uci": move.uci,
        "san": move.san,
        "rank": move.rank,
        "over": move.standing.over,
        "capture": report.board.is_capture(move.move),
        "check": move.san[-1] in "+#",
        **_standing_as_data(move.standing),
        "reply": None if move.reply is None else _reply_as_data(move.reply),
    }


def _reply_as_data(reply: Reply) -> Data:
    standing = reply.standing
    return {
        "uci": reply.move.uci(),
        "san": reply.san,
        "known": standing.known is not None,
        "q": standing.q,
        "static": standing.static,
        "mate_in": standing.mate_in,
        "over": standing.over,
    }
