"""A game in a chess GUI, and then the commands that ask what was learned of it: no option is needed."""

import json
from pathlib import Path
from typing import Any

import console
import jsonschema
from uci_dialogue import move_of, process

from heatmap_engine.board.keys import key_of
from heatmap_engine.learning.spool import Spool
from heatmap_engine.reports.report_data import schema
from qtable import QTable

# Before 2... Qh4, the fool's mate; the engine has Black and finds it.
FOOLS = ("f2f3", "e7e5", "g2g4")
MOST_STARTS = 20


def played_in_a_gui(home: Path) -> Path:
    """The table that the engine has learned the game into, as a GUI starts it: without any option."""
    table = home / "heatmap-engine" / "default.deep.table"
    with process(home=home) as (gui, _):
        gui.ask("uci", "ucinewgame")
        assert move_of(gui.go(f"position startpos moves {' '.join(FOOLS)}", "go depth 4")) == "d8h4"
        gui.send("quit")
    for _ in range(MOST_STARTS):  # a game that was not learned within a moment of the end waits for a start
        if not Spool(table).games(lambda complaint: None):
            break
        with process(home=home) as (gui, _):
            gui.ask("uci")
    return table


def asked(home: Path, *words: str) -> str:
    outcome = console.run(*words, XDG_DATA_HOME=str(home))
    assert (outcome.returncode, outcome.stderr) == (0, b""), words
    return outcome.stdout.decode()


def as_json(home: Path, *words: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(asked(home, *words, "--json"))
    return data


def test_query_changes_and_why_tell_of_a_game_in_a_gui(tmp_path: Path) -> None:
    table = played_in_a_gui(tmp_path)
    with QTable(table, readonly=True) as opened:
        assert opened.check() == []
        start = opened.get(key_of("startpos"))
    assert start is not None
    assert (start.wins, start.draws, start.losses) == (0, 0, 1)

    known = as_json(tmp_path, "query", "--moves", "f3", "e5", "g4")
    jsonschema.validate(known, schema())
    assert (known["mode"], known["table"], known["state"]) == ("deep", str(table), "known")
    assert (known["best"], known["mate_in"], known["wins"]) == ("d8h4", 1, 1)
    assert as_json(tmp_path, "query")["losses"] == 1
    text = asked(tmp_path, "query", "--moves", "f3", "e5", "g4")
    assert "q Black mates in 1 " in text
    assert f"known: 1 of 30 moves are in {table}" in text

    changed = as_json(tmp_path, "changes", "--last-game")
    assert (changed["table"], changed["games"], changed["positions"]) == (str(table), 1, 4)
    assert asked(tmp_path, "changes", "--last-game").startswith(f"1 game of {table}\n4 positions, ")

    why = as_json(tmp_path, "why", "Qh4", "--moves", "f3", "e5", "g4")
    assert (why["mode"], why["reason"]["san"], why["reason"]["mate_in"]) == ("deep", "Qh4#", 1)


def test_play_learns_into_the_table_that_a_gui_has(tmp_path: Path) -> None:
    table = tmp_path / "heatmap-engine" / "default.deep.table"
    words = ["play", "--learn", "--depth", "2", "--fen", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"]
    outcome = console.run(*words, stdin=b"Ra8\nquit\n", XDG_DATA_HOME=str(tmp_path))
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    with process(home=tmp_path) as (gui, _):
        lines = gui.ask("uci", "position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "q")
    assert any(line.split()[:1] == ["Ra8#"] for line in lines)
    assert as_json(tmp_path, "changes")["table"] == str(table)
