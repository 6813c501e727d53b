"""Keys: reversible, the same by every path and for mirror images, stable for ever."""

import chess
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import boards

import heatmap_engine as he

# The first was packed by hand from the layout in keys.pxd. Tables out there hold such keys: a change here
# is a change of the key format, and needs a migration.
GOLDEN_KEYS = {
    chess.STARTING_FEN: "_wAAAAD_AP__AAAAAAAA_1ATQQW2eadr",
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1": "_wAAEADvAP__AAAAAAAA_1ATQQW2eadr",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -": "54ASCFAtAz-RGCQAECNQkVRREDB2aXur",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3": "7wAAGADXAX7_AAAAIAAA_1ATQQXLZ5p2sA",
    "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1": "AAAAAAAAkAAAAAAAABFFug",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": "UAAgAggELAAAAIKBAAAAKkg",
    "8/8/8/3k4/8/3K4/3P4/8 w - - 0 1": "CAAAAAAAAAAACAAIAAAASg",
    "8/8/4k3/3p4/8/4K3/8/8 b - - 3 9": "AAAQAAAAAAAACAAACAAASg",
}


def same_position(one: chess.Board, other: chess.Board) -> bool:
    return one.epd(en_passant="legal") == other.epd(en_passant="legal")


def images(board: chess.Board) -> list[chess.Board]:
    """The positions that share a board's key."""
    found = [board, board.mirror()]
    if not board.castling_rights:
        found += [image.transform(chess.flip_horizontal) for image in found]
    return found


@settings(max_examples=1000)
@given(boards())
def test_key_to_position_and_back(board: chess.Board) -> None:
    key = he.key_of(board)
    assert len(key) <= 40
    assert key.isascii()
    assert he.key_of(he.board_of(key)) == key
    assert any(same_position(he.board_of(key), image) for image in images(board)), board.fen()


@settings(max_examples=500)
@given(boards())
def test_mirror_images_share_a_key_and_agree_on_the_score(board: chess.Board) -> None:
    bare = board.copy(stack=False)
    own = he.score(bare) if bare.turn else -he.score(bare)
    for image in images(bare):
        assert he.key_of(image) == he.key_of(board), image.fen()
        assert (he.score(image) if image.turn else -he.score(image)) == own, image.fen()


@settings(max_examples=500)
@given(boards(), boards())
def test_different_positions_have_different_keys(one: chess.Board, other: chess.Board) -> None:
    shared = any(same_position(one, image) for image in images(other))
    assert (he.key_of(one) == he.key_of(other)) == shared, (one.fen(), other.fen())


def test_same_key_by_every_path() -> None:
    one, other = chess.Board(), chess.Board()
    for san in ["Nf3", "Nf6", "Nc3", "Nc6"]:
        one.push_san(san)
    for san in ["Nc3", "Nc6", "Nf3", "Nf6"]:
        other.push_san(san)
    assert he.key_of(one) == he.key_of(other)
    assert he.key_of(one) == he.key_of(one.fen().replace(" 4 3", " 40 77"))


def test_castling_rights_and_en_passant_are_part_of_the_position() -> None:
    keys = {
        he.key_of(f"r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1")
        for rights in [
            "KQkq",
            "KQk",
            "KQq",
            "KQ",
            "Kkq",
            "Qkq",
            "kq",
            "Kk",
            "Qq",
            "Kq",
            "Qk",
            "K",
            "Q",
            "k",
            "q",
        ]
    }
    assert len(keys) == 15
    takes = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq"
    assert he.key_of(f"{takes} f6 0 3") != he.key_of(f"{takes} d6 0 3")
    assert he.key_of(f"{takes} f6 0 3") != he.key_of(f"{takes} - 0 3")
    nobody_takes = chess.Board()
    nobody_takes.push_san("e4")
    assert he.key_of(nobody_takes) == he.key_of("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")


def test_chess960_shares_the_keys_of_chess_where_castling_is_the_same() -> None:
    assert he.key_of(chess.Board(chess960=True)) == he.key_of("startpos")
    fens = [
        f"1rk1r1r1/8/8/8/8/8/8/1RK1R1R1 w {rights} - 0 1" for rights in ("BG", "B", "G", "E", "BE", "bg", "-")
    ]
    keys = [he.key_of(fen) for fen in fens]
    assert len(set(keys)) == len(fens)
    for key, fen in zip(keys, fens, strict=True):
        assert he.board_of(key).chess960 == (not fen.endswith("w - - 0 1"))
        assert he.key_of(he.board_of(key)) == key


def test_en_passant_that_a_pin_forbids_is_no_part_of_the_position() -> None:
    pinned = "8/8/8/8/k2Pp2Q/8/8/3K4 b -"
    assert he.key_of(f"{pinned} d3 0 1") == he.key_of(f"{pinned} - 0 1")


@pytest.mark.parametrize("fen", GOLDEN_KEYS)
def test_golden_keys(fen: str) -> None:
    assert he.key_of(fen) == GOLDEN_KEYS[fen]


@given(st.text() | st.text("ABCDEFabcdef0189-_", max_size=40))
@example("")
@example("AAAA")
@example("_wAAAAD_AP__AAAAAAAA_1ATQQW2ead_")
@example("_wAAAAD_AP__AAAAAAAA_1ATQQW2eadr" * 2)
@example("AAAAAAAAAAAA")
def test_text_that_is_no_key_is_refused(text: str) -> None:
    try:
        board = he.board_of(text)
    except he.InvalidKey as error:
        assert "position's key" in str(error) or "key of a legal position" in str(error)  # noqa: PT017
    else:
        assert he.key_of(board) == text
