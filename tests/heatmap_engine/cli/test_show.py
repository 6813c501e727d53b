"""`show` writes the picture that was asked for, whole or not at all, and nothing else."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import chess
import console
import pytest
from click.testing import CliRunner, Result
from hostile import HOSTILE
from table_processes import in_fork

import heatmap_engine as he
from games.chess.record import GameRecord
from heatmap_engine.cli.show import command
from heatmap_engine.errors import HeatmapError
from qtable import Entry
from qtable.errors import TableError, TableMismatch, TableMissing

RUY_LOPEZ = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
PGN = (
    '[Event "One"]\n\n1. e4 e5 2. Nf3 *\n\n[Event "Two"]\n\n1. d4 Nf6 *\n\n[Event "Three"]\n\n1. e4 Ke4 *\n\n'
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pictures go; the user's own data must not be that of whoever runs the tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    return tmp_path / "out"


def show(*words: str) -> Result:
    return CliRunner().invoke(command, words)


CLASSIC = ("--mode", "classic")


def shown(name: str, *words: str) -> bytes:
    result = show(*words, "-o", name)
    assert result.exit_code == 0, result.output + str(result.exception)
    assert result.output == ""
    assert os.listdir() == [name]
    return Path(name).read_bytes()


def error_of(*words: str) -> BaseException:
    before = os.listdir()
    result = show(*words)
    assert result.exit_code == 1, result.output
    assert result.exception is not None
    assert os.listdir() == before
    return result.exception


def positions_of(page: bytes) -> list[dict[str, Any]]:
    game = re.search(rb'id="game">(.*?)</script>', page, re.DOTALL)
    assert game is not None
    positions: list[dict[str, Any]] = json.loads(game.group(1))["positions"]
    return positions


def test_svg_is_the_librarys_picture() -> None:
    board = chess.Board()
    for move in ("e4", "e5", "Nf3", "Nc6", "Bb5"):
        board.push_san(move)
    drawn = shown("a.svg", "--moves", "e4", "e5", "Nf3", "Nc6", "Bb5", "--size", "640")
    assert drawn.decode() == he.picture(board).svg


@pytest.mark.parametrize(
    ("words", "style"),
    [
        (["--side", "white"], {"side": "white"}),
        (["--flip"], {"flip": True}),
        (["--colours", "green-pink"], {"colours": "green-pink"}),
        (["--arrows", "none"], {"arrows": "none"}),
        (["--size", "300"], {"width": 300}),
    ],
    ids=str,
)
def test_options_are_the_librarys(words: list[str], style: dict[str, Any]) -> None:
    drawn = shown("a.svg", *RUY_LOPEZ.split(), *words)
    assert drawn.decode() == he.picture(RUY_LOPEZ, **{"width": 800, **style}).svg


def test_depth_is_that_of_the_heat() -> None:
    with he.Engine(mode="classic", heat_depth=2, record="off") as engine:
        expected = he.picture(engine.report(RUY_LOPEZ, candidates=True), width=800)
    for option in ("--depth", "--heat-depth"):
        assert shown("a.svg", RUY_LOPEZ, *CLASSIC, option, "2").decode() == expected.svg
        os.remove("a.svg")
    assert "2 plies ahead" in expected.svg
    assert "as the board stands" in shown("a.svg", RUY_LOPEZ, *CLASSIC, "--depth", "0").decode()


def test_heat_depth_means_the_classic_mode() -> None:
    drawn = shown("a.svg", RUY_LOPEZ, "--heat-depth", "2").decode()
    assert "2 plies ahead" in drawn
    assert ">score " in drawn


def test_every_kind_of_picture_is_what_its_name_says() -> None:
    for name, beginning in (("a.png", b"\x89PNG\r\n"), ("a.GIF", b"GIF89a"), ("a.html", b"<!doctype html>")):
        assert shown(name, "--moves", "e4", "e5").startswith(beginning)
        os.remove(name)


def test_moves_make_a_game() -> None:
    titles = [position["title"] for position in positions_of(shown("a.html", "--moves", "e4", "e5"))]
    assert titles == [
        "White to move",
        "1. e4 \N{MIDDLE DOT} Black to move",
        "1... e5 \N{MIDDLE DOT} White to move",
    ]


@pytest.fixture
def games(tmp_path: Path) -> str:
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    return str(path)


def test_game_of_a_file_is_the_first_or_the_one_that_was_named(games: str) -> None:
    assert len(positions_of(shown("a.html", games))) == 4
    os.remove("a.html")
    assert [position.get("san") for position in positions_of(shown("a.html", games, "--game", "2"))] == [
        None,
        "d4",
        "Nf6",
    ]


def test_last_position_of_a_game_is_its_picture(games: str) -> None:
    board = chess.Board()
    for move in ("d4", "Nf6"):
        board.push_san(move)
    assert shown("a.svg", games, "--game", "2").decode() == he.picture(board, width=800).svg


def test_names_in_a_game_stay_text(tmp_path: Path) -> None:
    record = GameRecord(("e2e4",), white=HOSTILE, black="<img src=x onerror=alert(1)>")
    (tmp_path / "game.pgn").write_text(record.to_pgn())
    page = shown("a.html", str(tmp_path / "game.pgn")).decode()
    assert HOSTILE not in page
    assert "<img" not in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nonsense", "-o", "a.svg"], "expected a FEN"),
        (["--moves", "e4", "Ke5", "-o", "a.svg"], "move 2: 'Ke5' is not a legal move"),
        (["8/8/8/8/8/8/8/8 w - - 0 1", "-o", "a.html"], "the board is empty"),
        (["--heat-depth", "-1", "-o", "a.svg"], "heat_depth must be an int from 0"),
        ([*CLASSIC, "--depth", "-1", "-o", "a.svg"], "heat_depth must be an int from 0"),
        (["--depth", "0", "-o", "a.svg"], "depth must be a number of at least 1, got 0"),
        ([*CLASSIC, "--depth", "33", "-o", "a.gif"], "heat_depth must be an int from 0"),
        (["--seconds", "0", "-o", "a.svg"], "--seconds must be above zero, got 0.0"),
    ],
    ids=str,
)
def test_wrong_questions_are_answered_in_words(words: list[str], message: str) -> None:
    error = error_of(*words)
    assert isinstance(error, HeatmapError)
    assert message in str(error)


def test_games_that_are_not_there_are_named(games: str) -> None:
    assert "expected at least 4 games in" in str(error_of(games, "--game", "4", "-o", "a.html"))
    assert "game 3 of" in str(error_of(games, "--game", "3", "-o", "a.html"))
    assert "none.pgn" in str(error_of("none.pgn", "-o", "a.html"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name the picture to make, as in -o heat.svg"),
        (["-o", "heat"], "expected a picture that ends in .svg, .png, .gif, .html, got 'heat'"),
        (["-o", "heat.jpg"], "expected a picture that ends in"),
        (["--game", "2", "-o", "a.svg"], "--game is for a PGN file"),
        (["game.pgn", "--moves", "e4", "-o", "a.svg"], "--moves is for a position"),
        (["--size", "99", "-o", "a.svg"], "--size"),
        (["--table", "t", "--no-table", "-o", "a.svg"], "contradict"),
        (["--line", "-o", "a.gif"], "--line makes one picture"),
        ([*CLASSIC, "--depth", "1", "--heat-depth", "1", "-o", "a.svg"], "give one of them"),
    ],
    ids=str,
)
def test_wrong_usage_writes_nothing(words: list[str], message: str) -> None:
    result = show(*words)
    assert result.exit_code == 2
    assert message in result.output
    assert os.listdir() == []


def test_file_that_is_there_is_left_alone_without_force() -> None:
    Path("a.svg").write_text("mine")
    assert "a.svg is already there and was left alone; --force" in str(error_of("-o", "a.svg"))
    assert Path("a.svg").read_text() == "mine"
    assert show("-o", "a.svg", "--force").exit_code == 0
    assert Path("a.svg").read_text().startswith("<svg")


def test_error_under_force_leaves_the_old_file() -> None:
    Path("a.svg").write_text("mine")
    assert isinstance(error_of("nonsense", "-o", "a.svg", "--force"), HeatmapError)
    assert Path("a.svg").read_text() == "mine"


def test_file_that_cannot_be_written_whole_is_not_there_at_all() -> None:
    # A limit on the size of files stops the writing in the middle, as a full disk does.
    outcome = subprocess.run(
        ["sh", "-c", 'ulimit -f 8; exec "$0" show -o a.svg', console.HEATMAP_ENGINE],
        capture_output=True,
        check=False,
    )
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(b"heatmap-engine: ")
    assert outcome.stderr.count(b"\n") == 1
    assert os.listdir() == []


def test_game_is_never_its_own_picture(tmp_path: Path) -> None:
    (tmp_path / "out" / "game.html").write_text(PGN)
    assert isinstance(error_of("game.html", "-o", "game.html", "--force"), TableError)
    assert Path("game.html").read_text() == PGN


def test_folder_that_is_not_there_is_named() -> None:
    assert "does not exist" in str(error_of("-o", "none/a.svg"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="drops its rights in a forked process")
def test_folder_that_may_not_be_written_is_said_of_the_picture() -> None:
    # The error named a hidden file, and came after a long GIF was drawn.
    error = in_fork(lambda: show("-o", "/a.gif").exception, without_rights=True)
    assert error == "/a.gif cannot be written: its folder may not be written by this user"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_devices_are_no_pictures() -> None:
    os.symlink("/dev/full", "a.svg")
    assert "is a character device, not a file" in str(error_of("-o", "a.svg", "--force"))


def test_missing_table_is_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "none.table"
    assert isinstance(error_of("--table", str(missing), "-o", "a.svg"), TableMissing)
    assert not missing.exists()


def test_values_come_from_the_table_which_stays_as_it_is(tmp_path: Path) -> None:
    table = tmp_path / "t.table"
    with he.Engine(table, mode="classic") as engine:
        assert engine.table is not None
        engine.table.record({he.key_of(chess.Board()): Entry(12.5, depth=2, source="search")})
    before = table.read_bytes()
    assert "Q-value +12.50" in shown("a.svg", "--table", str(table)).decode()
    assert table.read_bytes() == before
    assert isinstance(error_of("--table", str(table), "--heat-depth", "2", "-o", "b.svg"), TableMismatch)


def test_own_table_is_asked_if_it_is_there_and_of_this_depth(tmp_path: Path) -> None:
    own = tmp_path / "data" / "heatmap-engine" / "default.table"
    own.parent.mkdir(parents=True)
    with he.Engine(own, mode="classic") as engine:
        assert engine.table is not None
        engine.table.record({he.key_of(chess.Board()): Entry(12.5, depth=2, source="search")})
    for words, is_asked in (((), True), (("--no-table",), False), (("--depth", "2"), False)):
        assert ("Q-value" in shown("a.svg", *CLASSIC, *words).decode()) == is_asked
        os.remove("a.svg")


def test_errors_are_one_line_and_exit_code_1() -> None:
    outcome = console.run("show", "nonsense", "-o", "a.svg")
    assert outcome.returncode == 1
    assert outcome.stderr.count(b"\n") == 1
    assert console.run("show").returncode == 2
