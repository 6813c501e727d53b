import dataclasses
import io
import pickle
from typing import Any

import chess
import chess.pgn
import pytest
from game_strategies import boards, records
from hypothesis import given

from games.chess.errors import InvalidGame
from games.chess.parsing import parse_game
from games.chess.record import GameRecord

SCHOLARS_MATE = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")


@given(records())
def test_json_gives_the_same_record_back_on_one_line(record: GameRecord) -> None:
    line = record.to_json()
    again = GameRecord.from_json(line)
    assert line.splitlines() == [line]
    assert (again, again.game_id, again.to_json()) == (record, record.game_id, line)
    types = {name: type(value) for name, value in record.settings.items()}
    assert {name: type(value) for name, value in again.settings.items()} == types


@given(records())
def test_pgn_read_by_python_chess_gives_the_same_record_back(record: GameRecord) -> None:
    game = chess.pgn.read_game(io.StringIO(record.to_pgn()))
    assert game is not None
    assert not game.errors
    assert GameRecord.from_game(game) == _as_read(record)
    assert GameRecord.from_game(record.to_game()) == _as_read(record)


@given(records(min_plies=1))
def test_pgn_read_by_ourselves_gives_the_same_record_back(record: GameRecord) -> None:
    assert parse_game(record.to_pgn(), details=True) == _as_read(record)


def _as_read(record: GameRecord) -> GameRecord:
    """PGN does not tell a game without comments or marks from one whose comments and marks are all empty."""
    comments = record.comments if any(record.comments) else ()
    marks = record.marks if any(record.marks) else ()
    return dataclasses.replace(record, comments=comments, marks=marks)


@given(boards())
def test_a_board_comes_back_with_its_history(board: chess.Board) -> None:
    record = GameRecord.from_board(board)
    assert record.board() == board
    assert record.board(check=False).move_stack == board.move_stack
    assert record.result == board.result()


def test_ids_are_stable_over_releases() -> None:
    assert GameRecord(SCHOLARS_MATE, "1-0").game_id == "0db477d9eb1730a7820fb9ff394763a7"
    assert (
        GameRecord(("e1e2",), start="4k3/8/8/8/8/8/8/4K3 w - - 0 1").game_id
        == "299428b99088e91b60161e080f4c9f4f"
    )
    assert GameRecord(SCHOLARS_MATE, "1-0", run="a", round="7").game_id == "1bbce81c483b0affc009087c5dfc3f02"


def test_the_same_game_from_another_collection_has_the_same_id() -> None:
    one = GameRecord(SCHOLARS_MATE, "1-0", white="Kasparov, G.", date="1997.??.??", settings={"plies": 2})
    assert one.game_id == GameRecord(SCHOLARS_MATE, "1-0", white="Garry Kasparov", round="3").game_id


def test_equal_games_of_one_run_are_told_apart_by_their_round() -> None:
    games = [GameRecord(SCHOLARS_MATE, "1-0", run=run, round=number) for run in "ab" for number in "12"]
    assert len({game.game_id for game in games}) == 4


def test_start_moves_and_result_each_change_the_id() -> None:
    second_move = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2"
    games = [
        GameRecord(SCHOLARS_MATE, "1-0"),
        GameRecord(SCHOLARS_MATE, "*"),
        GameRecord(SCHOLARS_MATE[:-1], "1-0"),
        GameRecord(SCHOLARS_MATE, "1-0", start=second_move),
    ]
    assert len({game.game_id for game in games}) == 4


def test_the_standard_start_is_none_and_other_starts_are_canonical() -> None:
    assert GameRecord((), start=chess.STARTING_FEN).start is None
    after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    assert GameRecord((), start=after_e4).start == after_e4.replace("e3", "-")


def test_a_game_of_chess960_names_castling_as_king_takes_rook() -> None:
    start = "rnbqkbrn/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBRN w KQkq - 0 1"
    board = chess.Board(start, chess960=True)
    for san in ("e4", "e5", "Bc4", "Bc5", "O-O", "O-O"):
        board.push_san(san)
    record = GameRecord.from_board(board)
    assert record.moves[-2:] == ("e1g1", "e8g8")
    assert (record.start, record.board(), record.board().chess960) == (start, board, True)
    assert GameRecord(record.moves, start=start.replace("KQkq", "GAga")) == record
    pgn = record.to_pgn()
    assert '[Variant "Chess960"]\n[SetUp "1"]\n[FEN "rnbqkbrn/' in pgn
    assert "3. O-O O-O" in pgn
    for text in (pgn, pgn.replace('[Variant "Chess960"]\n', ""), pgn.replace("KQkq", "GAga")):
        assert parse_game(text, details=True) == record


