"""`heat` draws with what the terminal can show, and says the same as JSON."""

import json
import re
import signal

import chess
import console
import pytest
from click.testing import CliRunner

import heatmap_engine as he
from heatmap_engine.cli.foretelling import in_words
from heatmap_engine.cli.heat import command

RUY_LOPEZ = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
TRUECOLOR = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}

plain = re.compile(r"[\n -~]*").fullmatch


def test_truecolor_terminal_gets_heat_as_background() -> None:
    code, output = console.run_on_terminal("heat", **TRUECOLOR)
    assert code == 0
    backgrounds = set(re.findall(r"48;2;(\d+;\d+;\d+)m", output))
    # cold, one and two moves by White, one and two by Black
    assert len(backgrounds) == 5
    assert "♞" in output


def test_terminal_of_256_colours_gets_the_nearest() -> None:
    code, output = console.run_on_terminal("heat", TERM="xterm-256color")
    assert code == 0
    assert "48;2;" not in output
    assert len(set(re.findall(r"48;5;(\d+)m", output))) == 5


@pytest.mark.parametrize(
    "variables",
    [
        {**TRUECOLOR, "NO_COLOR": "1"},
        {**TRUECOLOR, "PYTHONIOENCODING": "latin-1"},
        {**TRUECOLOR, "PYTHONIOENCODING": "ascii"},
        {"TERM": "xterm"},
        {"TERM": "dumb"},
    ],
    ids=str,
)
def test_other_terminals_get_plain_text_that_tells_the_sides_apart(variables: dict[str, str]) -> None:
    # With NO_COLOR the men of both sides used to be the same black figures, and an encoding without
    # the figures ended in a traceback.
    code, output = console.run_on_terminal("heat", **variables)
    assert code == 0
    assert plain(output)
    assert "8  r   n   b   q   k   b   n   r " in output
    assert "1  R   N   B   Q   K   B   N   R " in output


def test_pipe_gets_plain_text() -> None:
    outcome = console.run("heat", **TRUECOLOR)
    assert outcome.returncode == 0
    assert plain(outcome.stdout.decode("ascii"))
    assert not outcome.stderr


@pytest.mark.parametrize("columns", [20, 36, 70])
def test_narrow_terminal_gets_every_number(columns: int) -> None:
    # The table of the breakdown used to be squeezed to "1…" and "kn…".
    code, output = console.run_on_terminal("heat", columns=columns, TERM="xterm")
    assert code == 0
    assert "…" not in output
    assert re.search(r"White's mobility +16.00 +4.00 +0.00 +0.00 +0.00 +0.00 +20.00\n", output)
    assert output.index("White's heat") < output.index("\n1  R") < output.index("Black's heat")


def test_sides_stand_beside_each_other_where_there_is_room() -> None:
    _, output = console.run_on_terminal("heat", columns=71, TERM="xterm")
    assert re.search(r"White's heat +Black's heat", output)


def test_blend_shows_the_difference() -> None:
    result = CliRunner().invoke(command, ["--view", "blend", *RUY_LOPEZ.split()])
    assert result.exit_code == 0
    heat = he.heatmap(RUY_LOPEZ)
    rows = result.output.splitlines()
    fifth_rank = rows[rows.index(next(row for row in rows if row.startswith("5 "))) + 1]
    for file in range(8):
        square = chess.square(file, 4)
        difference = heat[chess.WHITE, square] - heat[chess.BLACK, square]
        shown = fifth_rank[2 + 4 * file : 6 + 4 * file].strip()
        assert float(shown or 0) == pytest.approx(difference, abs=0.05), chess.square_name(square)


def test_breakdown_ends_in_the_score() -> None:
    result = CliRunner().invoke(command, [RUY_LOPEZ])
    assert result.output.rstrip().endswith("score +2.1333  = 32.1333 (White) - 30.0000 (Black)")


def test_end_of_the_game_is_named() -> None:
    result = CliRunner().invoke(command, ["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"])
    assert result.output.rstrip().endswith("score +384.0000  (checkmate)")


