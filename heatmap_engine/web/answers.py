"""Answers that need an engine: what the table knows, why a move has its score, a judged game."""

from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import chess

from heatmap_engine.board.breakdown import Part
from heatmap_engine.board.heat import Heat
from heatmap_engine.engines.engine import Engine
from heatmap_engine.limits import Limits
from heatmap_engine.reports.annotated_pgn import write_into
from heatmap_engine.reports.annotation import Annotation
from heatmap_engine.reports.report import MoveReport, Report
from heatmap_engine.reports.report_data import move_as_data
from heatmap_engine.reports.why import Reason, Why
from heatmap_engine.reports.why_words import comparison, headline, sentences
from heatmap_engine.reports.words import part_name
from heatmap_engine.web.live import chances_data, whites_mate
from heatmap_engine.web.messages import Annotate
from heatmap_engine.web.positions import boxes_data, moves_data
from heatmap_engine.web.trees import game_of, tree_data, write_pgn

Data = dict[str, Any]

_PARTS_SHOWN = 12
_DECIMALS = 3


def table_data(engine: Engine, board: chess.Board) -> Data:
    """What the table knows of the position, of each move, and its line of best moves."""
    report = engine.report(board, line=True)
    assert report.line is not None, "it was asked for"
    standing = report.standing
    return {
        "has_table": report.table is not None,
        "known": standing.known is not None,
        "q": standing.q,
        "mate_in": whites_mate(report.turn, standing.mate_in),
        "static": standing.static,
        "visits": 0 if standing.known is None else standing.known.visits,
        "moves": [_row(report, move) for move in report.moves],
        "line": [
            [
                step.move.uci(),
                step.san,
                step.value,
                whites_mate(report.turn, standing.mate_of(step.value, ply)),
            ]
            for ply, step in enumerate(report.line.moves, 1)
        ],
        "line_end": report.line.end,
    }


def _row(report: Report, move: MoveReport) -> Data:
    data = move_as_data(report, move)
    names = ("uci", "san", "known", "q", "static", "learned", "visits", "wins", "draws", "losses", "depth")
    mate_in = whites_mate(report.turn, data["mate_in"])
    return {
        **{name: data[name] for name in (*names, "source", "over", "updated")},
        "mate_in": mate_in,
        "chances": chances_data(move.standing.value, mate_in, report.unit),
    }


def why_data(engine: Engine, board: chess.Board, move: chess.Move | None) -> Data:
    """The reasons in words and as parts, and the board at the end of each line."""
    why = engine.why(board, move)
    # Words on a page have no room for a path.
    why = why if why.table is None else replace(why, table=Path(why.table).name)
    return {
        "headline": headline(why),
        "reason": _reason(why, why.asked),
        "is_best": why.asked.move == why.best.move,
        "comparison": "" if why.asked.move == why.best.move else comparison(why),
        "best": None if why.asked.move == why.best.move else _reason(why, why.best),
        "against_best": [_part(part) for part in why.parts[:_PARTS_SHOWN]],
    }


def _reason(why: Why, reason: Reason) -> Data:
    end = reason.leaf.board
    return {
        "uci": reason.move.uci(),
        "san": why.board.san(reason.move),
        "words": [*sentences(reason, why.unit, why.table)],
        "parts": [_part(part) for part in reason.parts[:_PARTS_SHOWN]],
        "rest": round(sum(part.change for part in reason.parts[_PARTS_SHOWN:]), _DECIMALS),
        "line": moves_data(why.board, reason.line),
        "end": {
            "placement": end.board_fen(),
            "check": end.king(end.turn) if end.is_check() else None,
            "boxes": boxes_data(end),
            "heat": _heat(reason.leaf.heat),
        },
    }


def _part(part: Part) -> Data:
    return {
        "name": part_name(part),
        "before": part.before,
        "after": part.after,
        "change": round(part.change, _DECIMALS),
    }


def _heat(heat: Heat) -> Data:
    return {chess.COLOR_NAMES[color]: heat[color].round(_DECIMALS).tolist() for color in chess.COLORS}


def annotated(engine: Engine, asked: Annotate, keep_going: Callable[[int], bool]) -> Data:
    """The game with evaluations, marks, words and better lines; as a tree, and as PGN."""
    game = game_of(asked.start, asked.nodes, asked.headers)
    board = game.end().board()
    limits = Limits() if asked.positions_nodes is None else Limits(nodes=asked.positions_nodes)
    annotation = engine.annotate(board, limits, keep_going)
    write_into(game, annotation, version("heatmap-engine"))
    return {
        **tree_data(game),
        "pgn": write_pgn(game),
        "is_whole": annotation.is_whole,
        "opening": None if annotation.opening is None else str(annotation.opening),
        "sides": {chess.COLOR_NAMES[color]: _side(annotation, color) for color in chess.COLORS},
    }


def _side(annotation: Annotation, color: chess.Color) -> Data:
    return {"accuracy": annotation.accuracy[color], "marks": dict(annotation.marks(color))}
