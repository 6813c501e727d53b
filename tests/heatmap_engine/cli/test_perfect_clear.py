"""`heatmap-engine perfect-clear`, as people run it."""

import json
import re
import signal
from pathlib import Path

import console
import pytest
from perfect_clear_boards import OPENER_WITHOUT_I

from games.perfect_clear.fumen import read_board

OPENER = ("####....##", "####...###", "####..####", "####...###")
WITHOUT_I = ("###.....##", "###....###", "###...####", "###....###")


def here(*words: str) -> console.Here:
    return console.run_here("perfect-clear", *words)


def test_solution_is_shown_with_its_keys() -> None:
    outcome = here("solve", "TOSZ", "--hold", "I", *WITHOUT_I)
    assert (outcome.code, outcome.errors) == (0, "")
    assert re.match(r"perfect clear in 4 lines: [TOSZI]{4}, \d+ inputs, needs ", outcome.output)
    assert len(re.findall(r"^ \d [TOSZI]  .*instant drop$", outcome.output, re.MULTILINE)) == 4


def test_solution_as_json_and_as_code() -> None:
    found = json.loads(here("solve", "TOSZ", "--hold", "I", "--json", *WITHOUT_I).output)
    solution = found["solution"]
    assert found["possible"]
    assert solution["inputs"] == sum(len(one["keys"]) for one in solution["placements"])
    assert solution["placements"][-1]["board"] == [".........."] * 4
    code = here("solve", "TOSZ", "--hold", "I", "--fumen-out", *WITHOUT_I).output.strip()
    assert read_board(code) == OPENER_WITHOUT_I


def test_impossible_is_a_proof_and_exit_code_1() -> None:
    outcome = here("solve", "TOSL", *OPENER)
    assert outcome.code == 1
    assert "the search is complete" in outcome.output
    assert "kicks srs, slow drops, hold" in outcome.output
    assert json.loads(here("solve", "TOSL", "--json", *OPENER).output)["possible"] is False


