"""What the classic search records in a table."""

from collections.abc import Iterable

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
    return entries | searched(result, result.backed_up)


def searched(result: SearchResult, keys: Iterable[str]) -> dict[str, Entry]:
    """The entries of those positions whose exact values a search has found."""
    found = {key: result.backed_up[key] for key in keys if key in result.backed_up}
    return {key: Entry(value, depth=plies, source="search") for key, (value, plies) in found.items()}


def entries_to_record(
    board: chess.Board, result: SearchResult, settings: ClassicSettings
) -> dict[str, Entry]:
    """What of it goes into a table: all of it, or the position, in a game's beginning with its moves."""
    if settings.record != USEFUL:
        return entries_of(result)
    root = pack(board)
    keys = [key_of(root)]
    if board.ply() < PLIES_OF_BEGINNINGS:
        keys += [key_of(child) for _, child in children(root)]
    return searched(result, keys)
