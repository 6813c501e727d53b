"""`heatmap-engine wood-block`, as people run it."""

import json
import math
import re
import signal
from pathlib import Path

import console
import pytest

from games.wood_block.rules import Rules
from games.wood_block.training import row_of
from games.wood_block.weights import learned_weights, read_weights

EMPTY = (".........",) * 8
ROW = ("XXXXXX...", *EMPTY)


def here(*words: str) -> console.Here:
    return console.run_here("wood-block", *words)


def test_play_says_how_long_a_life_is() -> None:
    outcome = here("play", "--player", "random", "--games", "20")
    assert (outcome.code, outcome.errors) == (0, "")
    assert re.search(r"^\d+ hands, [\d,]+ points, 20 of 20 games ended; ", outcome.output)
    assert re.search(r"^deaths per hand: 0\.\d+ \(95 %: ", outcome.output, re.MULTILINE)
    assert re.search(r"^score of a game: \d+ \(95 %: ", outcome.output, re.MULTILINE)


def test_play_as_json() -> None:
    found = json.loads(here("play", "--max-hands", "5", "--games", "2", "--json").output)
    assert (found["player"], found["set"], found["hands"], found["deaths"]) == ("search", "21", 10, 0)
    assert found["hazard"]["value"] == 0
    assert found["hands_of_a_life"]["value"] is None
    assert [game["over"] for game in found["games"]] == [False, False]
    assert found["decisions"] is None


def test_tree_search_gives_all_its_metrics() -> None:
    words = ("play", "--player", "mcts", "--max-hands", "2", "--simulations", "30", "--keep-tree", "--json")
    decisions = json.loads(here(*words).output)["decisions"]
    assert decisions["simulations"] == 30
    assert decisions["number"] == 6
    assert {
        "depth",
        "nodes",
        "seconds",
        "mean_visits",
        "balance",
        "kept_nodes",
        "pruned_nodes",
    } <= decisions.keys()


def test_show_draws_every_hand_with_its_order() -> None:
    outcome = here("play", "--max-hands", "2", "--show", "--seed", "4")
    boards = outcome.output.split("order")[1:]
    assert len(boards) == 2
    assert all({*"123"} <= {*board} for board in boards)
    assert re.search(r"score [\d,]+", boards[1])


def test_same_seed_same_game() -> None:
    one, other = (here("play", "--max-hands", "3", "--show", "--seed", "9").output for _ in range(2))
    assert one.split("hands/s")[0].rpartition(";")[0] == other.split("hands/s")[0].rpartition(";")[0]


def test_solve_says_order_and_places() -> None:
    outcome = here("solve", "--hand", "XXX X/X XX/XX", *ROW)
    assert outcome.code == 0
    assert outcome.output.startswith("all blocks placed: ")
    assert "400 points" in outcome.output  # the row and a box together
    assert len(re.findall(r"^ [123] \S+  at row \d, column \d$", outcome.output, re.MULTILINE)) == 3


def test_solve_as_json_is_a_hand_by_the_rules() -> None:
    found = json.loads(here("solve", "--hand", "XXX,X/X", "--json", *ROW).output)
    assert found["all_placed"] is True
    assert found["points"] == 100
    assert found["board"] == [*ROW]
    assert {step["action"] for step in found["steps"]} == {
        step["slot"] * 1000 + step["row"] * 10 + step["column"] for step in found["steps"]
    }
    assert "".join(found["after"]).count("X") == 2


