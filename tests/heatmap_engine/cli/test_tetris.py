"""`heatmap-engine tetris`, as people run it."""

import json
import os
import re
import signal
from pathlib import Path

import console
import pytest
from process_groups import wait_until

from games.evolution_folder import EvolutionFolder
from games.tetris.weights import load_weights

QUICK = (
    "--generations",
    "2",
    "--candidates",
    "6",
    "--games",
    "2",
    "--height",
    "6",
    "--best",
    "0.3",
    "--seed",
    "1",
)


def here(*words: str) -> console.Here:
    return console.run_here("tetris", *words)


def test_games_are_counted_with_their_interval() -> None:
    outcome = here("play", "--games", "3", "--features", "basic", "--height", "10", "--seed", "1")
    assert (outcome.code, outcome.errors) == (0, "")
    lines = outcome.output.splitlines()
    assert all(re.fullmatch(r"game \d: [\d,]+ lines?, [\d,]+ pieces, died", line) for line in lines[:3])
    assert lines[3] == "basic on 10x10, simplified, uniform, seed 1"
    assert re.fullmatch(r"3 games, 3 deaths, [\d,]+ lines: mean [\d,]+ lines \(95 %: .*\)", lines[4])


def test_lookahead_survives_longer_with_the_same_pieces() -> None:
    words = ("play", "--features", "basic", "--height", "10", "--games", "4", "--seed", "3", "--json")
    without, with_it = (json.loads(here(*words, *more).output) for more in ((), ("--lookahead",)))
    assert with_it["lines"] > 5 * without["lines"]
    assert without["pieces"] == with_it["pieces"] == "uniform"
    assert (without["deaths"], without["seed"], len(without["each"])) == (4, 3, 4)


def test_a_game_without_an_end_says_what_it_shows() -> None:
    outcome = here("play", "--weights", "bcts", "--max-lines", "2000", "--games", "2", "--pieces", "7-bag")
    assert "2,000 lines" in outcome.output
    assert "ended by --max-lines" in outcome.output
    assert re.search(
        r"2 games, 0 deaths, 4,00\d lines: the mean is more than 1,33\d lines \(95 %\)", outcome.output
    )


@pytest.mark.parametrize("more", [(), ("--rule", "dropped"), ("--expect", "1"), ("--lookahead", "2")])
def test_ways_to_play(more: tuple[str, ...]) -> None:
    words = ("play", "--features", "dellacherie", "--max-lines", "6", "--seed", "2", "--width", "6", *more)
    one, other = here(*words), here(*words)
    assert one.code == 0
    assert one.output == other.output


def test_the_network_of_the_package_plays() -> None:
    found = json.loads(
        here("play", "--network", "package", "--max-lines", "300", "--seed", "1", "--json").output
    )
    assert (found["player"], found["deaths"]) == ("network", 0)
    assert found["lines"] >= 300


def test_the_best_moves_of_each_piece_are_told() -> None:
    output = here("play", "--verbose", "--max-lines", "1", "--seed", "1").output
    moves = re.findall(
        r"^(\d+) placements of ([TIOSZLJ]), the best:\n((?: [ *] .*\n){5})", output, re.MULTILINE
    )
    assert len(moves) > 2
    for _, _, best in moves:
        values = [float(line.split()[-1]) for line in best.splitlines()]
        assert values == sorted(values, reverse=True)
        assert best.count("*") == 1
        assert best.startswith(" *")


def test_the_board_is_drawn_with_the_next_piece_and_the_best_moves() -> None:
    output = here("play", "--show", "--max-lines", "1", "--seed", "1", "--height", "5", "--delay", "0").output
    assert "+--------------------+" in output
    assert "|##" in output or "##|" in output
    assert "next " in output
    assert "placements of" in output


def test_the_board_is_in_colour_on_a_terminal() -> None:
    code, output = console.run_on_terminal(
        "tetris", "play", "--show", "--max-lines", "1", "--delay", "0", "--height", "6", TERM="xterm-256color"
    )
    assert code == 0
    assert "\x1b[" in output


def test_ctrl_c_says_what_was_played() -> None:
    process, terminal = console.start_on_terminal(
        "tetris", "play", "--weights", "bcts", "--max-lines", "0", "--pieces", "7-bag", "--seed", "1"
    )
    console.read_until(terminal, "playing")
    process.send_signal(signal.SIGINT)
    output = console.read_to_end(terminal).decode()
    assert process.wait() == 130
    assert "stopped" in output
    assert "the mean is more than" in output


@pytest.mark.parametrize("method", ["cem", "ga"])
def test_evolution_writes_weights_to_play_with(tmp_path: Path, method: str) -> None:
    run = tmp_path / "run"
    outcome = here("train", "--method", method, *QUICK, "--run", str(run), "--workers", "1")
    assert (outcome.code, outcome.errors) == (0, "")
    assert f"the last weights are in {run / 'weights-2.json'}" in outcome.output
    assert load_weights(run / "weights-2.json").provenance["method"] == method
    played = here("play", "--weights", str(run / "weights-2.json"), "--height", "6", "--seed", "1")
    assert played.code == 0
    assert f"{method} 2 on 10x6" in played.output


