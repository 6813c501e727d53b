"""The journal of what was learned: lines in the order they were added, kept in the table's own file."""

import zlib
from typing import NamedTuple


class JournalLine(NamedTuple):
    """One line: an id that occurs once, a text that only the caller understands, and when it was added.

    `added` is in UTC seconds; None means the moment of recording.
    """

    id: str
    text: str
    added: int | None = None


def line_checksum(line_id: object, text: object, added: object) -> int | None:
    """CRC-32 of a stored line; None for what is none, which equals no checksum."""
    if not (isinstance(line_id, str) and isinstance(text, str) and isinstance(added, int)):
        return None
    # The length says where the id ends, so that no letter can move from one to the other.
    return zlib.crc32(f"{added} {len(line_id)} {line_id}{text}".encode())