def test_solve_a_board_from_a_file_of_another_size(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("XXXX.\n" * 5)
    found = json.loads(
        here("solve", "--hand", "X/X/X/X/X", "--set", "47", "--board", str(file), "--json").output
    )
    assert found["points"] == 1000 + 50 * 10**2  # five rows and five columns
    assert found["after"] == ["....."] * 5


def test_hand_that_cannot_be_placed_is_exit_code_1() -> None:
    chessboard = tuple("X." * 4 + "X" if row % 2 else ".X" * 4 + "." for row in range(9))
    outcome = here("solve", "--hand", "XX X XX", *chessboard)
    assert outcome.code == 1
    assert outcome.output.startswith("not all blocks can be placed; the most points are these: 0 points\n")
    assert " 1 X  at row " in outcome.output
    nothing = here("solve", "--hand", "XX", *chessboard)
    assert (nothing.code, nothing.output) == (1, "no block of this hand fits: the game is over\n")
    assert here("solve", "--hand", "XX", "--player", "mcts", *chessboard).code == 1


def test_tree_search_of_a_position_with_its_indicators() -> None:
    words = ("solve", "--player", "mcts", "--simulations", "40", "--quality", "--hand", "XXX X/X XX/XX")
    found = json.loads(here(*words, "--json", *ROW).output)
    assert found["simulations"] == 40
    assert found["action"] == found["candidates"][0]["action"]
    assert {*found["quality"]} == {"consistency", "balance", "rollout_quality", "convergence"}
    assert {*found["quality"]["convergence"]} == {"10", "40", "160"}
    text = here(*words, *ROW).output
    assert "consistency: " in text
    assert re.search(r"^ +\d+ visits, mean ", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", "--hand", "XOX"), "heatmap-engine: expected a block of X and ."),
        (("solve", "--hand", "X X X X"), "heatmap-engine: expected a hand of 1 to 3 blocks, got 4"),
        (("solve", "--hand", "X", "..."), "heatmap-engine: expected a board of 5 to 10 rows, got 1"),
        (("solve", "--hand", "X", "--board", "missing.txt"), "No such file"),
        (("solve", "--hand", "X", "--quality"), "--quality is for --player mcts"),
        (
            ("play", "--set", "22"),
            "heatmap-engine: expected one of the sets 21, 47 or a file with blocks, got '22'",
        ),
        (("play", "--size", "4"), "4 is not in the range 5<=x<=10"),
        (("play", "--player", "mcts", "--simulations", "0"), "for simulations, got 0"),
        (("play", "--show", "--json"), "--show draws for people"),
        (("play", "--weights", "missing.json"), "No such file"),
        (("bench", "--set", "missing.txt"), "or a file with blocks, got 'missing.txt'"),
        (("train", "--resume", "missing"), "heatmap-engine: expected the folder of a run, got missing"),
        (("train", "--resume", "x", "--hands", "3"), "--hands"),
        (("train", "--deviation", "0"), "0.0 is not in the range 0<x<=10"),
        (("train", "--resume", "x", "--deviation", "0.1"), "--deviation"),
    ],
)
def test_bad_input_is_one_clear_line(words: tuple[str, ...], message: str) -> None:
    outcome = here(*words)
    assert outcome.code in (1, 2)
    assert message in outcome.errors
    assert outcome.output == ""


def test_training_writes_weights_that_play_and_goes_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("--candidates", "5", "--hands", "40", "--generations", "1", "--workers", "1")
    outcome = here("train", "--run", str(run), *words)
    assert outcome.code == 0
    assert outcome.output.startswith("generation 1: hands for each death: ")
    assert outcome.output.endswith(f"weights: {run / 'weights-1.json'}\n")
    read_weights(run / "weights-1.json")
    assert "is finished after 1 generations" in here("train", "--resume", str(run)).errors
    more = here("train", "--resume", str(run), "--generations", "2", "--workers", "1", "--json")
    assert json.loads(more.output)["generation"] == 2
    played = here("play", "--weights", str(run / "weights-2.json"), "--max-hands", "3", "--effort", "quick")
    assert played.output.startswith("3 hands, ")
    assert "holds a run" in here("train", "--run", str(run)).errors


def test_candidates_lie_near_to_good_weights_where_that_is_asked_for(tmp_path: Path) -> None:
    run, good = tmp_path / "run", tmp_path / "good.json"
    good.write_text(learned_weights(Rules()).text())
    words = ("--candidates", "2", "--hands", "5", "--generations", "1", "--workers", "1")
    here("train", "--run", str(run), "--weights", str(good), "--deviation", "1e-9", *words)
    start, found = (row_of(read_weights(path)) for path in (good, run / "weights-1.json"))
    length = math.hypot(*start)
    assert [2 * value / length for value in start] == pytest.approx([*found], abs=1e-6)


def test_bench_names_its_signature() -> None:
    words = ("bench", "--hands", "10", "--json")
    one, other = (json.loads(here(*words).output) for _ in range(2))
    assert one["signature"] == other["signature"] > 0
    assert {"tree search, random rollouts", "whole evaluation", "hands, fast"} <= one.keys()


def test_chess_starts_without_any_of_it() -> None:
    code = "import sys; import heatmap_engine, heatmap_engine.cli.commands; print(*sys.modules)"
    loaded = console.run_python(code).split()
    assert not [
        name for name in loaded if name.startswith(("games.wood_block", "heatmap_engine.cli.wood_block"))
    ]
    assert "heatmap_engine.cli.commands" in loaded


def test_ctrl_c_prints_what_is_known_by_then() -> None:
    words = ("wood-block", "play", "--max-hands", "0", "--show", "--delay", "50")
    process, terminal = console.start_on_terminal(*words)
    output = b""
    with open(terminal, "rb", buffering=0) as stream:
        while b"score" not in output:
            output += stream.read(1000)
        process.send_signal(signal.SIGINT)
        while b"score of a life" not in output:
            output += stream.read(1000)
    assert process.wait() == 130
    assert b"no game ended; " in output
    assert b"deaths per hand: 0 (95 %: " in output
