"""What the deep search reads from a table before a search, and what it records after it.

In the table a value is for the side to move, a mate counted from the position itself. A mate and a game that
the board ends are true at any depth: they are recorded with the greatest one.
"""

from collections.abc import Iterable, Mapping, Sequence

import chess

from heatmap_engine.board.candidate import Candidate, movers_view
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.mates import is_mate, mate_in, sign_of_mate
from heatmap_engine.deep.search import DeepResult, DeepSearch
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.kernel.deep.search import MATE_VALUE, MAX_DEPTH
from heatmap_engine.kernel.deep.table_probe import TableProbe
from qtable import Entry


def as_known(entries: Mapping[str, Entry]) -> dict[str, tuple[int, int]]:
    """Value and depth by key, as the search takes them.

    A value that comes from a game's result never answers for a search, which sees a mate on the board itself.
    """
    return {key: as_told(entry) for key, entry in entries.items() if entry.source != "game"}


def as_told(entry: Entry) -> tuple[int, int]:
    """Value and depth as the search takes them; a table may hold more than a search can mean."""
    return round(max(-MATE_VALUE, min(MATE_VALUE, entry.value))), min(entry.depth, MAX_DEPTH)


def candidates_of(
    board: chess.Board,
    root: PackedPosition,
    result: DeepResult,
    search: DeepSearch,
    probe: TableProbe | None,
) -> tuple[Candidate, ...]:
    """The other moves whose exact values the search knows, the best first."""
    found = []
    for name, child in children(root):
        known = search.exact(child)
        if known is None:
            continue
        move = chess.Move.from_uci(name)
        if move == result.move:
            continue
        value, depth, is_learned = known
        reply = probe.reply_to(name) if probe is not None and is_learned else None
        line = (move,) if reply is None else (move, chess.Move.from_uci(reply))
        value = _before(value)
        score = movers_view(board.turn, float(value))
        found.append(Candidate(move, score, line, is_learned, mate_in(value), min(depth + 1, MAX_DEPTH)))
    found.sort(key=lambda candidate: (-movers_view(board.turn, candidate.score), candidate.move.uci()))
    return tuple(found)


def entries_of(
    board: chess.Board, root: PackedPosition, result: DeepResult, others: Iterable[Candidate]
) -> dict[str, Entry]:
    """What a finished iteration has to record: the root, its line, and the moves whose values are known.

    A draw by repetition or fifty moves belongs to the game and not to the position. So a value of zero is
    recorded only where the board ends the line, and nothing at all where fifty moves come into reach.
    """
    if board.halfmove_clock + result.deepest >= 100:
        return {}
    entries: dict[str, Entry] = {}
    after = dict(children(root))
    for other in others:
        if not other.from_table and other.score:
            value = round(movers_view(board.turn, other.score))
            _note(entries, key_of(after[other.move.uci()]), -value, other.depth - 1, 1)
    if result.value or _board_ends(board, result.line):
        position = board.copy(stack=False)
        # Not the last one: there the game is over, the line was known, or captures are played out.
        for ply, move in enumerate(result.line):
            value = -result.value if ply % 2 else result.value
            _note(entries, key_of(pack(position)), value, result.depth - ply, ply)
            position.push(move)
    return entries


def _note(entries: dict[str, Entry], key: str, value: int, depth: int, ply: int) -> None:
    """Keep a value found `ply` plies below the root; a mate is counted from the position itself."""
    if depth >= 1:
        entries[key] = entry_of(value + ply * sign_of_mate(value), depth)


def entry_of(value: int, depth: int, source: str = "search") -> Entry:
    """The entry for a value. A mate gets the greatest depth."""
    return Entry(float(value), MAX_DEPTH if is_mate(value) else min(depth, MAX_DEPTH), source=source)


def _before(value: int) -> int:
    """The value of a position for the side that moved there, a mate counted from before the move."""
    return -(value - sign_of_mate(value))


def _board_ends(board: chess.Board, line: Sequence[chess.Move]) -> bool:
    """Whether the game is over after these moves, whatever came before."""
    end = board.copy(stack=False)
    for move in line:
        end.push(move)
    return end.is_insufficient_material() or not any(end.generate_legal_moves())
