"""Walking on from a position along what a table knows: its principal line, and where its knowledge ends."""

from collections.abc import Callable, Iterable

import chess

from heatmap_engine.board.candidate import movers_view
from heatmap_engine.board.ends import terminal
from heatmap_engine.board.reading import pack
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.reports.report import Coverage, Line, LineMove
from heatmap_engine.reports.yardstick import Yardstick
from qtable import Entry

# Four plies of a middlegame are a million positions and some seconds.
MAX_COVERAGE_PLIES = 4
# A line that goes on for so long is not read by anyone.
_LONGEST_LINE = 60


def line_of(
    board: chess.Board, read: Callable[[Iterable[str]], dict[str, Entry]], yardstick: Yardstick
) -> Line:
    """The best known move, the best known one after it, and so on until knowledge or the game ends."""
    board = board.copy()
    moves: list[LineMove] = []
    seen = {key_of(pack(board))}
    while len(moves) < _LONGEST_LINE:
        over = terminal(board)
        if over is not None:
            return Line(tuple(moves), over)
        found = _best_known(board, read, yardstick)
        if found is None:
            return Line(tuple(moves), "nothing known")
        name, key, value = found
        move = chess.Move.from_uci(name)
        moves.append(LineMove(move, board.san(move), value))
        board.push(move)
        if key in seen:
            return Line(tuple(moves), "repeats")
        seen.add(key)
    return Line(tuple(moves), "too long")


def _best_known(
    board: chess.Board, read: Callable[[Iterable[str]], dict[str, Entry]], yardstick: Yardstick
) -> tuple[str, str, float] | None:
    """The best known move, its position's key and value; None where the table knows no move."""
    after = [(name, child, key_of(child)) for name, child in children(pack(board))]
    entries = read([key for _, _, key in after])
    if not entries:
        return None
    best: tuple[str, str, float] | None = None
    for name, child, key in after:
        over = yardstick.end(child, [])
        if over is not None:
            value = over
        elif key in entries:
            value = movers_view(not board.turn, entries[key].value)
        else:
            continue
        if best is None or movers_view(board.turn, value) > movers_view(board.turn, best[2]):
            best = name, key, value
    return best


def coverage_of(
    board: chess.Board, read: Callable[[Iterable[str]], dict[str, Entry]], plies: int
) -> tuple[Coverage, ...]:
    """How much of each ply below a position the table has, for so many plies; mirror images count once."""
    if not isinstance(plies, int) or isinstance(plies, bool) or not 0 <= plies <= MAX_COVERAGE_PLIES:
        raise InvalidSettings(f"plies of coverage must be from 0 to {MAX_COVERAGE_PLIES}, got {plies!r:.80}")
    covered = []
    level: dict[str, PackedPosition] = {"": pack(board)}
    for ply in range(1, plies + 1):
        level = {key_of(child): child for above in level.values() for _, child in children(above)}
        covered.append(Coverage(ply, len(level), len(read(level))))
    return tuple(covered)
