"""Names of openings: every line can be played, and games are found by their positions."""

import re
from importlib import resources

import chess
import pytest

from games.chess.opening_names import OpeningName, name_of_position, named_lines, opening_of

LINES = list(named_lines())


def game(moves: str, fen: str = chess.STARTING_FEN) -> chess.Board:
    board = chess.Board(fen)
    for san in moves.split():
        board.push_san(san)
    return board


def test_every_line_of_the_file_is_read() -> None:
    text = (resources.files("games.chess") / "opening_names.txt").read_text(encoding="utf-8")
    written = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(LINES) == len(written) >= 300


def test_every_line_is_legal_and_leads_to_a_position_of_its_own() -> None:
    found: dict[str, OpeningName] = {}
    for name, moves in LINES:
        board = game(" ".join(moves))  # raises where a move is not legal
        assert [*moves] == [*san_of(board)], f"{name} spells a move otherwise"
        assert board.epd() not in found, f"{name} is {found[board.epd()]}"
        found[board.epd()] = name
        assert name_of_position(board) == opening_of(board) == name


def san_of(board: chess.Board) -> list[str]:
    again = board.root()
    spelled = []
    for move in board.move_stack:
        spelled.append(again.san(move))
        again.push(move)
    return spelled


def test_names_are_told_apart_and_have_a_code() -> None:
    names = [name.name for name, _ in LINES]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[A-E]\d\d", name.eco) for name, _ in LINES)


@pytest.mark.parametrize(
    ("moves", "name"),
    [
        ("e4 e5 Nf3 Nc6 Bb5", "C60 Ruy Lopez"),
        # Later moves that have no name keep the last one.
        ("e4 e5 Nf3 Nc6 Bb5 h5 Bxc6 dxc6", "C60 Ruy Lopez"),
        # Other orders of moves come to the same position.
        ("Nf3 d5 d4 Nf6 c4 e6 Nc3 Be7 Bg5", "D53 Queen's Gambit Declined: 5.Nf3"),
        ("c4 e6 d4 Nf6 Nc3 Bb4", "E20 Nimzo-Indian Defence"),
        ("Nf3 g6 d4 Bg7 c4 Nf6 Nc3 d6 e4", "E90 King's Indian Defence: 5.Nf3"),
        ("c3 c5 e4", "B22 Sicilian Defence: Alapin Variation"),
        # En passant counts only where it is possible.
        ("Nf3 c5 e4", "B27 Sicilian Defence: 2.Nf3"),
    ],
)
def test_openings_are_found_by_their_positions(moves: str, name: str) -> None:
    assert str(opening_of(game(moves))) == name


def test_a_game_from_elsewhere_has_no_opening() -> None:
    assert opening_of(chess.Board()) is None
    assert opening_of(game("Ke2 Kd7", "4k3/8/8/8/8/8/8/4K3 w - - 0 1")) is None
    assert name_of_position(game("e4 e5 Nf3 Nc6 Bb5 h5")) is None


def test_a_game_that_begins_after_the_first_moves_is_found_as_well() -> None:
    start = game("e4 e5 Nf3").fen()
    assert str(opening_of(game("Nc6 Bb5", start))) == "C60 Ruy Lopez"


def test_the_board_is_left_as_it_was() -> None:
    board = game("e4 e5 Nf3")
    before = board.copy()
    opening_of(board)
    assert board == before
    assert board.move_stack == before.move_stack
