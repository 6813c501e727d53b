"""Values of the deep search that mean mates: the greatest value, less the plies to the mate."""

from heatmap_engine.kernel.deep.search import MATE_VALUE, MAX_DEPTH

_LONGEST = 2 * MAX_DEPTH


def is_mate(value: float) -> bool:
    """Whether a value means that one side mates the other."""
    return MATE_VALUE - abs(value) < _LONGEST


def sign_of_mate(value: float) -> int:
    """1 for a mate, -1 for being mated, 0 for all other values."""
    return 0 if not is_mate(value) else 1 if value > 0 else -1


def mate_in(value: float, ply: int = 0) -> int | None:
    """Moves to mate, negative if the value is negative; None if the value means no mate.

    The moves are counted from `ply` plies before the position that has this value.
    """
    if not is_mate(value):
        return None
    plies = ply + max(0, round(MATE_VALUE - abs(value)))
    return sign_of_mate(value) * ((plies + 1) // 2)
