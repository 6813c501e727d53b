"""The ladder: how opponents are named, what they are told, and what all of their matches together say."""

import json
import re
import subprocess
import sys
import sysconfig
from argparse import ArgumentTypeError
from pathlib import Path

import chess.engine
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from deep_ladder import foreign, text_of  # noqa: E402
from yardsticks import Yardstick  # noqa: E402

from heatmap_engine.match.scale import FittedLevel  # noqa: E402
from heatmap_engine.players.pace import Pace, TimeControl  # noqa: E402
from heatmap_engine.players.sides import XboardSide  # noqa: E402

OURS = Path(sysconfig.get_path("scripts")) / "heatmap-engine-uci"
PACE = Pace(TimeControl.parse("1+0.01"))


def test_an_opponent_is_a_name_a_rating_and_a_command_with_whatever_is_in_it() -> None:
    rated = Yardstick.parse("old-3=1090.5=/bin/old --option a=b 'c d'")
    assert rated == Yardstick("old-3", 1090.5, "/bin/old --option a=b 'c d'")
    assert rated.words == ("/bin/old", "--option", "a=b", "c d")
    assert Yardstick.parse("new==/bin/new").rating is None
    assert Yardstick.parse("toga2") == Yardstick("toga2", None, "/usr/games/toga2")
    assert Yardstick.parse("toga2=2800") == Yardstick("toga2", 2800, "/usr/games/toga2")


@pytest.mark.parametrize(
    "text", ["", "stash-30", "stash-30=3166", "stash-30=strong=/bin/x", "a=nan=x", "=1=x"]
)
def test_what_is_no_opponent_is_refused_with_what_was_expected(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="expected NAME=RATING=COMMAND"):
        Yardstick.parse(text)


@pytest.mark.parametrize("text", ["new==/bin/new", "phalanx=2400"])
def test_levels_are_measured_by_rated_engines_that_speak_uci(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="of a UCI engine"):
        Yardstick.parse_rated(text)


def test_an_opponent_is_given_the_options_that_it_has_and_no_others() -> None:
    """gnuchess has no option for threads, toga2 calls it otherwise: an unknown one would be refused."""
    side = foreign(Yardstick("ours", None, str(OURS)), PACE)
    assert side.options == {"Hash": "64", "Threads": "1"}


def test_an_engine_of_the_xboard_protocol_plays_too() -> None:
    side = foreign(Yardstick.parse("phalanx"), PACE)
    assert isinstance(side, XboardSide)
    assert side.command[0] == "/usr/games/phalanx"


def test_a_level_is_told_with_the_ends_that_it_has() -> None:
    assert text_of(FittedLevel(3200.4, 3150.0, 3250.8)) == "3200, 95 % from 3150 to 3251"
    assert text_of(FittedLevel(None, 3150.0, None)) == "at least 3150, all was won"
    assert text_of(FittedLevel(None, None, 2000.0)) == "at most 2000, all was lost"


def ladder(folder: Path, games: int, *opponents: str) -> str:
    done = ladder_process(folder, games, "--opponent", *opponents)
    assert done.returncode == 0, done.stderr
    return done.stdout


def ladder_process(folder: Path, games: int, *more: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(BENCHMARKS / "deep_ladder.py"), *more]
    settings = ["--games", str(games), "--tc", "0.2+0.01", "--dir", str(folder), "--list", "our own list"]
    return subprocess.run([*command, *settings], check=False, capture_output=True, text=True)


def test_one_level_is_fitted_to_all_matches_and_a_ladder_that_was_left_goes_on(tmp_path: Path) -> None:
    one, two = f"one=2000={OURS}", f"two=2100={OURS}"
    first = ladder(tmp_path, 2, one, two)
    assert "level on the scale of our own list by 4 games against 2000, 2100: " in first
    first_games = (tmp_path / "heatmap-one-0.2+0.01" / "games.pgn").read_text(encoding="utf-8")
    second = ladder(tmp_path, 4, one)
    assert "by 4 games against 2000: " in second
    all_games = (tmp_path / "heatmap-one-0.2+0.01" / "games.pgn").read_text(encoding="utf-8")
    assert all_games.startswith(first_games)
    assert len(re.findall(r"^\[Round", all_games, re.MULTILINE)) == 4
    lines = [
        json.loads(line) for line in (tmp_path / "ladder.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [line.get("level") for line in lines] == [2000.0, 2100.0, None, 2000.0, None]
    assert lines[2]["opponents"] == [2000.0, 2100.0]
    # What is there is fitted without any engine: this one is on no disk any more.
    gone = ladder_process(tmp_path, 400, "--fit-only", "--opponent", "one=2000=/nowhere/one")
    assert "by 4 games against 2000: " in gone.stdout, gone.stderr
    plan = json.loads((tmp_path / "heatmap-one-0.2+0.01" / "match.json").read_text(encoding="utf-8"))
    assert plan["games"] == 4


def test_what_was_never_played_cannot_be_fitted_and_leaves_no_folder(tmp_path: Path) -> None:
    done = ladder_process(tmp_path / "new", 2, "--fit-only", "--opponent", "one=2000=/nowhere/one")
    assert done.returncode == 1
    assert re.fullmatch(r"expected the folder of a match, got .*heatmap-one-.*; without .*\n", done.stderr)
    assert not (tmp_path / "new").exists()


class _Unreadable(Exception):
    pass


def test_an_engine_whose_options_cannot_be_told_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process stayed."""
    engines: list[chess.engine.SimpleEngine] = []

    def fails(engine: chess.engine.SimpleEngine, wanted: object) -> None:
        engines.append(engine)
        raise _Unreadable

    monkeypatch.setattr("deep_ladder.known_to", fails)
    with pytest.raises(_Unreadable):
        foreign(Yardstick("ours", None, str(OURS)), PACE)
    with pytest.raises(chess.engine.EngineTerminatedError):
        engines[0].ping()
