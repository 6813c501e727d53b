"""`heatmap-engine changes`: which games, in words and as JSON."""

import json
from pathlib import Path
from typing import Any

import chess
import console
import pytest
from reported_positions import WORKED, WORKED_MOVES

from games.chess.journal import LearnedGame
from games.chess.record import GameRecord
from heatmap_engine import Engine
from heatmap_engine.deep.adopted import weights_in_use
from heatmap_engine.errors import InvalidWeights
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.limits import Limits
from heatmap_engine.user_files import weights_path
from qtable import QTable


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.table"
    with Engine(path, mode="classic") as engine:
        engine.pick_move(WORKED)
        engine.learn_game(GameRecord(WORKED_MOVES, "1-0", "checkmate", start=WORKED, run="first", round="1"))
    return path


def changes(*arguments: str, code: int = 0) -> str:
    outcome = console.run_here("changes", *arguments)
    assert outcome.code == code, outcome.errors
    return outcome.output or outcome.errors


def as_json(*arguments: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(changes(*arguments, "--json"))
    return data


def test_the_last_game_in_words_and_as_json(table: Path) -> None:
    data = as_json("--table", str(table))
    # The start was picked at before, and its first moves were recorded with it.
    assert (data["games"], data["positions"], data["known_before"], data["picks_changed"]) == (1, 3, 2, 1)
    change = data["other_picks"][0]
    assert (change["fen"], change["new_pick"], change["new_value"]) == (WORKED, "c6b6", 384.0)
    text = changes("--last-game", "--table", str(table))
    assert "another best move at 1 position\n" in text
    assert "+20.70 -> +384.00 (+363.30)  best move" in text
    assert "-> Kb6" in text
    assert f"     where the game began\n     {WORKED}\n" in text


def test_mates_of_the_deep_mode_are_said_in_moves_and_swell_no_mean(tmp_path: Path) -> None:
    path = tmp_path / "deep.table"
    start = chess.Board("7k/8/5K2/8/8/8/8/6R1 w - - 0 1")
    moves = ("f6f7", "h8h7", "g1h1")
    other = GameRecord(("e2e4", "e7e5"), "1-0", run="a run", round="2")
    with Engine(path, learning_nodes=2_000) as engine:
        for board in (start, other.board().root()):
            engine.pick_move(board, Limits(depth=1))
        engine.learn_game(GameRecord(moves, "1-0", "checkmate", start=start.fen(), run="a run", round="1"))
        engine.learn_game(other)
    data = as_json("--table", str(path), "--since", "1h")
    (mate,) = (change for change in data["greatest"] if change["fen"] == start.fen())
    assert mate["new_value"] == 30_997
    values = [abs(change["new_value"]) for change in data["greatest"]]
    assert data["mean_change"] < 5_000 < 30_000 < max(values)
    text = changes("--table", str(path), "--since", "1h")
    assert f"{mate['old_value']:+.0f} -> White mates in 2  best move" in text
    assert f"mean value change {data['mean_change']:.2f}, excluding mates\n" in text
    assert "Values are White minus Black, in centipawns (+300: odds about 10:1)." in text
    assert "3099" not in text


def test_where_nothing_was_known_there_is_nothing_to_compare(tmp_path: Path) -> None:
    path = tmp_path / "new.table"
    with Engine(path, learning_nodes=1_000) as engine:
        engine.learn_game(GameRecord(WORKED_MOVES, "1-0", "checkmate", start=WORKED))
    text = changes("--table", str(path))
    assert text == f"1 game of {path}\n3 positions, none known before: there is nothing to compare with\n"


def test_no_weights_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own weights cannot be read, and a table still tells what it has learned."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    path = tmp_path / "deep.table"
    with Engine(path, learning_nodes=1_000) as engine:
        engine.learn_game(GameRecord(("e2e4", "e7e5"), "1-0"))
    text = changes("--table", str(path))
    weights_path().mkdir(parents=True)
    (weights_path() / "in-use.json").write_text("damaged")
    with pytest.raises(InvalidWeights):
        weights_in_use()
    assert changes("--table", str(path)) == text


def test_each_mode_has_a_table_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    own = tmp_path / "heatmap-engine" / "default.deep.table"
    own.parent.mkdir()
    with Engine(own, learning_nodes=1_000) as engine:
        engine.learn_game(GameRecord(WORKED_MOVES, "1-0", "checkmate", start=WORKED))
    assert as_json()["table"] == as_json("--mode", "deep")["table"] == str(own)
    assert "there is no table yet at" in changes("--mode", "classic", code=1)
    refused = changes("--mode", "classic", "--table", str(own), code=1)
    assert f"{own} is a table of mode deep, but --mode classic was given" in refused


@pytest.mark.parametrize(
    ("since", "games"), [("1h", 1), ("2000-01-01", 1), ("2d", 1), ("2999-01-01T12:00", 0)]
)
def test_since(table: Path, since: str, games: int) -> None:
    assert as_json("--table", str(table), "--since", since)["games"] == games


def test_a_run_decides_the_mode(table: Path, tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", RunConfig(run="first", table=str(table), games=1), ())
    assert "White minus Black, in heat units" in changes("--run", str(tmp_path / "run"))
    refused = changes("--run", str(tmp_path / "run"), "--mode", "deep", code=1)
    assert f"{table} is a table of mode classic, but --mode deep was given" in refused


def test_a_run_is_known_by_its_folder(table: Path, tmp_path: Path) -> None:
    for run, games in (("first", 1), ("second", 0)):
        RunFolder.create(tmp_path / run, RunConfig(run=run, table=str(table), games=1), ())
        assert as_json("--run", str(tmp_path / run))["games"] == games


def test_games_from_before_there_were_steps_are_said_to_be(table: Path) -> None:
    old = LearnedGame(GameRecord(("e2e4", "e7e5"), "1-0"), added=2_000_000_000)
    with QTable(table) as opened:
        opened.record({}, [old.to_line()])
    text = changes("--table", str(table))
    assert "learned before the journal said what changes; heatmap-engine learn --rebuild" in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--since", "yesterday"], 2, "expected a date such as"),
        (["--since", "1h", "--last-game"], 2, "exclude each other"),
        (["--table", "missing.table"], 1, "there is no table at"),
        (["--run", "."], 1, "expected the folder of a run"),
        ([], 1, "there is no table yet at"),
    ],
)
def test_bad_input(
    arguments: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert message in changes(*arguments, code=code)
    assert list(tmp_path.iterdir()) == []
