"""A whole game as reports, one for each of its positions, and what its pictures have in common."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import chess

from games.chess.record import GameRecord
from heatmap_engine.drawing.palette import round_limit
from heatmap_engine.pictures.picture import Side, side_heat
from heatmap_engine.reports.report import Report

# Reports on a position, with candidates.
Ask = Callable[[chess.Board], Report]


@dataclass(frozen=True, slots=True)
class PicturedGame:
    """A report for each position of a game, the start included; the record says who played, if any does."""

    reports: tuple[Report, ...]
    record: GameRecord | None = None

    @property
    def final(self) -> Report:
        return self.reports[-1]

    def limit(self, side: Side) -> float:
        """The end of one scale for all positions: only then can their colours be compared."""
        return round_limit(max(hottest(report, side) for report in self.reports))


def hottest(report: Report, side: Side) -> float:
    return max(map(abs, side_heat(report, side).values()))


def game_of(ask: Ask, board: chess.Board, record: GameRecord | None = None) -> PicturedGame:
    """The game on a board's stack, from its start to the board; `ask` gives each position's report."""
    return PicturedGame(tuple(map(ask, _positions(board.root(), board.move_stack))), record)


def _positions(board: chess.Board, moves: Sequence[chess.Move]) -> Iterator[chess.Board]:
    """Each position with the moves that led to it, on which repetition depends."""
    yield board
    for move in moves:
        board.push(move)
        yield board
