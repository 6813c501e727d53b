"""Boards as people write them, and as the kernel takes them.

The kernel's board is a number: bit 10 y + x is the cell in column x from the left and row y from below.
"""

from collections.abc import Iterable, Iterator

from games.perfect_clear.errors import InvalidQuestion

WIDTH = 10
MOST_LINES = 6

_EMPTY, _FILLED = "._-0 ", "#XGTIOSZLJ1*"


def parse_board(text: str) -> int:
    """The board of a drawing, the upper row first: `.` or `_` is empty, `#`, `X` or a piece is filled.

    Rows are lines, or parts between slashes or commas.
    """
    rows = [row.strip("\r") for row in text.replace("/", "\n").replace(",", "\n").split("\n")]
    board = 0
    for number, row in enumerate(reversed([row for row in rows if row.strip()])):
        if len(row) != WIDTH:
            raise InvalidQuestion(f"expected rows of {WIDTH} cells, got {row!r:.40}, which has {len(row)}")
        for x, cell in enumerate(row.upper()):
            if cell in _FILLED:
                board |= 1 << (WIDTH * number + x)
            elif cell not in _EMPTY:
                raise InvalidQuestion(
                    f"expected . or _ for an empty cell and # or a piece for another, got {cell!r} in {row!r}"
                )
    return board


def rows_of(board: int) -> list[int]:
    """The rows from the lowest one to the highest that is not empty, each with a bit for each column."""
    rows = []
    while board:
        rows.append(board & 0x3FF)
        board >>= WIDTH
    return rows


def require_possible(board: int) -> None:
    """A board can be asked about if its rows have neither been cleared nor hang in the air."""
    rows = rows_of(board)
    if len(rows) > MOST_LINES:
        raise InvalidQuestion(f"expected a board of at most {MOST_LINES} rows, got {len(rows)}")
    for number, row in enumerate(rows, start=1):
        if row == 0:
            raise InvalidQuestion(
                f"expected no gap under a filled row, got an empty row {number} under row {number + 1}"
            )
        if row == 0x3FF:
            raise InvalidQuestion(f"expected rows with an empty cell, got row {number}, which is full")


def possible_lines(board: int, most_pieces: int) -> list[int]:
    """In how many lines at most so many pieces can clear the board; the numbers of cells must fit.

    The board must be one that `require_possible` lets through.
    """
    lowest = max(len(rows_of(board)), 1)
    return [
        lines
        for lines in range(lowest, MOST_LINES + 1)
        if (WIDTH * lines - board.bit_count()) % 4 == 0 and pieces_needed(board, lines) <= most_pieces
    ]


def pieces_needed(board: int, lines: int) -> int:
    return (WIDTH * lines - board.bit_count()) // 4


def require_lines(board: int, lines: int) -> None:
    """Clearing so many lines must leave whole pieces to place."""
    height = len(rows_of(board))
    if not max(height, 1) <= lines <= MOST_LINES:
        raise InvalidQuestion(f"expected {max(height, 1)} to {MOST_LINES} lines for this board, got {lines}")
    empty = WIDTH * lines - board.bit_count()
    if empty % 4:
        raise InvalidQuestion(
            f"expected a number of empty cells that pieces of four fill, got {empty} in {lines} lines"
        )


def cells_of(cells: int) -> Iterator[tuple[int, int]]:
    """The cells of a set as (x, y)."""
    while cells:
        bit = (cells & -cells).bit_length() - 1
        yield bit % WIDTH, bit // WIDTH
        cells &= cells - 1


def cleared(board: int, lines: int) -> tuple[int, int]:
    """The board without its full rows, and how many lines are left."""
    rows = [row for row in ((board >> (WIDTH * y)) & 0x3FF for y in range(lines)) if row != 0x3FF]
    return sum(row << (WIDTH * y) for y, row in enumerate(rows)), len(rows)


def drawn(board: int, height: int | None = None, letters: Iterable[tuple[int, str]] = ()) -> list[str]:
    """The rows of a drawing, the upper one first; `letters` are sets of cells and what they are drawn as."""
    rows = height if height is not None else max(len(rows_of(board)), 1)
    found = [["#" if board >> (WIDTH * y + x) & 1 else "." for x in range(WIDTH)] for y in range(rows)]
    for cells, letter in letters:
        for x, y in cells_of(cells):
            found[y][x] = letter
    return ["".join(row) for row in reversed(found)]