def test_workers_and_resuming_change_nothing(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    here("train", *QUICK, "--run", str(one), "--workers", "1")
    here("train", *QUICK, "--run", str(other), "--workers", "2")
    assert here("train", "--resume", str(other), "--generations", "3", "--workers", "1").code == 0
    assert (one / "weights-2.json").read_text() == (other / "weights-2.json").read_text()
    finished = here("train", "--resume", str(one))
    assert finished.code == 1
    assert "is finished after 2 generations" in finished.errors


def test_a_killed_training_goes_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = (
        "tetris",
        "train",
        "--generations",
        "3",
        "--candidates",
        "30",
        "--games",
        "2",
        "--height",
        "10",
        "--seed",
        "1",
    )
    process, terminal = console.start_on_terminal(*words, "--run", str(run), "--workers", "2")
    wait_until(lambda: (run / "state-2.json").exists(), process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    os.close(terminal)
    assert here("train", "--resume", str(run), "--workers", "1").code == 0
    whole = tmp_path / "whole"
    here(*words[1:], "--run", str(whole), "--workers", "1")
    for number in (1, 2, 3):
        assert (run / f"weights-{number}.json").read_text() == (whole / f"weights-{number}.json").read_text()


def test_a_run_is_reported_and_drawn(tmp_path: Path) -> None:
    run, picture = tmp_path / "run", tmp_path / "curve.svg"
    here("train", *QUICK, "--run", str(run), "--workers", "1")
    outcome = here("report", str(run), "--plot", str(picture))
    assert outcome.code == 0
    assert "generation  CPU s" in outcome.output
    assert picture.read_text().startswith("<?xml")
    found = json.loads(here("report", str(run), "--json").output)
    assert [one["generation"] for one in found["generations"]] == [1, 2]
    assert found["settings"]["game"]["height"] == 6
    assert EvolutionFolder.open(run).generations()[-1].mean == found["generations"][-1]["mean"]


def test_a_network_is_learned_reported_and_plays(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = (
        "train",
        "--method",
        "q",
        "--rounds",
        "2",
        "--round-pieces",
        "4000",
        "--look-games",
        "2",
        "--seed",
        "1",
    )
    assert here(*words, "--run", str(run), "--height", "12").code == 0
    report = here("report", str(run)).output
    assert "round  CPU s  error" in report
    assert f"the best network is in {run / 'best.json'}" in report
    assert json.loads(here("report", str(run), "--json").output)["rounds"][1]["look"]["games"] == 2
    assert here("play", "--network", str(run / "best.json"), "--seed", "1", "--max-lines", "100").code == 0
    assert here("train", "--resume", str(run), "--rounds", "3").code == 0


def test_bench_has_a_signature() -> None:
    one, other = (here("bench", "--pieces", "1000").output.splitlines() for _ in range(2))
    assert one[-1] == other[-1]
    assert re.fullmatch(r"signature \d+", one[-1])
    found = json.loads(here("bench", "--pieces", "1000", "--json").output)
    assert [each["name"] for each in found][-1] == "Q-network"
    assert all(each["placements_per_second"] > 0 for each in found)


NAN = '{"format": "tetris weights", "name": "x", "weights": {"holes": NaN}}'


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("play", "--width", "3"), "expected a width from 4 to 16, got 3"),
        (("play", "--height", "41"), "expected a height from 4 to 40, got 41"),
        (("play", "--weights", "FILE"), "expected a number from -1e+09 to 1e+09 as weight of holes, got nan"),
        (("play", "--weights", "nowhere"), "expected a file or one of basic, dellacherie, "),
        (
            ("play", "--features", "basic", "--weights", "bcts"),
            "expected weights of height, lines, holes, bumpiness",
        ),
        (("play", "--network", "FILE"), "expected a file of a tetris network"),
        (("play", "--network", "package", "--width", "8"), "as wide as the network's, 10 columns, got 8"),
        (("play", "--lookahead", "4"), "expected a lookahead of 0 to 3 pieces, got 4"),
        (("play", "--expect", "3"), "expected a mean over 0 to 2 unknown pieces, got 3"),
        (("train", "--candidates", "1"), "candidates must be at least 2, got 1"),
        (("train", "--method", "q", "--discount", "1"), "discount must be at least 0 and below 1, got 1.0"),
        (("train", "--resume", "FILE"), "without evolution.json"),
        (("report", "FILE"), "without evolution.json"),
    ],
)
def test_bad_input_gives_one_line(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(NAN)
    words = tuple(str(file) if word == "FILE" else word for word in words)
    if words[0] == "train" and "--resume" not in words:
        words = (*words, "--run", str(tmp_path / "run"))
    outcome = here(*words)
    assert outcome.code == 1
    assert outcome.output == ""
    assert outcome.errors.startswith("heatmap-engine: ")
    assert outcome.errors.count("\n") == 1
    assert expected in outcome.errors
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("play", "--features", "best"),
        ("play", "--rule", "hard"),
        ("play", "--pieces", "14-bag"),
        ("play", "--network", "package", "--lookahead"),
        ("play", "--json", "--show"),
        ("train", "--method", "q", "--games", "3"),
        ("train", "--method", "cem", "--rounds", "3"),
        ("train", "--resume", "x", "--seed", "3"),
    ],
)
def test_words_that_contradict_each_other(words: tuple[str, ...]) -> None:
    assert here(*words).code == 2
