"""Numbers as pictures show them."""

MINUS = "\N{MINUS SIGN}"


def with_minus(words: str) -> str:
    """A number with a minus as wide as a plus."""
    return words.replace("-", MINUS)


def shown_value(value: float) -> str:
    """A score with its sign: two decimals, fewer for what is large; never more than seven characters."""
    size = abs(value)
    words = f"{value:+.2f}" if size < 99.995 else f"{value:+.1f}" if size < 999.95 else f"{value:+.0f}"
    return with_minus(words) if float(words) else "0.00"


def shown_heat(value: float, *, signed: bool) -> str:
    """The heat of a square, one decimal if it is small; nothing for what rounds to nothing."""
    if abs(value) < 0.05:
        return ""
    sign = "+" if signed else ""
    words = f"{value:{sign}.1f}" if abs(value) < 9.95 else f"{value:{sign}.0f}"
    return with_minus(words)
