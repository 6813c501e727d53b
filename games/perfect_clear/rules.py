"""What a game allows, as data."""

from dataclasses import dataclass

from games.perfect_clear.errors import InvalidQuestion
from games.tetrominoes.kicks import KICK_TABLES, KickTable
from games.tetrominoes.pieces import PIECES

# Fifteen pieces fill six lines, and one can stay in hold.
MOST_PIECES = 16


@dataclass(frozen=True, slots=True)
class Rules:
    """The configuration of a game."""

    kicks: str = "srs"
    """A name of KICK_TABLES."""
    soft_drop: bool = True
    """Whether a piece may be dropped slowly, so that it can be moved or turned under others."""
    hold: bool = True

    def __post_init__(self) -> None:
        if self.kicks not in KICK_TABLES:
            raise InvalidQuestion(
                f"expected one of the kick tables {', '.join(KICK_TABLES)}, got {self.kicks!r}"
            )

    @property
    def kick_table(self) -> KickTable:
        return KICK_TABLES[self.kicks]


def parse_pieces(text: str, what: str = "a queue", most: int = MOST_PIECES) -> str:
    """Pieces in capital letters; spaces and commas between them do not matter."""
    pieces = "".join(letter for letter in text.upper() if letter not in " ,")
    if unknown := sorted(set(pieces) - set(PIECES)):
        raise InvalidQuestion(
            f"expected {what} of the pieces {PIECES}, got {', '.join(unknown)} in {text!r:.60}"
        )
    if len(pieces) > most:
        raise InvalidQuestion(f"expected {what} of at most {most} pieces, got {len(pieces)}")
    return pieces


def parse_hold(text: str | None) -> str | None:
    if not text:
        return None
    piece = parse_pieces(text, "a hold")
    if len(piece) != 1:
        raise InvalidQuestion(f"expected one piece in hold, got {text!r:.60}")
    return piece
