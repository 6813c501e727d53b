"""Endgame tables: what they say of a root, with the clock of fifty moves, and what is wrong with files."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import chess
import pytest
from endgame_tables import PAWN, PAWN_DRAWN, ROOK, ROOK_LOST, SYZYGY, with_clock

from heatmap_engine.board.ends import terminal
from heatmap_engine.board.tablebases import Ruling, Standing, Tablebases
from heatmap_engine.errors import InvalidSettings, InvalidTablebase

START_IN_CHECK_OF_TIME = with_clock(ROOK, 77)  # 21 plies to the mate, and one that may be hidden: just enough


@pytest.fixture(scope="module")
def tables() -> Iterator[Tablebases]:
    tables = Tablebases.open(str(SYZYGY))
    yield tables
    tables.close()


def ruling(tables: Tablebases, board: str | chess.Board, *names: str) -> Ruling:
    board = chess.Board(board) if isinstance(board, str) else board
    found = tables.ruling(board, [chess.Move.from_uci(name) for name in names])
    assert found is not None
    return found


def names(found: Ruling) -> set[str]:
    return {move.uci() for move in found.moves}


@pytest.mark.parametrize(
    ("dtz", "clock", "standing"),
    [
        (1, 0, Standing.WON),
        (99, 0, Standing.WON),
        (100, 0, Standing.CURSED),  # it may be 101
        (22, 77, Standing.WON),
        (22, 78, Standing.CURSED),
        (101, 0, Standing.CURSED),
        (0, 99, Standing.DRAWN),
        (-22, 78, Standing.LOST),
        (-22, 79, Standing.BLESSED),
        (-101, 0, Standing.BLESSED),
    ],
)
def test_the_clock_decides_between_a_win_and_a_draw_and_in_doubt_the_worse_is_said(
    dtz: int, clock: int, standing: Standing
) -> None:
    assert Standing.of(dtz, clock) == standing


def test_only_moves_that_keep_the_result_are_kept(tables: Tablebases) -> None:
    won = ruling(tables, PAWN)
    assert (won.standing, names(won)) == (Standing.WON, {"d3e3"})
    assert {standing for _, standing in won.others} == {Standing.DRAWN}
    drawn = ruling(tables, PAWN_DRAWN)
    assert (drawn.standing, names(drawn)) == (Standing.DRAWN, {"e5d5"})
    assert {standing for _, standing in drawn.others} == {Standing.LOST}
    lost = ruling(tables, ROOK_LOST)
    assert (lost.standing, len(lost.moves), lost.others) == (Standing.LOST, 3, ())


def test_a_promotion_that_stalemates_or_gives_too_little_is_not_kept(tables: Tablebases) -> None:
    assert names(ruling(tables, "8/4P3/3k4/8/8/8/4K3/8 w - - 0 1")) == {"e7e8q", "e7e8r"}
    assert names(ruling(tables, "8/k1P5/8/K7/8/8/8/8 w - - 0 1")) == {"c7c8r"}  # a queen stalemates


def test_late_in_the_fifty_moves_only_the_quickest_moves_are_left(tables: Tablebases) -> None:
    """With 21 plies to go and 23 left nothing may be wasted; with fewer it is a draw, played for a win."""
    assert len(ruling(tables, ROOK).moves) == 16
    assert names(ruling(tables, START_IN_CHECK_OF_TIME)) == {"d3c3", "e2e4"}
    cursed = ruling(tables, with_clock(ROOK, 80))
    assert (cursed.standing, names(cursed)) == (Standing.CURSED, {"d3c3", "e2e4"})
    assert cursed.is_by_clock
    blessed = ruling(tables, with_clock(ROOK_LOST, 98))
    assert (blessed.standing, blessed.is_by_clock) == (Standing.BLESSED, True)


def test_a_mate_with_the_hundredth_ply_is_a_win(tables: Tablebases) -> None:
    mate = ruling(tables, "k7/8/1K6/8/8/8/8/7R w - - 99 100")
    assert (mate.standing, names(mate)) == (Standing.WON, {"h1h8"})


def test_a_third_occurrence_is_a_draw_whatever_the_tables_say(tables: Tablebases) -> None:
    board = chess.Board(ROOK)
    for name in ("e2e1", "d5d6", "e1e2", "d6d5", "e2e1", "d5d6", "e1e2"):
        board.push_uci(name)
    defence = ruling(tables, board)
    assert (defence.standing, names(defence)) == (Standing.DRAWN, {"d6d5"})


def test_who_repeats_a_won_position_must_make_progress(tables: Tablebases) -> None:
    board = chess.Board(ROOK)
    for name in ("e2e1", "d5d6", "e1e2", "d6d5"):
        board.push_uci(name)
    assert names(ruling(tables, board)) == {"d3c3", "e2e4"}


def test_of_chosen_moves_the_best_are_kept(tables: Tablebases) -> None:
    found = ruling(tables, PAWN, "e2e3", "e2e4")
    assert (found.standing, names(found)) == (Standing.DRAWN, {"e2e3", "e2e4"})


def test_whoever_is_late_still_gets_a_move_that_wins(tables: Tablebases) -> None:
    found = tables.ruling(chess.Board(ROOK), is_late=lambda: True)
    assert found is not None
    assert (found.standing, len(found.moves), found.hits) == (Standing.WON, 1, 2)


def test_hits_are_the_positions_that_were_asked_about_and_no_others(tables: Tablebases) -> None:
    """Where all is lost, or a move mates, nobody asks; these were counted too."""
    assert ruling(tables, ROOK_LOST).hits == 1
    mate = chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    assert ruling(tables, mate).hits == mate.legal_moves.count()  # with the root, and without the mate


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",  # the tables know nothing of castling
        "8/8/8/3k4/8/3K1N2/4R3/8 w - - 0 1",  # a piece too many
        "8/8/8/3k1r2/8/3K4/4R3/8 w - - 0 1",
        "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1",  # it is over
    ],
)
def test_what_the_tables_do_not_know_has_no_ruling(tables: Tablebases, fen: str) -> None:
    assert tables.ruling(chess.Board(fen)) is None


@pytest.mark.parametrize(
    ("fen", "result"),
    [
        (ROOK, "1-0"),
        (ROOK_LOST, "1-0"),
        (chess.Board(ROOK).mirror().fen(), "0-1"),
        (PAWN_DRAWN, "1/2-1/2"),
        (with_clock(ROOK, 77), "1-0"),
        (with_clock(ROOK, 79), None),  # 100 plies, or 101
        (with_clock(ROOK, 80), "1/2-1/2"),
        (chess.STARTING_FEN, None),
    ],
)
def test_the_result_is_told_where_it_is_certain(tables: Tablebases, fen: str, result: str | None) -> None:
    assert tables.result(chess.Board(fen)) == result


@pytest.mark.parametrize("fen", [PAWN, "8/8/8/8/8/3k4/8/QK6 w - - 60 90", START_IN_CHECK_OF_TIME])
def test_any_of_the_moves_that_are_kept_wins_in_the_end(tables: Tablebases, fen: str) -> None:
    """Whoever chooses among them at random wins against random defence, within the fifty moves."""
    chance, board = Random(fen), chess.Board(fen)
    while terminal(board) is None:
        kept = list(board.legal_moves) if board.turn == chess.BLACK else ruling(tables, board).moves
        board.push(chance.choice(kept))
    assert board.is_checkmate()
    assert board.turn == chess.BLACK


# What is wrong with folders and files


def test_several_folders_are_one_set(tmp_path: Path) -> None:
    for number, kind in enumerate(("rtbw", "rtbz")):
        (tmp_path / str(number)).mkdir()
        shutil.copy(SYZYGY / f"KRvK.{kind}", tmp_path / str(number))
    tables = Tablebases.open(f"{tmp_path / '0'}{os.pathsep}{tmp_path / '1'}")
    assert (len(tables), tables.most_pieces) == (1, 3)
    assert ruling(tables, ROOK).standing == Standing.WON
    assert tables.ruling(chess.Board(PAWN)) is None  # there is no table of it
    tables.close()


def test_a_folder_without_tables_is_refused_with_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("")
    shutil.copy(SYZYGY / "KRvK.rtbw", tmp_path / "half.rtbw")
    for wrong, why in [("nowhere", "No such file"), ("a file", "Not a directory"), (".", "none in it")]:
        with pytest.raises(InvalidSettings, match=rf"(?s)expected folders with Syzygy tables.*{why}"):
            Tablebases.open(str(tmp_path / wrong))
    shutil.copy(SYZYGY / "KRvK.rtbw", tmp_path)
    with pytest.raises(InvalidSettings, match="one of the two kinds is missing"):
        Tablebases.open(str(tmp_path))


@pytest.mark.parametrize("content", [b"", b"no table at all, but long enough to look like one", None])
def test_a_damaged_table_is_an_error_of_ours(tmp_path: Path, content: bytes | None) -> None:
    """None cuts a table off in the middle."""
    for kind in ("rtbw", "rtbz"):
        shutil.copy(SYZYGY / f"KRvK.{kind}", tmp_path)
    damaged = tmp_path / "KRvK.rtbz"
    damaged.write_bytes(damaged.read_bytes()[:1000] if content is None else content)
    tables = Tablebases.open(str(tmp_path))
    with pytest.raises(InvalidTablebase, match="a Syzygy table cannot be read"):
        ruling(tables, ROOK)
    tables.close()