def test_a_game_of_chess_that_was_played_as_chess960_is_the_same_game() -> None:
    boards = [chess.Board(), chess.Board(chess960=True)]
    for board in boards:
        for san in ("e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5", "O-O"):
            board.push_san(san)
    one, other = map(GameRecord.from_board, boards)
    assert (one, one.game_id) == (other, other.game_id)
    pgn = one.to_pgn()
    assert "Variant" not in pgn
    start = f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{chess.STARTING_FEN}"]\n'
    assert parse_game(start + pgn, details=True) == one
    game = chess.pgn.read_game(io.StringIO(start + pgn))
    assert game is not None
    assert game.board().chess960
    assert GameRecord.from_game(game) == one


def test_the_board_says_how_the_game_ended() -> None:
    record = GameRecord.from_board(GameRecord(SCHOLARS_MATE).board())
    assert (record.result, record.termination) == ("1-0", "checkmate")


@pytest.mark.parametrize(
    ("termination", "result", "expected"),
    [
        ("checkmate", "1-0", True),
        ("Normal", "0-1", True),
        ("adjudication", "1/2-1/2", True),
        ("DeathStar won by resignation", "1-0", True),
        ("stalemate", "1/2-1/2", True),
        ("", "1-0", True),
        ("", "*", False),
        ("Time forfeit", "1-0", False),
        ("abandoned", "0-1", False),
        ("anna won on time", "1-0", False),
        ("Rules infraction", "1-0", False),
        ("stalled connection", "1-0", False),
        ("game abandonment", "1-0", False),
        ("no-show", "1-0", False),
        ("Black forfeits by disconnection", "1-0", False),
        ("adjudication: limit of plies", "1/2-1/2", False),
    ],
)
def test_a_loss_on_time_or_a_broken_connection_does_not_judge_the_position(
    termination: str, result: str, expected: bool
) -> None:
    assert GameRecord(SCHOLARS_MATE[:4], result, termination).judges_position is expected


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"result": "2-0"}, "expected a result"),
        ({"moves": ("e4",)}, "expected a move like e2e4"),
        ({"moves": ("0000",)}, "expected a move like e2e4"),
        ({"comments": ("one", "two")}, "expected 1 comments or none"),
        ({"comments": ("a } b",)}, "without braces"),
        ({"marks": ("?", "!")}, "expected 1 marks or none"),
        ({"marks": ("bad",)}, "expected marks of ! "),
        ({"white": "two\nlines"}, "expected White to be text on one line"),
        ({"black": "\ud800"}, "expected Black"),
        ({"tags": {"White": "x"}}, "not a field of the record"),
        ({"tags": {"no space": "x"}}, "not a field of the record"),
        ({"settings": {"plies": [2]}}, "plain value"),
        ({"settings": {"epsilon": float("nan")}}, "finite"),
        ({"start": "nonsense"}, "expected a FEN"),
        ({"start": "8/8/8/8/8/8/8/8 w - - 0 1"}, "expected a legal position"),
    ],
)
def test_what_no_game_can_be_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidGame, match=message):
        GameRecord(**{"moves": ("e2e4",), **fields})


def test_an_illegal_move_is_named_when_the_board_is_made() -> None:
    with pytest.raises(InvalidGame, match="ply 2: e2e4 is not legal"):
        GameRecord(("e2e4", "e2e4")).board()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version":2,"moves":""}',
        '{"version":1}',
        '{"version":1,"moves":5}',
        '{"version":1,"moves":"e2e4","start":5}',
        '{"version":1,"moves":"e2e4","tags":"x"}',
        '{"version":1,"moves":"e2e4","comments":[1]}',
        '{"version":1,"moves":"e2e4","marks":[[1]]}',
        '{"version":1,"moves":"e2e4","colour":"red"}',
        '{"version":1,"moves":"e2e4","settings":{"a":NaN}}',
        "[" * 100_000,
    ],
)
def test_json_of_something_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidGame):
        GameRecord.from_json(text)


def test_games_with_errors_variants_and_null_moves_make_no_record() -> None:
    broken = chess.pgn.Game()
    broken.errors.append(ValueError("illegal san"))
    null_move = chess.pgn.Game()
    null_move.add_variation(chess.Move.null())
    variant = chess.pgn.Game({"Variant": "Atomic"})
    for game in (broken, null_move, variant):
        with pytest.raises(InvalidGame):
            GameRecord.from_game(game)


@given(records())
def test_records_cross_processes_and_can_be_in_sets(record: GameRecord) -> None:
    assert {pickle.loads(pickle.dumps(record))} == {record}


def test_the_roster_comes_first_and_in_order() -> None:
    record = GameRecord(
        SCHOLARS_MATE, "1-0", "checkmate", run="r", tags={"ECO": "C20"}, settings={"plies": 2}
    )
    tags = [line.split()[0][1:] for line in record.to_pgn().splitlines() if line.startswith("[")]
    assert tags[:7] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    assert tags[7:] == ["Termination", "Run", "GameId", "Settings", "ECO"]


@given(boards())
def test_lines_of_moves_are_short_enough_for_every_reader(board: chess.Board) -> None:
    record = GameRecord.from_board(board)
    moves = record.to_pgn().split("\n\n", 1)[1]
    assert moves.endswith(f"{record.result}\n\n")
    assert all(len(line) <= 80 for line in moves.splitlines())
