"""Which moves results of games speak for, and by how many centipawns that counts at the root of a search.

It never answers for a search: it is added to what the search finds, and so decides between moves that are
nearly equal.
"""

from collections.abc import Mapping

from heatmap_engine.deep.mates import is_mate
from heatmap_engine.deep.settings import expected_points
from heatmap_engine.kernel.board.keys import key_of
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.board.rules import children
from heatmap_engine.memory.expectation import Results
from heatmap_engine.winning_chances import value_expecting
from qtable import Entry

# How many games a value counts for: measured by how well the results of a move foretell its next one
# (benchmarks/records/measurements.md, "What results of a move foretell").
TRUST = 12.0
MOST_FOR, MOST_AGAINST = 100, 60


def favours_of(root: PackedPosition, entries: Mapping[str, Entry]) -> dict[str, int]:
    """What results add to the value of each move of a position, by UCI name; nothing where they say nothing.

    `entries` are those of the positions after the moves, by key.
    """
    if not entries:  # nearly always, once a game has left what is known
        return {}
    found = {}
    for name, child in children(root):
        entry = entries.get(key_of(child))
        if entry is None or not (results := Results.after_move(entry)).games:
            continue
        favour = favour_of(round(-entry.value), results)
        if favour:
            found[name] = favour
    return found


def favour_of(value: int, results: Results) -> int:
    """By how much the results of a move say that it is better than its value; 0 where that is a mate."""
    if is_mate(value):
        return 0
    expected = results.expected(expected_points(float(value)), TRUST)
    learned = value_expecting(expected, expected_points)
    return round(max(-MOST_AGAINST, min(MOST_FOR, learned - value)))
