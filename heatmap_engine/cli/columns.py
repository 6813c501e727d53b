"""Rows of text under each other."""

from collections.abc import Iterator, Sequence


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows with each column as wide as its longest text, which stands at its right end."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
