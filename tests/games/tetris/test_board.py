"""The compiled board against the specification, feature by feature, and both against boards done by hand."""

import random

import pytest
from tetris_boards import bits_of, random_boards

from games.tetris import reference
from games.tetris.errors import InvalidSettings
from games.tetris.features import DEEP_WELLS, FEATURE_SETS, NAMES
from games.tetris.game import Game
from games.tetris.measuring import board_features, placements_of
from games.tetris.reference import Rows, parse_rows
from games.tetris.rules import ROTATIONS, RULES, Rules
from games.tetrominoes.pieces import PIECES


def as_names(values: "tuple[float, ...] | list[int]", *, deep: bool) -> dict[str, float]:
    names = [DEEP_WELLS if deep and name == "wells" else name for name in NAMES]
    return dict(zip(names, values, strict=True))


def test_the_compiled_board_is_the_specification_on_random_games() -> None:
    source, cleared = random.Random(1), 0
    for number, (rules, board) in enumerate(random_boards(2, 30)):
        piece, deep = source.choice(PIECES), bool(number % 2)
        found = placements_of(
            bits_of(board), rules.width, rules.height, RULES.index(rules.rule), PIECES.index(piece), deep
        )
        assert [one[:2] for one in found] == reference.placements(rules, board, piece)
        for rotation, x, values, rows in source.sample(found, min(3, len(found))):
            expected = reference.features(board, piece, (rotation, x))
            compiled = as_names(values, deep=deep)
            assert compiled == {name: expected[name] for name in compiled}, (rules, piece, rotation, x, board)
            assert list(rows) == bits_of(reference.place(board, piece, (rotation, x)).board)
            cleared += expected["lines"] > 0
    assert cleared > 20


def test_a_board_alone_has_the_features_that_its_last_placement_left() -> None:
    for number, (rules, board) in enumerate(random_boards(3, 12)):
        deep = bool(number % 2)
        expected = reference.board_features(board)
        compiled = as_names(board_features(bits_of(board), rules.width, rules.height, deep), deep=deep)
        assert {name: compiled[name] for name in compiled if name in expected} == {
            name: expected[name] for name in compiled if name in expected
        }


SMALL = Rules(6, 8)


def features_of(rows: str, rules: Rules = SMALL) -> dict[str, int]:
    return reference.board_features(parse_rows(rows, rules))


def test_features_of_an_empty_board_are_those_of_the_document() -> None:
    found = reference.board_features(reference.empty_board(Rules()))
    assert found["row_transitions"] == 40
    assert found["column_transitions"] == 20
    assert {name for name, value in found.items() if value} == {
        "row_transitions",
        "column_transitions",
        "pattern_diversity",
    }


def test_holes_their_depth_and_their_rows() -> None:
    """Two holes in a row are one row; the depth counts all filled cells above, not only the next."""
    found = features_of("""
        #.....
        .....#
        #....#
        .####.
    """)
    assert found["holes"] == 3
    assert found["hole_depth"] == 2 + 1 + 2
    assert found["rows_with_holes"] == 2
    assert (found["height"], found["bumpiness"]) == (4 + 4 + 3, 3 + 0 + 0 + 0 + 2)


def test_a_well_ends_where_a_neighbour_is_empty() -> None:
    """The document asked for any filled cell beside the whole gap; each cell must have both neighbours."""
    well = """
        #.#...
        #.#...
        #.#...
    """
    assert features_of(well)["wells"] == features_of(well)["deep_wells"] == 6
    open_well = """
        #.#...
        ..#...
        #.#...
    """
    assert features_of(open_well)["wells"] == 1 + 1
    assert features_of(open_well)["deep_wells"] == 3 + 1
    at_the_wall = """
        .#....
        .#....
    """
    assert features_of(at_the_wall)["wells"] == 3


def test_a_covered_cell_between_filled_ones_is_a_well_as_in_the_document() -> None:
    board = """
        ...#....
        ..#.#...
    """
    assert features_of(board, Rules(8, 8))["wells"] == 1


def test_transitions_along_a_row_and_a_column() -> None:
    found = features_of("""
        #.#..#
    """)
    assert found["row_transitions"] == 7 * 2 + 4
    assert found["column_transitions"] == 6 * 2


def test_a_column_up_to_the_top_has_no_fewer_transitions() -> None:
    """With a ceiling right above the board it would have none: two fewer, and weights would build towers."""
    rules = Rules(4, 4)
    low, high = (features_of("\n".join(["#..."] * rows), rules) for rows in (3, 4))
    assert low["column_transitions"] == high["column_transitions"] == 8


