"""`heatmap-engine why` in words and as JSON."""

import json
from pathlib import Path

import console
import jsonschema
import pytest
from reported_positions import WORKED, table_at

from heatmap_engine.reports.why_data import why_schema


def test_it_says_what_decides_what_changes_and_what_was_learned(tmp_path: Path) -> None:
    table = table_at(tmp_path / "t.table")
    outcome = console.run_here("why", *WORKED.split(), "Kb6", "--table", str(table))
    assert outcome.code == 0, outcome.errors
    text = outcome.output
    assert text.startswith("1. Kb6: +384.00, number 1 of 21 moves (depth 2, ")
    assert "Kb8 is the only reply." in text
    assert "Line: 1. Kb6 Kb8, which the table values at +384.00." in text
    assert f"Learning changed it by +367.95: without {table} it would be +16.05." in text
    assert "It is the best move." in text
    data = json.loads(console.run_here("why", WORKED, "Kb6", "--table", str(table), "--json").output)
    assert (data["reason"]["score"], data["reason"]["reply"], data["reason"]["source"]) == (
        384.0,
        "a8b8",
        "table",
    )
    assert data["reason"]["learned"] == data["reason"]["score"] - data["reason"]["without_table"]
    assert data["best"] == data["reason"]
    jsonschema.validate(data, why_schema())
    assert (data["mode"], data["unit"], data["table"]) == ("classic", "heat units", str(table))


def test_a_worse_move_is_compared_with_the_best() -> None:
    text = console.run_here("why", "Nf3", "--no-table", "--mode", "classic").output
    assert "1. Nf3: -7.86, number 7 of 20 moves (depth 2, 421 nodes, weights cmhm2, no table)" in text
    assert "The reply e5 decides it; the next best, e6, would leave -7.82." in text
    assert "The best move is e3 with +0.23, 8.10 better for White." in text
    assert "What the ends of the two lines differ in:" in text


def test_of_moves_that_are_as_good_both_are_named() -> None:
    text = console.run_here("why", "Nf3", "--no-table", "--mode", "classic", "--plies", "1").output
    assert "The best move is " in text
    drawn = ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", "Kd4", "--no-table", "--mode", "classic")
    text = console.run_here("why", *drawn).output
    assert "No move is better; Kc2 is as good." in text


@pytest.mark.parametrize("mode", ["deep", "classic"])
def test_a_mate_needs_no_parts(mode: str) -> None:
    moves = ["--moves", "f3", "e5", "g4"]
    text = console.run_here("why", "Qh4", "--no-table", "--mode", mode, *moves).output
    assert text.startswith("2...Qh4#: Black mates in 1, number 1 of 30 moves")
    assert "It ends the game: checkmate." in text
    assert "mobility" not in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["e5"], 1, "'e5' is not a legal move in rnbqkbnr/"),
        (["nonsense", "e4"], 1, "expected a FEN"),
        (["8/8/4k3/8/8/3K4/8/8 w - - 0 1", "Kh8"], 1, "'Kh8' is not a legal move"),
        ([], 2, "Missing argument"),
    ],
)
def test_bad_input(arguments: list[str], code: int, message: str) -> None:
    outcome = console.run_here("why", *arguments, "--no-table")
    assert outcome.code == code
    assert message in outcome.errors
    assert not outcome.output


@pytest.mark.parametrize("mode", ["deep", "classic"])
def test_ctrl_c_answers_with_what_was_found_so_far(mode: str) -> None:
    """In deep mode only the search of the best move heard it, and the one of the other move went on."""
    words = ["why", "a3", "--mode", mode, "--seconds", "1000000", "--no-table"]
    process, terminal = console.start_on_terminal(*words, keyboard=True, TERM="xterm")
    console.read_until(terminal, "thinking; Ctrl-C answers at once\n")
    console.type_keys(terminal, "\x03")
    output = console.read_to_end(terminal)
    assert process.wait() == 0
    assert b"1. a3: " in output
    assert b"The best move is " in output
