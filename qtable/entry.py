"""What the table holds for one key, and its form in bytes.

| offset | narrow (28 bytes)         | wide (61 bytes)                        |
|--------|---------------------------|----------------------------------------|
| 0      | form 3 and source         | form 4 and source                      |
| 1      | depth, 8 bits             | value, IEEE 754 double                 |
| 2      | value, IEEE 754 double    |                                        |
| 9      |                           | depth, updated, visits, wins, draws,   |
| 10     | updated, 32 bits          | losses: 64 bits each                   |
| 14     | visits, 32 bits           |                                        |
| 18     | wins, draws, losses:      |                                        |
|        | 16 bits each              |                                        |
| 24     | checksum, 32 bits         |                                        |
| 57     |                           | checksum, 32 bits                      |

Form and source share a byte: the form is its upper half, the lower one is the source's index in SOURCES.
Everything is big-endian. The narrow form is used whenever all numbers fit, so that an entry has one
form only. The checksum is over key and entry, so that no row passes for the row of another key.
Forms 1 and 2 were those of older layouts, see older_rows.py.
"""

import operator
import struct
import time
from math import isfinite
from typing import NamedTuple, Self

from qtable.checksum import first_damaged, sealed
from qtable.errors import CorruptEntry, InvalidEntry

# Where a value came from. The position in this tuple is what is stored: only ever append.
SOURCES = ("static", "search", "game", "import")

# SQLite's integers, and those of most programs that will read an export, are signed 64-bit.
LARGEST_COUNT = 2**63 - 1

_NARROW_FORM, _WIDE_FORM = 3 << 4, 4 << 4
_CHECKSUM_BYTES = 4
_NARROW = struct.Struct(">BBdIIHHH")
_WIDE = struct.Struct(">Bdqqqqqq")
_NARROW_BYTES = _NARROW.size + _CHECKSUM_BYTES
_WIDE_BYTES = _WIDE.size + _CHECKSUM_BYTES
# The same with the checksum behind, for many rows in one.
_NARROW_ROW = struct.Struct(">BBdIIHHH4x")
_NARROW_VALUE = struct.Struct(">2xd18x")
_NARROW_HEADS = {_NARROW_FORM + code: source for code, source in enumerate(SOURCES)}
_WIDE_HEADS = {_WIDE_FORM + code: source for code, source in enumerate(SOURCES)}
_SOURCE_CODES = {source: code for code, source in enumerate(SOURCES)}


class _Fields(NamedTuple):
    value: float
    depth: int
    visits: int
    source: str
    wins: int
    draws: int
    losses: int
    updated: int | None


class Entry(_Fields):
    """One key's value, what it rests on, and the results seen there by the side to move.

    `updated` is in UTC seconds; None means the moment of recording. An entry read from a table always
    has a number there. A tuple rather than a frozen dataclass: decoding makes one three times as fast.
    """

    __slots__ = ()

    def __new__(
        cls,
        value: float,
        depth: int = 0,
        visits: int = 1,
        source: str = "search",
        wins: int = 0,
        draws: int = 0,
        losses: int = 0,
        updated: int | None = None,
    ) -> Self:
        if source not in _SOURCE_CODES:
            raise InvalidEntry(f"source must be one of {', '.join(SOURCES)}, not {source!r}")
        return super().__new__(
            cls,
            _finite(value),
            _count("depth", depth),
            _count("visits", visits),
            source,
            _count("wins", wins),
            _count("draws", draws),
            _count("losses", losses),
            None if updated is None else _count("updated", updated),
        )

    def _replace(self, **changes: object) -> Self:
        """A checked copy with some fields changed; the inherited one would skip the checks."""
        return type(self)(**{**self._asdict(), **changes})

    __replace__ = _replace


def _finite(value: float) -> float:
    try:
        if isfinite(value):  # refuses text, unlike float()
            return float(value)
    except (TypeError, OverflowError):
        pass  # not a number, or an integer that no float can hold
    raise InvalidEntry(f"value must be a finite number, not {value!r}")


def _count(name: str, count: int) -> int:
    try:
        number = operator.index(count)
    except TypeError:
        raise InvalidEntry(f"{name} must be a whole number, not {count!r}") from None
    if not 0 <= number <= LARGEST_COUNT:
        raise InvalidEntry(f"{name} must be from 0 to {LARGEST_COUNT}, not {count!r}")
    return number


