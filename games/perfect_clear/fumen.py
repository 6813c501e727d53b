"""Fumen codes: boards and solutions as tetris players send them to each other.

The codes are read and written by py-fumen-py, which is an optional library.
"""

from collections.abc import Iterable
from types import ModuleType
from typing import Any

from games.perfect_clear.board import MOST_LINES, WIDTH, cells_of
from games.perfect_clear.errors import InvalidQuestion, MissingLibrary
from games.perfect_clear.solver import Solution


def _library() -> ModuleType:
    try:
        import py_fumen_py
    except ImportError:
        raise MissingLibrary(
            "fumen codes need the library py-fumen-py; "
            'in the folder of Heatmap Engine, run: pip install ".[fumen]"'
        ) from None
    library: ModuleType = py_fumen_py
    return library


def read_board(code: str) -> int:
    """The board of a code's first page; its colours do not matter."""
    library = _library()
    try:
        field = library.decode(code)[0].field
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise InvalidQuestion(f"expected a fumen code, got {code!r:.60} ({error!s:.80})") from None
    board = 0
    for y in range(library.FieldConstants.HEIGHT):
        for x in range(WIDTH):
            if field.at(x, y) != library.Mino._:
                if y >= MOST_LINES:
                    raise InvalidQuestion(
                        f"expected a board of at most {MOST_LINES} rows, got one of {y + 1}"
                    )
                board |= 1 << (WIDTH * y + x)
    return board


def written(solutions: Iterable[Solution]) -> str:
    """A code with a page for each placement, one solution after the other."""
    library = _library()
    pages = []
    for number, solution in enumerate(solutions, start=1):
        board = solution.start
        for placement in solution.placements:
            pages.append(
                library.Page(
                    field=_field(library, board),
                    operation=_operation(library, placement.piece, placement.cells),
                    comment=f"{number}: {solution.order}",
                    flags=library.Flags(),
                    refs=library.Refs(),
                )
            )
            board = placement.board
    code: str = library.encode(pages)
    return code


def _field(library: ModuleType, board: int) -> Any:
    field = library.Field()
    for x, y in cells_of(board):
        field.fill(x, y, library.Mino.X)
    return field


def _operation(library: ModuleType, piece: str, cells: int) -> Any:
    """The library's name for a piece that covers these cells."""
    wanted = set(cells_of(cells))
    mino = library.Mino[piece]
    for rotation in library.Rotation:
        for x, y in wanted:
            if {tuple(cell) for cell in library.Operation.shape_at(mino, rotation, x, y)} == wanted:
                return library.Operation(mino, rotation, x, y)
    raise AssertionError(f"{piece} covers no {sorted(wanted)}")
