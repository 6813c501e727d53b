"""Wrong input is refused in words; no input crashes, hangs or gets a number for nonsense."""

import contextlib

import chess
import chess.variant
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import STARTS

import heatmap_engine as he
from heatmap_engine.board.perft import perft_divide
from heatmap_engine.board.reading import as_board


@pytest.mark.parametrize(
    ("board", "words"),
    [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "the board is empty"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has no king"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "more than one king"),
        ("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1", "the side not to move is in check"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn on the first or last rank"),
        ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "castling right"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en passant"),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has more than eight pawns"),
        ("4k3/8/8/8/8/QQQQQQQQ/QQQQQQQQ/4K3 w - - 0 1", "White has more than sixteen pieces"),
        ("4k3/8/3N1N2/8/4R3/8/8/4K3 b - - 0 1", "check from more pieces than"),
        ("", "'startpos'"),
        ("hello", "'startpos'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "turn part"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1", "expected 8"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 -7", "fullmove"),
    ],
)
def test_faults_in_words(board: str, words: str) -> None:
    with pytest.raises(he.InvalidPosition) as raised:
        he.score(board)
    assert words in str(raised.value)
    assert board in str(raised.value)
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize(
    "board",
    [
        None,
        7,
        b"startpos",
        object(),
        chess.BaseBoard(),
        chess.variant.AtomicBoard(),
        chess.variant.CrazyhouseBoard(),
    ],
    ids=lambda board: type(board).__name__,
)
def test_other_things_than_boards_are_refused(board: chess.Board) -> None:
    for question in (he.score, he.heatmap, he.heatmap_by_piece, he.explain, lambda b: he.perft(b, 1)):
        with pytest.raises(he.InvalidPosition, match="standard chess"):
            question(board)
    with pytest.raises(he.InvalidPosition, match="board 1: "):
        he.score_many(["startpos", board])


@pytest.mark.parametrize("rights", ["KQkq", "GBgb"])
def test_a_text_is_chess960_where_its_castling_is_possible_there_only(rights: str) -> None:
    fen = f"1rk3r1/8/8/8/8/8/8/1RK3R1 w {rights} - 0 1"
    board = as_board(fen)
    assert board.chess960
    assert board.fen() == "1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1"
    assert "c1b1" in perft_divide(fen, 1)
    assert "c1g1" not in perft_divide(fen, 1)  # where the rook is gone, the king would stand in check
    assert as_board(f"1rk3r1/8/8/8/8/8/8/1RK3R1 w {rights} - hmvc 3;").chess960
    assert not as_board("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1").chess960
    with pytest.raises(he.InvalidPosition, match="castling right"):
        as_board("2k3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1")  # Black has one rook


def test_a_board_says_itself_whether_it_is_chess960() -> None:
    fen = "1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1"
    assert he.perft(chess.Board(fen, chess960=True), 1) == he.perft(fen, 1)
    with pytest.raises(he.InvalidPosition, match="chess960=True") as raised:
        he.perft(chess.Board(fen), 1)
    assert fen.split()[0] in str(raised.value)
    names = perft_divide(chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", chess960=True), 1).keys()
    assert {"e1h1", "e1a1"} < names
    assert {"e1g1", "e1c1"} & names == set()


@pytest.mark.parametrize(
    "fen",
    [
        "1rk3r1/8/8/8/8/8/2K5/1R4R1 w GBgb - 0 1",  # the king has left
        "1rk3r1/8/8/8/8/8/8/2K3R1 w GBgb - 0 1",  # no rook on b1
        "1rk3r1/8/8/8/8/8/8/1bK3R1 w GBgb - 0 1",
        "1rk3r1/8/8/8/8/8/8/1rK3R1 w GBgb - 0 1",  # not White's rook
    ],
)
def test_castling_rights_that_no_game_of_chess960_leaves_are_refused(fen: str) -> None:
    with pytest.raises(he.InvalidPosition, match="castling right"):
        he.perft(chess.Board(fen, chess960=True), 1)


def test_no_two_rooks_on_one_side_may_castle() -> None:
    board = chess.Board("1rk3rr/8/8/8/8/8/8/1RK3RR w HBgb - 0 1", chess960=True)
    board.castling_rights |= chess.BB_G1
    with pytest.raises(he.InvalidPosition, match="castling right"):
        he.perft(board, 1)


@pytest.mark.parametrize("depth", [-1, 33, 10**30, 1.0, "1", None, True, float("nan")])
def test_wrong_depths(depth: int) -> None:
    for question in (he.score, he.heatmap, he.heatmap_by_piece, he.explain, he.perft):
        with pytest.raises(he.InvalidPosition, match="depth must be an int from 0 to 32") as raised:
            question(chess.Board(), depth)
        assert chess.STARTING_FEN in str(raised.value)
    with pytest.raises(he.InvalidPosition, match="depth must be an int"):
        he.score_many([], depth)


@pytest.mark.parametrize("threads", [0, -1, 1.5, None, True])
def test_wrong_threads(threads: int) -> None:
    with pytest.raises(he.InvalidPosition, match="threads must be an int of at least 1"):
        he.score_many(["startpos"], threads=threads)


@pytest.mark.parametrize(
    ("move", "box", "mate"),
    [
        (((float("nan"),) * 6,), ((1,) * 6,), 64),
        (((1,) * 6,), ((float("inf"),) * 6,), 64),
        (((1,) * 6,), ((1,) * 5,), 64),
        (((1,) * 6,) * 40, ((1,) * 6,), 64),
        ((), ((1,) * 6,), 64),
        ("letter", ((1,) * 6,), 64),
        (((1,) * 6,), ((1,) * 6,), float("nan")),
        (((1,) * 6,), ((1,) * 6,), -1),
        (((1,) * 6,), ((1,) * 6,), "mate"),
        (None, ((1,) * 6,), 64),
    ],
)
def test_wrong_weights(move: object, box: object, mate: float) -> None:
    with pytest.raises(he.InvalidPosition, match="weights 'wrong'"):
        he.Weights("wrong", move=move, box=box, mate=mate)  # type: ignore[arg-type] # that is the point


@pytest.mark.parametrize("size", [1e10, 1e308, 10**400])
def test_weights_too_large_to_add_up_are_refused(size: float) -> None:
    # Weights of 1e308 were taken and gave NaN; an int of 400 digits ended in an OverflowError.
    for rows in ({"move": ((size,) * 6,)}, {"box": ((-size,) * 6,)}, {"mate": size}):
        arguments = {"move": ((1,) * 6,), "box": ((1,) * 6,), **rows}
        with pytest.raises(he.InvalidPosition, match="weights 'wrong'"):
            he.Weights("wrong", **arguments)  # type: ignore[arg-type] # that is the point


def test_depth_too_long_to_write_out_is_refused() -> None:
    # The message could not be made: Python writes out no int of more than 4,300 digits.
    with pytest.raises(he.InvalidPosition, match="depth must be an int"):
        he.score("startpos", 10**5000)


@pytest.mark.parametrize(
    ("name", "value"),
    [("turn", 2), ("turn", None), ("turn", "w"), ("halfmove_clock", 1.5), ("ep_square", 40.5)],
)
def test_values_of_the_wrong_type_are_refused(name: str, value: object) -> None:
    # They were rounded or taken for Black to move, and a score came back.
    board = chess.Board()
    setattr(board, name, value)
    with pytest.raises(he.InvalidPosition, match="no chess board has"):
        he.score(board)


@pytest.mark.parametrize("boards", [None, chess.Board(), 7], ids=["None", "one board", "number"])
def test_one_board_instead_of_many_is_refused(boards: object) -> None:
    with pytest.raises(he.InvalidPosition, match="expected many boards"):
        he.score_many(boards)  # type: ignore[arg-type] # that is the point


def test_number_of_the_wrong_board_is_named_in_threads_too() -> None:
    with pytest.raises(he.InvalidPosition, match="board 1500: "):
        he.score_many(["startpos"] * 1500 + ["wrong"], threads=2)


def test_weights_of_another_type_are_refused() -> None:
    with pytest.raises(he.InvalidPosition, match="weights must be"):
        he.score("startpos", 1, "cmhm2")  # type: ignore[arg-type] # that is the point


def test_epd_and_partial_fens_are_understood() -> None:
    after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    assert he.score(after_e4) == 10.0
    assert he.score(after_e4 + ' bm e5; id "one";') == 10.0
    assert he.score(f"  {after_e4} 0 1\n") == 10.0
    assert he.score("startpos") == 0.0


def test_boards_with_contradictory_sets_are_refused() -> None:
    board = chess.Board()
    board.pawns |= chess.BB_E1
    with pytest.raises(he.InvalidPosition, match="contradict"):
        he.score(board)
    for value in (-1, 1 << 64, None, "men"):
        board = chess.Board()
        board.queens = value  # type: ignore[assignment] # that is the point
        with pytest.raises(he.InvalidPosition, match="no chess board has"):
            he.score(board)


def test_fifteen_queens_have_room_for_their_moves() -> None:
    # No game reaches this, but python-chess calls it valid: 15 queens, more than the 218 moves of a game.
    fen = "1Q5Q/Q3QQ2/2Q4Q/Q7/6Q1/1Q1Q4/5Qpp/QKQ1Q1bk w - - 0 1"
    board = chess.Board(fen)
    assert board.is_valid(), board.status()
    assert he.perft(board, 1) == board.legal_moves.count() > 218


def ask_everything(board: object) -> None:
    for question in (
        he.score,
        he.heatmap,
        he.explain,
        lambda b: he.perft(b, 1),
        lambda b: he.score_many([b]),
    ):
        with contextlib.suppress(he.InvalidPosition):  # any other exception, a crash or a hang is a fault
            question(board)  # type: ignore[operator] # what comes in is arbitrary


@settings(max_examples=500)
@given(st.text())
@example("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 99999999999999999999999")
@example("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 99999999999999999999999 1")
@example("\x00")
@example("8/8/8/8/8/8/8/8 w - - ²")
@example("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm")
@example("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm Zz9;")
@example("k" * 1_000_000)
def test_arbitrary_text_is_answered_or_refused(text: str) -> None:
    ask_everything(text)


@settings(max_examples=1000)
@given(st.data())
def test_damaged_fens_are_answered_or_refused(data: st.DataObject) -> None:
    fen = list(data.draw(st.sampled_from(STARTS)))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(fen) - 1))
        fen[place] = data.draw(st.sampled_from('kqrbnpKQRBNP12345678/wb- e3KQ0x;"'))
    ask_everything("".join(fen))


@settings(max_examples=500)
@given(st.data())
def test_boards_with_arbitrary_sets_are_answered_or_refused(data: st.DataObject) -> None:
    board = chess.Board()
    names = ["pawns", "knights", "bishops", "rooks", "queens", "kings", "occupied", "castling_rights"]
    for name in data.draw(st.lists(st.sampled_from(names), max_size=3)):
        setattr(board, name, data.draw(st.integers(0, 2**64 - 1)))
    board.occupied_co[data.draw(st.booleans())] ^= data.draw(st.sampled_from([0, 1, 2**63, 2**40]))
    board.ep_square = data.draw(st.none() | st.integers(-5, 300))
    board.halfmove_clock = data.draw(st.integers(-5, 2**70))
    ask_everything(board)
