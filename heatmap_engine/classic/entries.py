"""What the classic search records in a table."""

import chess

from heatmap_engine.board.reading import pack
from heatmap_engine.classic.search import SearchResult
from heatmap_engine.classic.settings import PLIES_OF_BEGINNINGS, USEFUL, ClassicSettings
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.rules import children
from qtable import Entry


def entries_of(result: SearchResult) -> dict[str, Entry]:
    """All that a search has found: the positions with exact values, and its leaves where these were kept."""
    entries = {key: Entry(value, depth=0, source="static") for key, value in result.scored.items()}
    for key, (value, plies) in result.backed_up.items():
        entries[key] = Entry(value, depth=plies, source="search")
    return entries


def entries_to_record(
    board: chess.Board, result: SearchResult, settings: ClassicSettings
) -> dict[str, Entry]:
    """What of it goes into a table."""
    return chosen(board, entries_of(result), settings)


def chosen(board: chess.Board, entries: dict[str, Entry], settings: ClassicSettings) -> dict[str, Entry]:
    """Of what a search of the position has found what is to be recorded."""
    if settings.record != USEFUL:
        return entries
    root = pack(board)
    keys = [key_of(root)]
    if board.ply() < PLIES_OF_BEGINNINGS:
        keys += [key_of(child) for _, child in children(root)]
    return {key: entries[key] for key in keys if key in entries}
