"""Boards as text and as fumen codes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfect_clear_boards import OPENER, OPENER_WITHOUT_I

from games.perfect_clear.board import drawn, parse_board, rows_of
from games.perfect_clear.errors import InvalidQuestion
from games.perfect_clear.fumen import read_board, written
from games.perfect_clear.solver import Question, Solver
from games.tetrominoes.kicks import KICK_TABLES
from games.tetrominoes.pieces import BOXED, PIECES, shape


@given(st.integers(1, 2**60 - 1))
def test_drawing_is_read_back(board: int) -> None:
    assert parse_board("\n".join(drawn(board))) == board


def test_drawings() -> None:
    assert parse_board("") == 0
    assert parse_board("..........\nX_........\r\nGG0.......") == 0b11 | 1 << 10
    assert drawn(0b11, 2, [(1 << 10, "T")]) == ["T.........", "##........"]


@pytest.mark.parametrize("text", ["...", "...........", "????......"])
def test_drawings_that_are_none(text: str) -> None:
    with pytest.raises(InvalidQuestion, match="expected"):
        parse_board(text)


def test_codes_that_other_programs_write() -> None:
    assert read_board("v115@9gD8DeF8CeG8BeH8CeC8JeAgH") == OPENER
    assert rows_of(read_board("v115@9gF8DeF8DeF8DeF8NeAgH")) == [0x3F] * 4
    assert read_board("v115@vhAAgH") == 0


@pytest.mark.parametrize(
    "code", ["", "hello", "v115@", "v115@9", "v115@vhAAgHx", "v110@7eEtAAPAA", "v115@zz9gD8"]
)
def test_codes_that_are_none(code: str) -> None:
    with pytest.raises(InvalidQuestion, match="expected"):
        read_board(code)


def test_solution_as_a_code() -> None:
    """A page for each placement; another program's page after the last one would be empty."""
    fumen = pytest.importorskip("py_fumen_py")
    solution = Solver().first(Question("TOSZ", "I", OPENER_WITHOUT_I)).solution
    assert solution is not None
    code = written([solution])
    assert read_board(code) == OPENER_WITHOUT_I
    pages = fumen.decode(code)
    assert [page.operation.mino.name for page in pages] == list(solution.order)
    for page, placement in zip(pages, solution.placements, strict=True):
        cells = sum(1 << (10 * y + x) for x, y in page.operation.shape())
        assert cells == placement.cells


def test_pieces_lie_in_their_boxes() -> None:
    for piece in PIECES:
        for orientation, cells in enumerate(BOXED[piece]):
            assert len(set(cells)) == 4
            one = shape(piece, orientation)
            assert {(x + one.offset[0], y + one.offset[1]) for x, y in one.cells} == set(cells)
    assert {piece: len({shape(piece, i).cells for i in range(4)}) for piece in PIECES} == {
        "T": 4, "I": 2, "O": 1, "S": 2, "Z": 2, "L": 4, "J": 4,
    }  # fmt: skip


def test_kick_tables_have_the_turns_of_their_games() -> None:
    for name, has_half_turns in (("srs", False), ("srs+", True), ("none", False)):
        assert KICK_TABLES[name].has_half_turns == has_half_turns
        assert KICK_TABLES[name].tests["O"] == {}
    # In SRS a turn back is tried in the opposite directions.
    for piece in "TI":
        for (start, end), shifts in KICK_TABLES["srs"].tests[piece].items():
            back = KICK_TABLES["srs"].tests[piece][end, start]
            assert shifts == tuple((-x, -y) for x, y in back)
