"""What a table holds, in numbers."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from qtable.entry import Entry

# Values of any game have their bulk near zero and a few far away: steps of 1, 2, 5 on both sides.
_STEPS = [step * 10.0**power for power in range(-1, 5) for step in (1, 2, 5)]
EDGES = (*[-step for step in reversed(_STEPS)], 0.0, *_STEPS)


@dataclass
class Statistics:
    """Sums over all entries. `oldest` and `newest` are UTC seconds, None for an empty table."""

    entries: int = 0
    journal_lines: int = 0
    file_bytes: int = 0
    visits: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    oldest: int | None = None
    newest: int | None = None
    lowest: float | None = None
    highest: float | None = None
    by_source: dict[str, int] = field(default_factory=dict)
    by_depth: dict[int, int] = field(default_factory=dict)
    # How many values lie below EDGES[0], from each edge to below the next, and from the last edge up.
    histogram: list[int] = field(default_factory=lambda: [0] * (len(EDGES) + 1))

    @property
    def bytes_per_entry(self) -> float | None:
        """The file's size shared out, None for an empty table."""
        return self.file_bytes / self.entries if self.entries else None


def summarised(entries: Iterable[tuple[str, Entry]], journal_lines: int, file_bytes: int) -> Statistics:
    """The statistics of these entries, read once and not kept."""
    sums = Statistics(journal_lines=journal_lines, file_bytes=file_bytes)
    sources, depths = Counter[str](), Counter[int]()
    for _, (value, depth, visits, source, wins, draws, losses, updated) in entries:
        assert updated is not None  # stored entries always have a time
        sums.entries += 1
        sums.visits += visits
        sums.wins += wins
        sums.draws += draws
        sums.losses += losses
        sums.oldest = updated if sums.oldest is None else min(sums.oldest, updated)
        sums.newest = updated if sums.newest is None else max(sums.newest, updated)
        sums.lowest = value if sums.lowest is None else min(sums.lowest, value)
        sums.highest = value if sums.highest is None else max(sums.highest, value)
        sources[source] += 1
        depths[depth] += 1
        sums.histogram[bisect_right(EDGES, value)] += 1
    sums.by_source = dict(sources.most_common())
    sums.by_depth = dict(sorted(depths.items()))
    return sums
