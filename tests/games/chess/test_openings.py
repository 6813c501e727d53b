from collections import Counter
from pathlib import Path

import chess
import pytest

from games.chess.errors import InvalidOpening
from games.chess.openings import chess960_starts, load_openings, openings_as_pgn, split_openings
from heatmap_engine.board.keys import key_of


def test_the_suite_is_large_legal_and_without_twins() -> None:
    openings = load_openings()
    ends = set()
    for opening in openings:
        board = chess.Board()
        for name in opening.moves:
            move = chess.Move.from_uci(name)
            assert board.is_legal(move)
            board.push(move)
        assert 4 <= len(opening.moves) <= 12
        assert not board.is_game_over(claim_draw=True)
        assert board == opening.board()
        ends.add(board.epd())
    assert len(openings) >= 600
    assert len(ends) == len(openings)


def test_the_suite_and_its_beginning_are_varied() -> None:
    openings = load_openings()
    for part in (openings, openings[:50]):
        assert {len(opening.moves) for opening in part} == set(range(4, 13))
        assert {opening.board().turn for opening in part} == {chess.WHITE, chess.BLACK}
        first_moves = Counter(opening.moves[0] for opening in part)
        assert len(first_moves) >= 6
        assert max(first_moves.values()) <= len(part) / 3


def test_one_line_of_five_is_held_out_in_every_kind_of_opening() -> None:
    openings = load_openings()
    training, held_out = split_openings(openings)
    assert sorted([*training, *held_out], key=openings.index) == [*openings]
    assert 0.18 <= len(held_out) / len(openings) <= 0.2
    assert {len(opening.moves) for opening in held_out} == set(range(4, 13))
    common = [move for move, number in Counter(line.moves[0] for line in openings).items() if number >= 20]
    assert {opening.moves[0] for opening in held_out} >= set(common)


def test_the_split_does_not_depend_on_the_order_of_the_lines() -> None:
    openings = load_openings()
    training, held_out = split_openings(openings)
    assert split_openings(openings[::-1]) == (training[::-1], held_out[::-1])


def test_no_line_of_the_training_part_passes_the_end_of_one_held_out() -> None:
    training, held_out = split_openings(load_openings())
    ends = {key_of(opening.board()) for opening in held_out}  # keys see mirror images, too
    for opening in training:
        board = opening.board()
        while board.move_stack:
            assert key_of(board) not in ends
            board.pop()


def test_one_line_alone_is_for_training() -> None:
    first = load_openings()[:1]
    assert split_openings(first) == ([*first], [])


def test_a_pgn_file_of_the_user_is_read_with_names_and_starts(tmp_path: Path) -> None:
    path = tmp_path / "mine.pgn"
    path.write_text(
        '[Event "x"]\n[Opening "Ruy Lopez"]\n[ECO "C60"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n'
        '[Event "x"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n*\n'
    )
    one, two = load_openings(path)
    assert (one.name, one.eco, len(one.moves)) == ("Ruy Lopez", "C60", 5)
    assert (two.name, two.moves, two.start) == ("line 2", (), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")


def test_an_epd_file_of_the_user_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.epd"
    path.write_text(
        "# positions\n\n"
        'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id "King\'s pawn"; eco "B00";\n'
        "4k3/8/8/8/8/8/4P3/4K3 w - - 3 17\n4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 3; fmvn 17;\n"
    )
    pawn, with_counters, with_operations = load_openings(path)
    assert (pawn.name, pawn.eco, pawn.board().turn) == ("King's pawn", "B00", chess.BLACK)
    assert with_counters.start == with_operations.start == "4k3/8/8/8/8/8/4P3/4K3 w - - 3 17"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[Event "x"]\n\n1. e4 *\n\n[Event "y"]\n\n1. e5 *\n',
            r"mine:5: game 2: ply 1: 'e5' is not a legal move",
        ),
        ('[Event "x"]\n\n*\n', "mine:1: game 1: expected moves or a FEN"),
        ("\n\n1. f3 e5 2. g4 Qh4# *\n", "mine:3: game 1: expected a line that goes on"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/8/8/8/8/8/4P3/4K4 w - -\n", "mine:2: expected a position"),
        ("# none\n8/8/8/8/8/8/8/8 w - -\n", "mine:2: expected a legal position"),
        ("4k3/8/8/8/8/8/8/4K3 w - -\n", "mine:1: expected a line that goes on"),
        ("", "mine: expected openings as PGN or EPD, got none"),
    ],
)
def test_a_line_that_cannot_be_played_is_named_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "mine"
    path.write_text(text)
    with pytest.raises(InvalidOpening, match=message):
        load_openings(path)


def test_all_starts_of_chess960_are_there_and_come_back_from_a_file(tmp_path: Path) -> None:
    openings = chess960_starts()
    assert {opening.board().fen() for opening in openings} == {
        chess.Board.from_chess960_pos(number).fen() for number in range(960)
    }
    (tmp_path / "starts.pgn").write_text(openings_as_pgn(openings, "test"))
    assert load_openings(tmp_path / "starts.pgn") == openings


def test_the_usual_start_alone_comes_back_from_a_file(tmp_path: Path) -> None:
    """A run whose suite held it could not read its own openings."""
    (tmp_path / "start.epd").write_text(f"{chess.Board().epd()}\n")
    openings = load_openings(tmp_path / "start.epd")
    (tmp_path / "start.pgn").write_text(openings_as_pgn(openings, "test"))
    assert load_openings(tmp_path / "start.pgn") == openings
    assert openings[0].board() == chess.Board()


def test_starts_of_chess960_are_openings(tmp_path: Path) -> None:
    starts = [chess.Board.from_chess960_pos(number) for number in (0, 518, 959)]
    epd, pgn = tmp_path / "starts.epd", tmp_path / "starts.pgn"
    epd.write_text("".join(f"{board.epd()}\n" for board in starts))
    pgn.write_text(
        "".join(f'[Variant "Chess960"]\n[FEN "{board.shredder_fen()}"]\n\n1. e4 *\n\n' for board in starts)
    )
    for path in (epd, pgn):
        openings = load_openings(path)
        assert [opening.board().root().chess960 for opening in openings] == [True, False, True]
        assert [opening.board().root() for opening in openings] == starts
