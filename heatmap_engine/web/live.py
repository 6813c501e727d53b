"""What a search has found, depth by depth, as the page shows it: values are White's."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import chess

from heatmap_engine.board.candidate import Candidate
from heatmap_engine.engines.observer import Observer
from heatmap_engine.engines.pick import FoundDepth, Pick
from heatmap_engine.stop import Stop
from heatmap_engine.web.positions import moves_data
from heatmap_engine.winning_chances import Unit

Data = dict[str, Any]


class Live(Observer):
    """Pushes every finished depth of one analysis."""

    def __init__(
        self, board: chess.Board, unit: Unit, lines: int, stop: Stop, push: Callable[[Data], None]
    ) -> None:
        super().__init__()
        self.stop = stop
        self._board, self._unit, self._lines, self._push = board, unit, lines, push

    def on_depth(self, found: FoundDepth) -> None:
        self._push(self._data(found))

    def on_pick(self, pick: Pick) -> None:
        self._push({**self._data(replace(pick, lines=pick.lines[: self._lines])), "ended": True})

    def _data(self, found: FoundDepth) -> Data:
        return {
            "depth": found.depth,
            "selective_depth": found.selective_depth,
            "nodes": found.moves_visited,
            "seconds": round(found.seconds, 3),
            "lines": [candidate_data(self._board, line, self._unit) for line in found.lines[: self._lines]],
        }


def candidate_data(board: chess.Board, line: Candidate, unit: Unit) -> Data:
    """A line with its value, White minus Black, and White's chances."""
    mate_in = whites_mate(board.turn, line.mate_in)
    return {
        "score": line.score,
        "mate_in": mate_in,
        "chances": chances_data(line.score, mate_in, unit),
        "from_table": line.from_table,
        "depth": line.depth,
        "line": moves_data(board, line.line),
    }


def whites_mate(turn: chess.Color, mate_in: int | None) -> int | None:
    """A mate as White counts it: below zero where White is mated. A mate on the board stays 0."""
    return mate_in if mate_in is None or turn == chess.WHITE else -mate_in


def chances_data(score: float, mate_in: int | None, unit: Unit) -> list[float]:
    """White's chances of a win, a draw and a loss."""
    if mate_in:
        return [1.0, 0.0, 0.0] if mate_in > 0 else [0.0, 0.0, 1.0]
    chances = unit.chances(score)
    return [round(chances.win, 4), round(chances.draw, 4), round(chances.loss, 4)]
