"""What a game has changed, as it travels to the nodes: keys and values, nothing else of an entry."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qtable import Entry


class PackedValues(NamedTuple):
    """Two blocks instead of thousands of objects, which the object store hands on without a copy."""

    keys: bytes
    """One after the other, a line each: a position's key is base64 text."""
    values: NDArray[np.float64]


def pack(values: Mapping[str, float]) -> PackedValues:
    return PackedValues("\n".join(values).encode(), np.fromiter(values.values(), np.float64, len(values)))


def unpack(packed: PackedValues) -> dict[str, Entry]:
    """Entries that have these values; the rest of them means nothing."""
    keys = packed.keys.decode().split("\n") if packed.keys else []
    return {key: Entry(value) for key, value in zip(keys, packed.values.tolist(), strict=True)}