def combine(old: Entry, new: Entry) -> Entry:
    """The entry after `new` was recorded over `old`: deeper wins, equal depth newer wins, results add up.

    Of two equally deep values the one with the later `updated` is the newer, and `new` if they are equal or
    if it has none. Visits and results count from both, whichever value is kept.
    """
    value, depth, visits, source, wins, draws, losses, updated = old
    new_value, new_depth, new_visits, new_source, new_wins, new_draws, new_losses, new_updated = new
    is_newer = updated is None or new_updated is None or new_updated >= updated
    if new_depth > depth or (new_depth == depth and is_newer):
        value, depth, source = new_value, new_depth, new_source
    return tuple.__new__(
        Entry,
        (
            value,
            depth,
            visits + new_visits,
            source,
            wins + new_wins,
            draws + new_draws,
            losses + new_losses,
            new_updated if is_newer else updated,
        ),
    )


def encode(key: str, entry: Entry, now: int | None = None) -> bytes:
    """The row of `key` in bytes; an entry without `updated` gets `now`, or the present time."""
    value, depth, visits, source, wins, draws, losses, updated = entry
    if updated is None:
        updated = int(time.time()) if now is None else now
    code = _SOURCE_CODES[source]
    try:
        body = _NARROW.pack(_NARROW_FORM + code, depth, value, updated, visits, wins, draws, losses)
    except struct.error:  # a number needs the wide form
        body = _wide(_WIDE_FORM + code, entry, updated)
    return sealed(key, body)


def _wide(head: int, entry: Entry, updated: int) -> bytes:
    value, depth, visits, _, wins, draws, losses, _ = entry
    try:
        return _WIDE.pack(head, value, depth, updated, visits, wins, draws, losses)
    except struct.error:
        raise InvalidEntry(f"a count would grow beyond {LARGEST_COUNT}: {entry}") from None


def decode(key: str, blob: bytes) -> Entry:
    """The entry of `key` that was encoded as `blob`; raises CorruptEntry, never guesses."""
    if first_damaged([key], [blob]) == 0:
        raise CorruptEntry(_complaint(key, blob))
    try:
        if len(blob) == _NARROW_BYTES:
            head, depth, value, updated, visits, wins, draws, losses = _NARROW_ROW.unpack(blob)
            source = _NARROW_HEADS[head]
        else:
            head, value, depth, updated, visits, wins, draws, losses = _WIDE.unpack(blob[:-_CHECKSUM_BYTES])
            source = _WIDE_HEADS[head]
        return Entry(value, depth, visits, source, wins, draws, losses, updated)
    except (struct.error, KeyError, InvalidEntry):
        raise CorruptEntry(_complaint(key, blob)) from None


def decode_all(keys: list[str], blobs: list[bytes]) -> list[Entry]:
    """The entries that were encoded as `blobs`, as `decode` does one by one, but four times as fast."""
    joined = _joined_narrow(keys, blobs)
    if not joined:
        return list(map(decode, keys, blobs))
    new, sources = tuple.__new__, _NARROW_HEADS
    return [
        new(Entry, (value, depth, visits, sources[head], wins, draws, losses, updated))
        for head, depth, value, updated, visits, wins, draws, losses in _NARROW_ROW.iter_unpack(joined)
    ]


def decode_values(keys: list[str], blobs: list[bytes]) -> list[float]:
    """Only the values of encoded entries, for readers that need nothing else of many."""
    joined = _joined_narrow(keys, blobs)
    if not joined:
        return [decode(key, blob).value for key, blob in zip(keys, blobs, strict=True)]
    return [value for (value,) in _NARROW_VALUE.iter_unpack(joined)]


def _joined_narrow(keys: list[str], blobs: list[bytes]) -> bytes:
    """All blobs in one, if every one is surely a good entry of the narrow form; else nothing.

    Looks at one column of bytes at a time: 15 ns per entry, and as much for the checksums.
    """
    size = _NARROW_BYTES
    if first_damaged(keys, blobs) >= 0 or set(map(len, blobs)) != {size}:
        return b""
    joined = b"".join(blobs)
    heads, exponents = joined[::size], joined[2::size]
    are_good = (
        # What a checksum vouches for may still have been written by a stranger or by a later version.
        min(heads) >= _NARROW_FORM
        and max(heads) < _NARROW_FORM + len(SOURCES)
        # So begin infinity and whatever is not a number, and beside them only values beyond 10**303.
        and b"\x7f" not in exponents
        and b"\xff" not in exponents
    )
    return joined if are_good else b""


def _complaint(key: object, blob: object) -> str:
    row = f"the row of key {key!r} is damaged"
    if not isinstance(key, str):
        return f"{row}: its key is no text"
    if not isinstance(blob, bytes):
        return f"{row}: expected an entry's bytes, found {type(blob).__name__} {blob!r:.80}"
    if len(blob) not in (_NARROW_BYTES, _WIDE_BYTES):
        sizes = f"{_NARROW_BYTES} or {_WIDE_BYTES}"
        return f"{row}: expected an entry of {sizes} bytes, found {len(blob)} bytes: {blob[:32].hex()}"
    return f"{row}: expected an entry whose checksum is right, found {blob.hex()}"
