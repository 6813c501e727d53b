"""What a game has changed, as it travels to the nodes: of entries what searches and tree search ask."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qtable import Entry


class PackedValues(NamedTuple):
    """Some blocks instead of thousands of objects, which the object store hands on without a copy."""

    keys: bytes
    """One after the other, a line each: a position's key is base64 text."""
    values: NDArray[np.float64]
    depths: NDArray[np.int64]
    results: NDArray[np.int64]
    """Wins, draws and losses, a row for each entry."""
    notes: dict[str, str | None]
    """The notes of the table that have changed since."""


def pack(
    entries: Mapping[str, Entry], notes: Mapping[str, str | None] = MappingProxyType({})
) -> PackedValues:
    values = np.fromiter((entry.value for entry in entries.values()), np.float64, len(entries))
    depths = np.fromiter((entry.depth for entry in entries.values()), np.int64, len(entries))
    results = np.array([entry[4:7] for entry in entries.values()], np.int64).reshape(len(entries), 3)
    return PackedValues("\n".join(entries).encode(), values, depths, results, dict(notes))


def unpack(packed: PackedValues) -> dict[str, Entry]:
    """Entries that have these values, depths and results; the rest of them means nothing."""
    keys = packed.keys.decode().split("\n") if packed.keys else []
    fields = zip(packed.values.tolist(), packed.depths.tolist(), packed.results.tolist(), strict=True)
    return {
        key: Entry(value, depth, wins=wins, draws=draws, losses=losses)
        for key, (value, depth, (wins, draws, losses)) in zip(keys, fields, strict=True)
    }
