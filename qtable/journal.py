"""The journal of what was learned: lines in the order they were added, kept in the table's own file."""

from typing import NamedTuple


class JournalLine(NamedTuple):
    """One line: an id that occurs once, a text that only the caller understands, and when it was added.

    `added` is in UTC seconds; None means the moment of recording.
    """

    id: str
    text: str
    added: int | None = None
