"""The small endgame tables that tests have, and positions that they know."""

from pathlib import Path

SYZYGY = Path(__file__).with_name("syzygy")

# What White has is what the table is of.
ROOK = "8/8/8/3k4/8/3K4/4R3/8 w - - 0 1"
ROOK_LOST = "8/8/8/3k4/8/3K4/4R3/8 b - - 0 1"
# A win by one move only, and a draw by one move only.
PAWN = "8/8/8/4k3/8/3K4/4P3/8 w - - 0 1"
PAWN_DRAWN = "8/8/8/4k3/8/3KP3/8/8 b - - 0 1"


def with_clock(fen: str, plies: int) -> str:
    """The position after so many plies without a capture or a pawn move."""
    *rest, _, _ = fen.split()
    return f"{' '.join(rest)} {plies} 60"
