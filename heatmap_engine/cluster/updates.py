"""What nodes must hear of the table: a snapshot when they join, then each game's changes, numbered."""

import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from heatmap_engine.cluster.packed_entries import pack
from heatmap_engine.cluster.quiet_ray import ray
from qtable import Entry, QTable

# Large enough to travel fast, small enough to be held in memory by a worker.
_PIECE_BYTES = 8 << 20


class Snapshot(NamedTuple):
    """The table's file in pieces, which lie in the object store, and the number of the last changes in it."""

    pieces: list[Any]
    last_changes: int


class Updates:
    """Puts each thing into the object store once, for all nodes, and lets go of what all of them have."""

    def __init__(self, table: QTable) -> None:
        self._table = table
        self._last_changes = 0
        self._changes: dict[int, Any] = {}
        self._snapshot: Snapshot | None = None
        self._stamps = self._stamps_now()

    def add(self, changes: Mapping[str, Entry]) -> None:
        """Number what was recorded; the entries are read back, because the table may keep deeper ones."""
        self._last_changes += 1
        stamps = self._stamps_now()
        notes = {
            name: self._table.note(name)
            for name in {*stamps, *self._stamps}
            if stamps.get(name) != self._stamps.get(name)
        }
        self._stamps = stamps
        self._changes[self._last_changes] = ray.put(pack(self._table.get_many(changes), notes))

    def _stamps_now(self) -> dict[str, str | None]:
        return {name: self._table.note_stamp(name) for name in self._table.notes()}

    def since(self, number: int) -> list[tuple[int, Any]]:
        """The changes after those with this number, in order."""
        return [item for item in self._changes.items() if item[0] > number]

    def snapshot(self) -> Snapshot:
        """One of the table as it is now, or the last one if that was not forgotten."""
        if self._snapshot is None:
            self._snapshot = Snapshot(_pieces_of(self._table), self._last_changes)
        return self._snapshot

    def forget_snapshot(self) -> None:
        self._snapshot = None

    def forget(self, number: int) -> None:
        """Let go of the changes up to this number."""
        for known in [known for known in self._changes if known <= number]:
            del self._changes[known]


def _pieces_of(table: QTable) -> list[Any]:
    with tempfile.TemporaryDirectory(prefix="heatmap-engine-") as folder:
        copy = Path(folder) / "copy.table"
        table.backup(copy)
        with copy.open("rb") as file:
            return [ray.put(piece) for piece in iter(partial(file.read, _PIECE_BYTES), b"")]