def test_json_holds_heat_and_parts() -> None:
    result = CliRunner().invoke(command, ["--json", "--depth", "2", "--weights", "cmhm2-static", RUY_LOPEZ])
    answer = json.loads(result.output)
    assert list(answer) == ["fen", "depth", "weights", "terminal", "score", "white", "black"]
    assert (answer["fen"], answer["depth"], answer["weights"]) == (RUY_LOPEZ, 2, "cmhm2-static")
    assert answer["terminal"] is None
    assert answer["score"] == he.score(RUY_LOPEZ, 2, he.CMHM2_STATIC)
    heat = he.heatmap(RUY_LOPEZ, 2)
    for name, color in (("white", chess.WHITE), ("black", chess.BLACK)):
        assert list(answer[name]) == ["mobility", "pressure", "heat"]
        assert answer[name]["heat"] == heat[color].tolist()
        assert list(answer[name]["mobility"]) == ["pawn", "knight", "bishop", "rook", "queen", "king"]
    sums = [sum(answer[c][part].values()) for c in ("white", "black") for part in ("mobility", "pressure")]
    assert sums[0] + sums[1] - sums[2] - sums[3] == pytest.approx(answer["score"])


def test_lines_of_stdin_become_lines_of_json() -> None:
    outcome = console.run("heat", "-", stdin=f"startpos\nnonsense\n{RUY_LOPEZ}\n".encode())
    assert outcome.returncode == 1
    assert [json.loads(line)["score"] for line in outcome.stdout.splitlines()] == [0.0, he.score(RUY_LOPEZ)]
    assert outcome.stderr.startswith(b"heatmap-engine: line 2: ")


def test_moves_are_played_first() -> None:
    moves = ("--moves", "e4", "e5", "2.", "Nf3", "b8c6", "Bb5")
    fen = json.loads(console.run_here("heat", "--json", RUY_LOPEZ).output)
    assert json.loads(console.run_here("heat", *moves, "--json").output) == fen
    assert console.run_here("score", *moves).output == console.run_here("score", RUY_LOPEZ).output
    assert console.run_here("perft", "3", *moves).output == console.run_here("perft", "3", RUY_LOPEZ).output
    wrong = console.run_here("score", "--moves", "e4", "e4")
    assert wrong.code == 1
    assert "move 2: 'e4' is not a legal move" in wrong.errors


def test_moves_are_the_history_in_which_positions_repeat() -> None:
    back_and_forth = ["Nf3", "Nf6", "Ng1", "Ng8"]
    assert console.run_here("score", "--moves", "e4", *back_and_forth).output != "0.0\n"
    assert (
        console.run_here("score", "--moves", "e4", "e5", *back_and_forth, *back_and_forth).output == "0.0\n"
    )


def test_moves_go_with_each_line_of_standard_input() -> None:
    outcome = console.run("score", "-", "--moves", "e4", stdin=f"startpos\n{chess.STARTING_FEN}\n".encode())
    assert outcome.stdout == b"10.0\n10.0\n"


@pytest.mark.parametrize("words", [["heat", "--depth", "9"], ["score", "--depth", "9"], ["perft", "10"]])
def test_what_takes_long_is_said_beforehand_and_ended_by_ctrl_c(words: list[str]) -> None:
    process, terminal = console.start_on_terminal(*words)
    said = console.read_until(terminal, "Ctrl-C stops")
    assert re.search(r"depth \d+ will take about \d+ (minute|hour|day)s; Ctrl-C stops", said)
    process.send_signal(signal.SIGINT)
    assert console.read_to_end(terminal).decode().split() == ["stopped"]
    assert process.wait() == 130


def test_what_is_no_depth_is_said_before_anything_is_counted() -> None:
    outcome = console.run_here("heat", "--depth", "99")
    assert outcome.code == 1
    assert outcome.errors.startswith("heatmap-engine: depth must be an int from 0 to 32, got 99")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (6.4, "about 6 seconds"),
        (119.0, "about 2 minutes"),
        (5400.0, "about 2 hours"),
        (200_000.0, "about 2 days"),
        (1e30, "more than a year"),
    ],
)
def test_times_are_said_as_people_say_them(seconds: float, words: str) -> None:
    assert in_words(seconds) == words
