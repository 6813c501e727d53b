"""Rows of the layouts 1 and 2, which had no checksum: read to be brought up to date, never written.

| offset | narrow (26 bytes)         | wide (60 bytes)                        |
|--------|---------------------------|----------------------------------------|
| 0      | 1, the form               | 2, the form                            |
| 1      | source, index in SOURCES  | source, index in SOURCES               |
| 2      | depth, 16 bits            | two zero bytes                         |
| 4      | value, IEEE 754 double    | value, IEEE 754 double                 |
| 12     | updated, 32 bits          | depth, updated, visits, wins, draws,   |
| 16     | visits, 32 bits           | losses: 64 bits each                   |
| 20     | wins, draws, losses:      |                                        |
|        | 16 bits each              |                                        |
"""

import struct
from typing import Any

from qtable.entry import SOURCES, Entry, encode
from qtable.errors import CorruptEntry, InvalidEntry

_NARROW = struct.Struct(">BBHdIIHHH")
_WIDE = struct.Struct(">BBxxdqqqqqq")


def decode_older(blob: object) -> Entry:
    """The entry that an older version encoded as `blob`; raises CorruptEntry for anything else."""
    try:
        if not isinstance(blob, bytes):
            raise CorruptEntry(f"expected bytes, found {blob!r:.80}")
        if len(blob) == _NARROW.size:
            form, code, depth, value, updated, visits, wins, draws, losses = _NARROW.unpack(blob)
        else:
            form, code, value, depth, updated, visits, wins, draws, losses = _WIDE.unpack(blob)
        if form != (1 if len(blob) == _NARROW.size else 2):
            raise CorruptEntry(f"expected a row of an older layout, found form {form}")
        return Entry(value, depth, visits, SOURCES[code], wins, draws, losses, updated)
    except (struct.error, IndexError, InvalidEntry):
        raise CorruptEntry(f"expected a row of an older layout, found {blob!r:.80}") from None


def brought_up_to_date(key: object, blob: Any) -> Any:
    """The row in its present form; one that was damaged is left as it is, to be found when it is read."""
    try:
        return encode(key, decode_older(blob)) if isinstance(key, str) else blob
    except CorruptEntry:
        return blob
