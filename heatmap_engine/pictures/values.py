"""Numbers as pictures show them."""

from heatmap_engine.classic.yardstick import HEAT_UNITS
from heatmap_engine.winning_chances import Unit

MINUS = "\N{MINUS SIGN}"


def with_minus(words: str) -> str:
    """A number with a minus as wide as a plus."""
    return words.replace("-", MINUS)


def shown_value(value: float, unit: Unit = HEAT_UNITS, mate_in: int | None = None) -> str:
    """A score with its sign: two decimals, fewer for what is large; never more than seven characters.

    A mate is "+#3" where White mates in three moves, "+#" where it has, with a minus where Black does.
    """
    if mate_in is not None:
        return with_minus(f"{'+' if value > 0 else '-'}#{abs(mate_in) or ''}")
    size = abs(value)
    decimals = min(unit.decimals, 2 if size < 99.995 else 1 if size < 999.95 else 0)
    words = f"{value:+.{decimals}f}"
    return with_minus(words) if float(words) else f"{0:.{unit.decimals}f}"


def shown_heat(value: float, *, signed: bool) -> str:
    """The heat of a square, one decimal if it is small; nothing for what rounds to nothing."""
    if abs(value) < 0.05:
        return ""
    sign = "+" if signed else ""
    words = f"{value:{sign}.1f}" if abs(value) < 9.95 else f"{value:{sign}.0f}"
    return with_minus(words)
