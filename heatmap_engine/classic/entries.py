"""What the classic search records in a table."""

from heatmap_engine.classic.search import SearchResult
from qtable import Entry


def entries_of(result: SearchResult) -> dict[str, Entry]:
    """What a search has to record: the positions that it expanded, and its leaves where these were kept."""
    entries = {key: Entry(value, depth=0, source="static") for key, value in result.scored.items()}
    for key, (value, plies) in result.backed_up.items():
        entries[key] = Entry(value, depth=plies, source="search")
    return entries
