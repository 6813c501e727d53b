"""Rules of the wood block puzzle as data: blocks, sets, boards, actions, points."""

from pathlib import Path

import pytest

from games.wood_block.blocks import SETS, parse_block, read_set
from games.wood_block.board import board_of, cells_of, parse_board, rows_of
from games.wood_block.errors import InvalidQuestion, InvalidRules
from games.wood_block.reference import regions
from games.wood_block.rules import Action, Rules, parse_action, points_of


def test_sets_have_their_blocks_once_and_no_larger_than_they_say() -> None:
    assert {name: len(one.blocks) for name, one in SETS.items()} == {"21": 21, "47": 47}
    for one in SETS.values():
        assert len(set(one.blocks)) == len(one.blocks)
        assert {len(block.cells) for block in one.blocks} <= {1, 2, 3, 4, 5}
    # Every turned and mirrored form of a block of the larger set is in it.
    turned = {
        parse_block("/".join("".join(row) for row in zip(*block.rows, strict=True)))
        for block in SETS["47"].blocks
    }
    assert turned == {*SETS["47"].blocks}
    mirrored = {parse_block("/".join(row[::-1] for row in block.rows)) for block in SETS["47"].blocks}
    assert mirrored == {*SETS["47"].blocks}


def test_block_is_read_without_empty_rows_and_columns() -> None:
    assert str(parse_block("..../.##./.#../....")) == "XX/X."


@pytest.mark.parametrize("text", ["", "...", "XX/XO", "XXXXXX", "X/X/X/X/X/X"])
def test_what_is_no_block_is_refused_with_what_came(text: str) -> None:
    with pytest.raises(InvalidRules, match="got"):
        parse_block(text)


def test_set_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "blocks.txt"
    file.write_text("# my own\nXXX X/X # two bars\n\nX..../.X...\n")
    assert [str(block) for block in read_set(str(file)).blocks] == ["XXX", "X/X", "X./.X"]
    file.write_text("")
    with pytest.raises(InvalidRules, match="1 to 64 blocks, got 0"):
        read_set(str(file))
    with pytest.raises(InvalidRules, match="21, 47 or a file"):
        read_set("48")


def test_grids_have_boxes_where_the_size_allows() -> None:
    assert {size: len(regions(Rules(size))) for size in range(5, 11)} == {
        5: 10,
        6: 16,
        7: 14,
        8: 16,
        9: 27,
        10: 20,
    }
    with pytest.raises(InvalidRules, match="5 to 10 rows, got 4"):
        Rules(4)


def test_points_of_regions_that_vanish_together() -> None:
    assert [points_of(clears) for clears in range(4)] == [0, 100, 400, 750]


def test_actions_are_numbers_of_block_row_and_column() -> None:
    assert Action(2, 4, 7).number == 2047
    assert parse_action(2047) == Action(2, 4, 7)
    for number in (-1, 3000, 1100):
        with pytest.raises(InvalidQuestion, match=f"got {number}"):
            parse_action(number)


def test_board_is_text_and_number() -> None:
    board, size = parse_board("X..../..... ...../....#\n_____")
    assert size == 5
    assert cells_of(board) == {(0, 0), (3, 4)}
    assert board == board_of({(0, 0), (3, 4)})
    assert rows_of(board, 5) == ["X....", ".....", ".....", "....X", "....."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "5 to 10 rows, got 0"),
        ("....", "5 to 10 rows, got 1"),
        (".....\n" * 4 + "....", "5 cells in each of 5 rows, got 4 in row 5"),
        (".....\n" * 4 + "..O..", "X or . for each cell, got 'O' in row 5"),
    ],
)
def test_what_is_no_board_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidQuestion, match=message):
        parse_board(text)
