"""The compiled movement against the specification, on random boards."""

import random

import pytest
from perfect_clear_boards import as_number, drawing, random_board

from games.perfect_clear.keys import Keys
from games.perfect_clear.movement import Movement
from games.perfect_clear.reference import Settings, placements
from games.tetrominoes.kicks import KICK_TABLES
from games.tetrominoes.pieces import PIECES

# Pieces appear lower than in a game: the specification takes its time for each row above the board.
_HEIGHT = 12


@pytest.mark.parametrize("name", list(KICK_TABLES))
def test_pieces_rest_where_the_specification_lets_them(name: str) -> None:
    choices = random.Random(f"movement {name}")
    kicks = KICK_TABLES[name]
    for _ in range(600):
        soft_drop, lines = choices.random() < 0.9, choices.choice((1, 2, 3, 4, 4, 5, 6))
        board, piece = random_board(choices, lines), choices.choice(PIECES)
        places = placements(board, piece, Settings(kicks, slow_drop=soft_drop, height=_HEIGHT))
        wanted = {as_number(cells) for cells in places if max(y for _, y in cells) < lines}
        found = Movement(kicks, soft_drop).landings(piece, as_number(board), lines)
        assert found == wanted, (
            f"{name}, soft drop {soft_drop}, {piece}\n{drawing(board, lines)}\n"
            f"kernel only {found - wanted}, specification only {wanted - found}"
        )


@pytest.mark.parametrize("name", list(KICK_TABLES))
def test_keys_are_those_of_the_specification(name: str) -> None:
    choices = random.Random(f"keys {name}")
    kicks = KICK_TABLES[name]
    for _ in range(40):
        soft_drop, lines = choices.random() < 0.8, choices.choice((3, 6, 12))
        board, piece = random_board(choices, lines), choices.choice(PIECES)
        places = placements(board, piece, Settings(kicks, slow_drop=soft_drop))
        wanted = {as_number(cells): tuple(map(str, way[:-1])) for cells, way in places.items()}
        assert Keys(kicks, soft_drop).ways(piece, as_number(board), list(wanted)) == wanted


def test_turn_in_the_sky_leads_under_the_highest_row() -> None:
    """A kick leads down as far as three rows; above six lines there are no bits for where it begins."""
    choices = random.Random(6)
    kicks = KICK_TABLES["srs"]
    differs = 0
    for _ in range(60):
        board = random_board(choices, 6)
        wanted = {
            as_number(cells)
            for cells in placements(board, "I", Settings(kicks, height=14))
            if max(y for _, y in cells) < 6
        }
        assert Movement(kicks).landings("I", as_number(board), 6) == wanted
        differs += wanted != Movement(kicks, False).landings("I", as_number(board), 6)
    assert differs


def test_without_slow_drops_pieces_only_fall() -> None:
    roofed = as_number({(x, 1) for x in range(9)})
    assert Movement(KICK_TABLES["srs"], False).landings("O", roofed, 4) == {
        as_number({(x + i, 2 + j) for i in (0, 1) for j in (0, 1)}) for x in range(9)
    }
