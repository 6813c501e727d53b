"""Counting takes some thirty times as long for each ply: what will take long is said before it begins."""

import time
from collections.abc import Callable

import chess
import click

from heatmap_engine.board.heat import checked_depth
from heatmap_engine.board.perft import perft

# Shorter work is not announced; it is as long as people wait without a word.
_PATIENCE_S = 5.0
# The work is tried at smaller depths until one takes so long: less says little about the speed.
_TRIAL_S = 0.05
_UNITS = (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0), ("second", 1.0))
_DAYS_A_YEAR = 365.0


def foretell(work: Callable[[int], object], board: chess.Board, depth: int) -> None:
    """Say on stderr about how long `work(depth)` will take, if that is long; `work` counts every move."""
    depth = checked_depth(depth, board)
    seconds = _expected_seconds(work, board, depth)
    if seconds > _PATIENCE_S:
        click.echo(f"depth {depth} will take {in_words(seconds)}; Ctrl-C stops", err=True)


def _expected_seconds(work: Callable[[int], object], board: chess.Board, depth: int) -> float:
    """By the time that a smaller depth takes, and by how the moves become more from ply to ply."""
    for trial in range(1, depth):
        begin = time.perf_counter()
        work(trial)
        seconds = time.perf_counter() - begin
        if seconds > _TRIAL_S:
            return seconds * _growth(board, trial) ** (depth - trial)
    return 0.0


def _growth(board: chess.Board, depth: int) -> float:
    """How many times as many moves there are with each ply more; of two plies, as the sides take turns."""
    fewer, more = perft(board, max(0, depth - 2)), perft(board, depth)
    return (more / fewer) ** (1 / min(2, depth)) if fewer else 0.0


def in_words(seconds: float) -> str:
    """As people say it: "about 3 hours"."""
    for name, length in _UNITS:
        count = round(seconds / length)
        if count >= (2 if name != "second" else 0):
            if name == "day" and count > _DAYS_A_YEAR:
                return "more than a year"
            return f"about {count} {name}{'' if count == 1 else 's'}"
    raise AssertionError
