"""What can go wrong with records of play, as one small tree.

GamesError
├── InvalidGame      also a ValueError: a record, a game or a journal line says what no game can be
│   └── UnplayableGame   a game in a PGN file that is to be skipped; `reason` says which kind
├── InvalidOpening   also a ValueError: a line of an opening suite cannot be played; names file and line
├── UnreadableFile   a file of games cannot be opened, decompressed or decoded
└── ArchiveError     an archive cannot be written or trusted; nothing in it was changed
"""

import enum


class GamesError(Exception):
    """Any error that this package raises on purpose; its message is fit to be shown to a user."""


class InvalidGame(GamesError, ValueError):
    """A record that no game can have made; the message says what was expected and what came."""


class SkipReason(enum.StrEnum):
    """Why a game in a file cannot be played through; the value is fit to be shown to a user."""

    BROKEN = "broken"
    NO_MOVES = "no moves"
    VARIANT = "variant"
    ILLEGAL_START = "illegal start position"
    ENCODING = "not text"
    TOO_LONG = "too long"


class UnplayableGame(InvalidGame):
    """A game in a PGN file that is to be skipped."""

    def __init__(self, reason: SkipReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class InvalidOpening(GamesError, ValueError):
    """An opening that cannot be played; the message begins with the file and the line."""


class UnreadableFile(GamesError):
    """A file of games that cannot be read; the message says what would help."""


class ArchiveError(GamesError):
    """An archive that could not be written or is not one; what it held before is untouched."""
