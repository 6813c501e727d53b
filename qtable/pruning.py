"""Takes the entries out of a table that are worth the least."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from qtable.entry import Entry
from qtable.errors import TableError
from qtable.progress import Progress, counted
from qtable.table import QTable

_ROWS_PER_BATCH = 10_000
# An empty table: 7 pages of 4096 bytes, one for each table and index of its layout.
_BYTES_WITHOUT_ROWS = 7 * 4096


@dataclass(frozen=True)
class Limits:
    """Which entries may go: those below every limit that is given. Dates are in UTC seconds."""

    visits_below: int | None = None
    depth_below: int | None = None
    updated_before: int | None = None
    without_results: bool = False
    """Whether only those may go that no game went through."""

    def allows(self, entry: Entry) -> bool:
        """Whether this entry may go."""
        assert entry.updated is not None  # stored entries always have a time
        return (
            (self.visits_below is None or entry.visits < self.visits_below)
            and (self.depth_below is None or entry.depth < self.depth_below)
            and (self.updated_before is None or entry.updated < self.updated_before)
            and not (self.without_results and (entry.wins or entry.draws or entry.losses))
        )


class Pruning(NamedTuple):
    """What was taken out, or would be."""

    removed: int
    kept: int


def prune(
    table: QTable,
    limits: Limits,
    *,
    keep_at_most: int | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Pruning:
    """Take out every entry that `limits` allow, or of those only so many that `keep_at_most` are left.

    The least visited go first, then the shallowest, then the oldest. One transaction: all or nothing.
    The file keeps its size until `compact()`.
    """
    with table.snapshot() if dry_run else table.transaction(), closing(sqlite3.connect("")) as ranking:
        total = len(table)
        allowed = _rank(ranking, counted(table, total, progress), limits)
        excess = allowed if keep_at_most is None else max(0, min(allowed, total - keep_at_most))
        if not dry_run:
            least = ranking.execute(
                "SELECT key FROM ranks ORDER BY visits, depth, updated, key LIMIT ?", (excess,)
            )
            while keys := least.fetchmany(_ROWS_PER_BATCH):
                table.delete(*(key for (key,) in keys))
    return Pruning(excess, total - excess)


def _rank(ranking: sqlite3.Connection, entries: Iterator[tuple[str, Entry]], limits: Limits) -> int:
    # A database without a name spills to a temporary file: the keys of a huge table need not fit in memory.
    ranking.execute("CREATE TABLE ranks (visits INTEGER, depth INTEGER, updated INTEGER, key TEXT)")
    allowed = 0
    while batch := list(islice(entries, _ROWS_PER_BATCH)):
        rows = [
            (entry.visits, entry.depth, entry.updated, key) for key, entry in batch if limits.allows(entry)
        ]
        ranking.executemany("INSERT INTO ranks VALUES (?, ?, ?, ?)", rows)
        allowed += len(rows)
    return allowed


def prune_to_size(
    table: QTable,
    limits: Limits,
    target_bytes: int,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Pruning:
    """Take out entries that `limits` allow until the compacted file is no larger than `target_bytes`.

    Raises TableError for a size that the journal alone exceeds, before anything is taken out. A dry run can
    only estimate: the file is not compacted, so its entries seem larger than they are. Each round is a
    transaction of its own; stopped between two, the table is sound and larger than wished.
    """
    overhead = table.journal_bytes() + _BYTES_WITHOUT_ROWS
    if target_bytes < overhead:
        raise TableError(
            f"{table.path} cannot be made smaller than {overhead:,} bytes by taking out entries: "
            "that is what its journal and its layout need"
        )
    removed = 0
    while True:
        size = table.file_bytes() if dry_run else table.compact(progress)[1]
        if size <= target_bytes or len(table) == 0:
            return Pruning(removed, len(table))
        share = max(0, target_bytes - overhead) / max(1, size - overhead)
        keep_at_most = min(len(table) - 1, int(len(table) * share))
        step = prune(table, limits, keep_at_most=keep_at_most, dry_run=dry_run, progress=progress)
        removed += step.removed
        if dry_run or step.removed == 0:
            return Pruning(removed, step.kept)