def test_board_from_a_file_and_as_a_code(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("\n".join(OPENER) + "\n")
    by_rows = here("solve", "TIJ", *OPENER)
    assert by_rows.output == here("solve", "TIJ", "--board", str(file)).output
    assert by_rows.output == here("solve", "TIJ", "--fumen", "v115@9gD8DeF8CeG8BeH8CeC8JeAgH").output


def test_fewest_solutions_that_serve_every_queue() -> None:
    assert (
        "514 of 840 queues clear the board with 18 solutions\n"
        in here("solve", "*p4", "--all", *OPENER).output
    )
    minimal = here("solve", "*p4", "--minimal", *OPENER)
    assert "514 of 840 queues clear the board with 16 solutions, no fewer would do\n" in minimal.output


def test_first_solution_is_one_as_well() -> None:
    outcome = here("solve", "TIOSZLJTIOS", "--lines", "4", "--first")
    assert outcome.code == 0
    assert "perfect clear in 4 lines" in outcome.output


def test_table_answers_the_second_time(tmp_path: Path) -> None:
    words = ("solve", "TOSZ", "--hold", "I", "--table", str(tmp_path / "pc.table"), "--json", *WITHOUT_I)
    first, second = (json.loads(here(*words).output) for _ in range(2))
    assert first["states"] > second["states"] == 0
    assert first["solution"] == second["solution"]


def test_percent_of_a_pattern() -> None:
    outcome = here("percent", "*p4", "--hold", "I", *WITHOUT_I)
    assert outcome.code == 0
    assert outcome.output.startswith("711 of 840 queues clear the board in 4 lines with I in hold: 84.64%\n")
    found = json.loads(here("percent", "*p4", "--json", *OPENER).output)
    assert (found["cleared"], found["decided"], len(found["impossible"])) == (514, 840, 326)


def test_percent_of_a_beginning_and_by_hold() -> None:
    found = json.loads(here("percent", "TJ", "--hold", "I", "--json", *WITHOUT_I).output)
    # The last two of five pieces are unknown: any two of the other five.
    assert found["queues"] == 20
    by_hold = json.loads(here("percent", "*p4", "--by-hold", "--json", *WITHOUT_I).output)["by_hold"]
    assert by_hold["I"] == pytest.approx(711 / 840)
    assert set(by_hold) == {*"TIOSZLJ", "none"}


def test_chance() -> None:
    outcome = here("chance", "TJ", "--hold", "I", *WITHOUT_I)
    assert outcome.code == 0
    assert outcome.output.startswith(
        "80.00% for a perfect clear in 4 lines, with 4 pieces to place and 2 not seen yet"
    )
    found = json.loads(here("chance", "TJ", "--hold", "I", "--json", *WITHOUT_I).output)
    assert found["complete"]
    chances = [one["probability"] for one in found["placements"]]
    assert chances == sorted(chances, reverse=True)


def test_play_is_the_same_with_the_same_seed() -> None:
    one, other = (here("play", "--clears", "3", "--seed", "5") for _ in range(2))
    assert one.code == 0
    assert one.output.endswith("3 perfect clears\n")
    times = re.compile(r"found in [\d.]+ ms")
    assert times.sub("", one.output) == times.sub("", other.output)


def test_bench_has_a_signature() -> None:
    one, other = (json.loads(here("bench", "--queues", "5", "--json").output) for _ in range(2))
    assert one["solved"] == 5
    assert one["states"] == other["states"] > 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("solve", "TIOX"), "got X in 'TIOX'"),
        (("solve", "T" * 40), "at most 16 pieces, got 40"),
        (("solve", "TIO", "###......."), "even number of filled cells"),
        (("solve", "TIO", "##........", ".........."), "empty row 1 under row 2"),
        (("solve", "TIO", "##"), "rows of 10 cells"),
        (("solve", "TI"), "at least 5 pieces"),
        (("solve", "TIO", "--hold", "TT"), "one piece in hold"),
        (("solve", "TIOSZ", "--lines", "3"), "pieces of four"),
        (("solve", "TIOSZ", "--lines", "0"), "1 to 6 lines"),
        (("percent", "TIOSZ", "--lines", "0"), "1 to 6 lines"),
        (("chance", "TIOSZ", "--lines", "0"), "1 to 6 lines"),
        (("solve", "TIO", "--fumen", "v115@"), "a fumen code"),
        (("solve", "TIO", "--board", "nowhere.txt"), "nowhere.txt"),
        (("percent", "*q4"), "expected parts such as"),
        (("percent", "T", "--seen", "TT"), "a T too many"),
        (("chance", "TT"), "a T too many"),
    ],
)
def test_bad_questions_give_one_line(words: tuple[str, ...], expected: str) -> None:
    outcome = here(*words)
    assert outcome.code == 1
    assert outcome.output == ""
    assert outcome.errors.startswith("heatmap-engine: ")
    assert outcome.errors.count("\n") == 1
    assert expected in outcome.errors


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "*p4"),
        ("solve", "TIOS", "--json", "--fumen-out"),
        ("solve", "TIOS", "--first", "--all"),
        ("solve", "TIOS", "--fumen", "v115@vhAAgH", "##........"),
        ("percent", "*p4", "--by-hold", "--hold", "I"),
        ("play", "--lines", "3"),
    ],
)
def test_words_that_contradict_each_other(words: tuple[str, ...]) -> None:
    assert here(*words).code == 2


def test_ctrl_c_says_what_is_known() -> None:
    """The first of five unknown pieces would take hours."""
    process, terminal = console.start_on_terminal("perfect-clear", "chance", "TIOSZL", "--lines", "4")
    output = b""
    with open(terminal, "rb", buffering=0) as stream:
        while b"thinking" not in output:
            output += stream.read(1000)
        process.send_signal(signal.SIGINT)
        while True:
            try:
                more = stream.read(1000)
            except OSError:
                break
            if not more:
                break
            output += more
    assert process.wait() == 130
    assert b"stopped: " in output


def test_boards_are_in_colour_on_a_terminal() -> None:
    code, output = console.run_on_terminal("perfect-clear", "solve", "TIJ", *OPENER, TERM="xterm-256color")
    assert code == 0
    assert "\x1b[" in output


def test_chess_starts_without_these_games() -> None:
    loaded = console.run_python(
        "import sys\nimport heatmap_engine.cli\nimport heatmap_engine as he\nhe.Engine\n"
        "others = ('games.perfect_clear', 'games.tetrominoes', 'games.tetris', 'games.evolution')\n"
        "print([name for name in sys.modules if name.startswith(others)])"
    )
    assert loaded.strip() == "[]"
