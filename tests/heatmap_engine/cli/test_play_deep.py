"""`play` in deep mode, and against a level."""

import io
import os
import re
import signal
import threading
from pathlib import Path
from random import Random

import chess
import pytest
from click.testing import CliRunner
from endgame_tables import PAWN, SYZYGY
from rich.console import Console

from games.chess.archive import Archive
from games.chess.journal import learned_games
from heatmap_engine.cli.opponents import TerminalOpponent
from heatmap_engine.cli.play import command
from heatmap_engine.cli.terminal_game import TerminalGame
from heatmap_engine.deep.levels import elo_range
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.opponents import Opponent, Reply, full_opponent, limited_opponent
from heatmap_engine.limits import LIMITED_PACING, Limits
from heatmap_engine.stop import Stop
from qtable import QTable

LOWEST, HIGHEST = elo_range()


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own data, which must not be that of whoever runs the tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "heatmap-engine"


def output_of(typed: list[str], *options: str, exit_code: int = 0) -> str:
    result = CliRunner().invoke(command, [*options], input="".join(f"{line}\n" for line in typed))
    assert result.exit_code == exit_code, result.output
    return result.output


def test_the_deep_search_answers_unless_another_is_asked_for() -> None:
    output = output_of(["e4", "hint"], "--depth", "4")
    assert output.startswith("You play against the engine at full strength, in mode deep\n")
    assert re.search(r"Heatmap Engine: 1\.\.\.\S+  \(score [+-]?\d+\)", output)
    assert re.search(r"hint: \S+, expecting 2\. .* \(score [+-]?\d+\)", output)
    for words in (["--mode", "classic"], ["--plies", "1"], ["--tactical", "2"]):
        assert output_of([], *words).startswith(
            "You play against the engine at full strength, in mode classic\n"
        )


def test_the_table_that_is_named_decides_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "classic.table"
    with Engine(path, mode="classic", plies=1, tactical_plies=0) as engine:
        engine.pick_move("startpos")
    assert "in mode classic\n" in output_of([], "--table", str(path))
    refused = CliRunner().invoke(command, ["--table", str(path), "--mode", "deep"])
    assert str(refused.exception) == f"{path} is a table of mode classic, but --mode deep was given"
    assert "--elo works only with --mode deep" in output_of(
        [], "--table", str(path), "--elo", str(LOWEST), exit_code=2
    )


def test_a_level_is_shown_plays_at_once_and_stands_in_the_record(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    output = output_of(["e4", "d4"], "--elo", str(LOWEST), "--seed", "1", "--pgn", str(path))
    assert f"You play against the engine at about {LOWEST} Elo" in output
    (record,) = Archive(path)
    assert record.black == f"Heatmap Engine ({LOWEST})"
    assert {*record.settings} == {"mode", "weights", "elo"}
    assert len(record.moves) == 4


def test_the_same_seed_and_level_play_the_same_game(tmp_path: Path) -> None:
    def moves(name: str) -> tuple[str, ...]:
        path = tmp_path / name
        output_of(["a3", "b3", "c3"], "--elo", str(LOWEST), "--seed", "4", "--pgn", str(path))
        (record,) = Archive(path)
        return record.moves

    assert moves("one.pgn") == moves("two.pgn")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--elo", str(HIGHEST + 1)], f"{LOWEST}<=x<={HIGHEST}"),
        (
            ["--elo", str(LOWEST), "--mode", "classic"],
            "--elo works only with --mode deep, and the mode is classic",
        ),
        (
            ["--tactical", "2", "--mode", "deep"],
            "--tactical works only with --mode classic, and the mode is deep",
        ),
        (["--plies", "0"], "0 is not in the range x>=1"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(options: list[str], message: str) -> None:
    assert message in output_of([], *options, exit_code=2)


def test_a_mate_is_seen_in_words() -> None:
    output = output_of(["hint", "Ra8"], "--fen", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "--depth", "3")
    assert "(score White mates in 1)" in output
    assert "1-0, checkmate" in output


def test_a_finished_game_is_learned_into_the_deep_table(data: Path) -> None:
    output = output_of(["Ra8"], "--fen", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "--learn", "--elo", str(LOWEST))
    assert "Learned from the game" in output
    with QTable(data / "default.deep.table", readonly=True) as table:
        (game,) = learned_games(table.journal())
    assert game.record.result == "1-0"


def test_a_hint_is_at_full_strength_whatever_the_level() -> None:
    """A level's hint was what that level would play: with this seed another move than the best one."""
    options = [
        "--fen",
        "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3",
        "--colour",
        "black",
    ]
    hints = {
        re.findall("^hint: .*$", output_of(["hint"], *options, "--nodes", "20000", *level), re.MULTILINE)[0]
        for level in ([], *(["--elo", str(LOWEST), "--seed", str(seed)] for seed in range(4)))
    }
    assert len(hints) == 1


class _AtOnce:
    """An opponent who has its answer at once, and seems to think for a year."""

    def plan(self, board: chess.Board, limits: Limits, stop: Stop) -> Reply:
        move = next(iter(board.legal_moves))
        return Reply(move, (move,), 0.0, None)

    def opponent(self) -> TerminalOpponent:
        one = Opponent(
            "It", "at once", self.plan, self.plan, lambda board, move, limits: 1e7, {}, LIMITED_PACING
        )
        return TerminalOpponent(one, Engine(record="off"), Limits())


def test_a_pause_ends_with_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    press = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    game = TerminalGame(Console(), _AtOnce().opponent(), chess.Board(), chess.BLACK, pauses=True)
    press.start()
    game.play()
    press.join()
    assert "It: 1. Nh3" in capsys.readouterr().out


def test_nobody_waits_where_no_person_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    TerminalGame(Console(), _AtOnce().opponent(), chess.Board(), chess.BLACK).play()
    assert "It: 1. Nh3" in capsys.readouterr().out


def test_a_level_takes_its_time_and_full_strength_thinks_instead() -> None:
    board, limits = chess.Board(), Limits(seconds=1.0)
    with Engine(record="off") as engine:
        level, full = limited_opponent(engine, LOWEST, Random(1)), full_opponent(engine)
        move = chess.Move.from_uci("e2e4")
        assert 0.1 < level.seems_to_think_s(board, move, limits) < 1.0
        assert level.seems_to_think_s(board, move, limits) == level.seems_to_think_s(board, move, limits)
        assert full.seems_to_think_s(board, move, limits) == 0.0
        assert level.seems_to_think_s(board, move, Limits(seconds=0.01)) < 0.01


def test_endgame_tables_play_along_and_must_be_there() -> None:
    output = output_of([], "--fen", PAWN, "--colour", "black", "--syzygy", str(SYZYGY), "--depth", "2")
    assert "Ke3  (score +20000)" in output
    refused = CliRunner().invoke(command, ["--syzygy", "/nowhere"])
    assert "expected folders with Syzygy tables" in str(refused.exception)
