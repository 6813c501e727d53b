"""Mates among the values of the deep search: the greatest value there is, less the plies until then."""

from heatmap_engine.kernel.deep.search import MATE_VALUE, MAX_DEPTH

_LONGEST = 2 * MAX_DEPTH


def is_mate(value: float) -> bool:
    """Whether a value means that one side mates the other."""
    return MATE_VALUE - abs(value) < _LONGEST


def sign_of_mate(value: float) -> int:
    """1 for a mate, -1 for being mated, 0 for all other values."""
    return 0 if not is_mate(value) else 1 if value > 0 else -1


def mate_in(value: float, ply: int = 0) -> int | None:
    """The winner's moves until mate, negative if the value is; None where it means no mate.

    `ply` plies before the position whose value it is the count begins.
    """
    if not is_mate(value):
        return None
    plies = ply + max(0, round(MATE_VALUE - abs(value)))
    return sign_of_mate(value) * ((plies + 1) // 2)