def test_pattern_diversity_counts_small_steps_once() -> None:
    assert features_of("""
        ....#.
        ....#.
        ..###.
        #.####
    """)["pattern_diversity"] == len({-1, 2, 0})


def test_an_i_that_clears_four_lines_erodes_sixteen_cells() -> None:
    board = parse_rows("\n".join([".#####"] * 4), SMALL)
    found = reference.features(board, "I", (1, 0))
    assert (found["lines"], found["eroded_cells"]) == (4, 16)
    assert found["landing_height"] == 2.5


def test_cells_of_a_piece_in_one_row_are_counted_each() -> None:
    """The document took each cell for the only one missing in its row: two side by side gave nothing."""
    board = parse_rows(
        """
        ####..
        ####..
    """,
        SMALL,
    )
    assert reference.features(board, "O", (0, 4))["eroded_cells"] == 2 * 4


def test_landing_height_is_that_of_the_cells_middle() -> None:
    board = reference.empty_board(SMALL)
    assert reference.features(board, "T", (0, 0))["landing_height"] == 1 + (0 + 0 + 0 + 1) / 4
    assert reference.features(board, "I", (0, 0))["landing_height"] == 1.0


def test_rotations_that_look_alike_are_one() -> None:
    assert {piece: len(rotations) for piece, rotations in ROTATIONS.items()} == {
        "T": 4,
        "I": 2,
        "O": 1,
        "S": 2,
        "Z": 2,
        "L": 4,
        "J": 4,
    }


def test_a_dropped_piece_does_not_pass_a_tower() -> None:
    """Under the simplified rule it may be placed on either side of a tower that reaches the top."""
    board = parse_rows("\n".join(["....#....."] * 19), Rules())
    simplified = reference.placements(Rules(), board, "O")
    assert simplified == [(0, 0), (0, 1), (0, 2), (0, 5), (0, 6), (0, 7), (0, 8)]
    assert reference.placements(Rules(rule="dropped"), board, "O") == []  # it appears in columns 5 and 6
    aside = parse_rows("\n".join(["..#......."] * 19), Rules())
    assert reference.placements(Rules(rule="dropped"), aside, "O") == [(0, x) for x in range(3, 9)]
    assert reference.placements(Rules(), aside, "O")[0] == (0, 0)


def test_a_game_refuses_what_is_not_possible() -> None:
    game = Game(Rules(), "uniform", 1)
    rows, piece = game.rows, game.current
    assert not game.place(0, 9)
    assert not game.place(7, 0)
    assert (game.rows, game.current, game.pieces) == (rows, piece, 0)
    assert game.place(0, 0)
    assert (game.current, game.pieces) == (game.current, 1)


def roughness(board: Rows, piece: str, placement: tuple[int, int]) -> float:
    found = reference.features(board, piece, placement)
    return 4 * found["holes"] + found["landing_height"] + found["bumpiness"] / 4


def test_a_game_is_the_specification_piece_by_piece() -> None:
    source, rules = random.Random(4), Rules(7, 12)
    game, board = Game(rules, "7-bag", 5), reference.empty_board(rules)
    lines = 0
    for _ in range(60):
        possible = reference.placements(rules, board, game.current)
        if not possible:
            break
        chosen = min(source.sample(possible, len(possible)), key=lambda p: roughness(board, game.current, p))
        placed = reference.place(board, game.current, chosen)
        board, lines = placed.board, lines + placed.lines
        assert game.place(*chosen)
        assert list(game.rows) == bits_of(board)
        assert game.lines == lines
    assert lines > 0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"width": 3}, "expected a width from 4 to 16, got 3"),
        ({"width": 17}, "expected a width from 4 to 16, got 17"),
        ({"height": 41}, "expected a height from 4 to 40, got 41"),
        ({"rule": "hard"}, "expected a rule of simplified, dropped, got 'hard'"),
    ],
)
def test_games_that_cannot_be_are_named(settings: dict[str, object], expected: str) -> None:
    with pytest.raises(InvalidSettings, match=expected):
        Rules(**settings)  # type: ignore[arg-type] # that is what is tested


def test_feature_sets_are_of_known_features() -> None:
    assert {name for names in FEATURE_SETS.values() for name in names} <= {*NAMES, DEEP_WELLS}
    assert FEATURE_SETS["dellacherie_thiery"] == NAMES[:8]
