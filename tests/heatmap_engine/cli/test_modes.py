"""The mode of every command: deep, unless an option or a table tells otherwise; JSON by its schema."""

import csv
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import chess
import console
import jsonschema
import pytest
from process_groups import wait_until

from games.chess.journal import learned_games
from heatmap_engine.board.reading import pack
from heatmap_engine.deep.weights import CMHM2, save_weights
from heatmap_engine.engines.engine import Engine
from heatmap_engine.kernel.deep.evaluation import weigh
from heatmap_engine.limits import Limits
from heatmap_engine.reports.report_data import schema
from heatmap_engine.reports.why_data import why_schema
from qtable import QTable

HANGING_QUEEN = "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
SVG = "{http://www.w3.org/2000/svg}"


# 1. Kf7 Kh7 2. Rh1 mates.
MATE_IN_TWO = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"


def searched(path: Path, fen: str) -> Path:
    """A table that has seen one deep search."""
    with Engine(path) as engine:
        engine.pick_move(fen, Limits(depth=6))
    return path


@pytest.fixture
def deep_table(tmp_path: Path) -> Path:
    return searched(tmp_path / "deep.table", HANGING_QUEEN)


@pytest.fixture
def classic_table(tmp_path: Path) -> Path:
    path = tmp_path / "classic.table"
    with Engine(path, mode="classic", plies=1, tactical_plies=0) as engine:
        engine.pick_move(HANGING_QUEEN)
    return path


@pytest.mark.parametrize(("mode", "words"), [("deep", ["--depth", "6"]), ("classic", ["--mode", "classic"])])
def test_why_as_json_follows_its_schema(mode: str, words: list[str], tmp_path: Path) -> None:
    outcome = console.run("why", HANGING_QUEEN, "a3", *words, "--json", XDG_DATA_HOME=str(tmp_path))
    assert outcome.returncode == 0, outcome.stderr
    data = json.loads(outcome.stdout)
    jsonschema.validate(data, why_schema())
    assert (data["reason"]["san"], data["mode"], data["table"]) == ("a3", mode, None)
    assert (data["best"]["rank"], data["moves"]) == (1, chess.Board(HANGING_QUEEN).legal_moves.count())
    for why in (data["reason"], data["best"]):
        change = why["there"]["value"] - why["here"]["value"]
        assert sum(part["change"] for part in why["parts"]) == pytest.approx(change, abs=1e-9)
    between = data["reason"]["there"]["value"] - data["best"]["there"]["value"]
    assert sum(part["change"] for part in data["parts_against_best"]) == pytest.approx(between, abs=1e-9)
    if mode == "deep":
        assert (data["best"]["san"], data["best"]["lost"]["black"]["queen"]) == ("Nxh4", 1)


def test_why_prints_its_schema() -> None:
    assert json.loads(console.run_here("why", "e4", "--schema").output) == why_schema()


def test_the_same_question_has_the_same_answer() -> None:
    asked = [console.run_here("why", HANGING_QUEEN, "a3", "--no-table", "--depth", "6") for _ in range(2)]
    assert asked[0] == asked[1]


def test_why_in_words() -> None:
    outcome = console.run_here("why", HANGING_QUEEN, "Nxh4", "--depth", "6", "--no-table")
    assert outcome.code == 0, outcome.errors
    assert "3. Nxh4: +" in outcome.output
    assert "Black loses a queen" in outcome.output
    assert "all parts" in outcome.output
    assert "It is the best move." in outcome.output
    other = console.run_here("why", HANGING_QUEEN, "a3", "--depth", "6", "--no-table").output
    assert "The best move is Nxh4 with +" in other
    assert "What the ends of the two lines differ in:" in other
    check = console.run_here("why", "4k3/8/8/8/8/8/4r3/4K2R w - - 0 1", "Kxe2", "--depth", "1", "--no-table")
    assert "There is no evaluation here: check." in check.output


def test_analyse_is_deep_where_nothing_says_otherwise(tmp_path: Path) -> None:
    outcome = console.run("analyse", HANGING_QUEEN, "--json", "--top", "2", XDG_DATA_HOME=str(tmp_path))
    assert outcome.returncode == 0, outcome.stderr
    data = json.loads(outcome.stdout)
    assert (data["mode"], data["san"], data["depth"]) == ("deep", "Nxh4", 10)
    assert data["candidates"][0]["san"] == "Nxh4"
    assert len(data["candidates"]) == 2
    assert data["candidates"][0]["score"] > data["candidates"][1]["score"]
    jsonschema.validate(data["why"], {**why_schema(), **why_schema()["$defs"]["reason"]})
    classic = json.loads(console.run_here("analyse", HANGING_QUEEN, "--json", "--plies", "2").output)
    assert (classic["mode"], classic["plies"], classic["tactical_plies"]) == ("classic", 2, 1)
    assert list(classic) == list(data)
    assert list(classic["candidates"][0]) == list(data["candidates"][0])
    assert list(classic["why"]) == list(data["why"])


def test_analyse_deep_in_words_names_the_mode_and_the_unit() -> None:
    outcome = console.run_here("analyse", "--no-table", "--depth", "4", "--moves", "f3", "e5", "g4")
    assert outcome.code == 0, outcome.errors
    assert "mode deep; values are White minus Black, in centipawns (+300: odds about 10:1)" in outcome.output
    assert "Black mates in 1" in outcome.output
    again = console.run_here("analyse", "--no-table", "--nodes", "3000", "--top", "1")
    assert "depth " in again.output


def test_lines_of_stdin_are_answered_one_by_one() -> None:
    words = ["analyse", "-", "--no-table", "--depth", "3", "--top", "1"]
    outcome = console.run(*words, stdin=f"{HANGING_QUEEN}\nnonsense\n".encode())
    assert outcome.returncode == 1
    assert json.loads(outcome.stdout)["san"] == "Nxh4"
    assert b"line 2: expected a FEN" in outcome.stderr


def test_the_named_table_tells_the_mode(deep_table: Path, classic_table: Path) -> None:
    deep = json.loads(console.run_here("analyse", HANGING_QUEEN, "--table", str(deep_table), "--json").output)
    assert (deep["mode"], deep["table"]) == ("deep", str(deep_table))
    assert deep["table_hits"] > 0
    words = ["analyse", HANGING_QUEEN, "--table", str(classic_table), "--json"]
    assert json.loads(console.run_here(*words).output)["mode"] == "classic"
    refused = console.run_here(*words, "--mode", "deep")
    assert refused.code == 1
    assert f"{classic_table} is a table of mode classic, but --mode deep was given" in refused.errors


def test_a_value_of_the_table_says_so(tmp_path: Path) -> None:
    """In deep mode the moves of `analyse` came from the search, whatever the table had told it."""
    table = searched(tmp_path / "t.table", MATE_IN_TWO)
    words = ["analyse", MATE_IN_TWO, "--table", str(table), "--depth", "2", "--top", "1", "--json"]
    found = json.loads(console.run_here(*words).output)
    assert (found["san"], found["candidates"][0]["source"], found["mate_in"]) == ("Kf7", "table", 2)
    again = json.loads(console.run_here(*words[:2], "--no-table", *words[4:]).output)
    assert again["candidates"][0]["source"] == "search"


def test_options_of_one_mode_choose_it_and_contradict_the_other() -> None:
    classic = console.run_here("analyse", "--plies", "1", "--no-table", "--json")
    assert json.loads(classic.output)["mode"] == "classic"
    for words in (
        ["analyse", "--mode", "deep", "--plies", "2"],
        ["analyse", "--nodes", "5", "--tactical", "0"],
        ["why", "e4", "--mode", "classic", "--depth", "3"],
        ["why", "e4", "--mode", "deep", "--plies", "3"],
        ["show", "--mode", "classic", "--nodes", "3", "-o", "never.svg"],
        ["show", "--mode", "deep", "--heat-depth", "3", "-o", "never.svg"],
    ):
        outcome = console.run_here(*words)
        assert outcome.code == 2
        assert re.search(r"works only\s+with --mode", outcome.errors)


@pytest.fixture
def own_weights(tmp_path: Path) -> Path:
    """The base engine's weights, which know no men: a queen that hangs is left alone."""
    save_weights(path := tmp_path / "own.json", CMHM2)
    return path


def test_commands_that_ask_take_weights_of_one_s_own(own_weights: Path, tmp_path: Path) -> None:
    words = ["--weights", str(own_weights), "--no-table", "--depth", "2"]  # which mean the mode deep
    analysed = json.loads(console.run_here("analyse", HANGING_QUEEN, *words, "--json").output)
    assert (analysed["mode"], analysed["weights"]) == ("deep", CMHM2.name)
    here = json.loads(console.run_here("why", HANGING_QUEEN, "a3", *words, "--json").output)["reason"]["here"]
    board = chess.Board(HANGING_QUEEN)
    assert here["value"] == pytest.approx(weigh(pack(board), CMHM2.table))
    drawn = []
    for number, more in enumerate((words, words[2:])):
        picture = tmp_path / f"{number}.svg"
        assert console.run_here("show", HANGING_QUEEN, "--line", *more, "-o", str(picture)).code == 0
        drawn.append(picture.read_text(encoding="utf-8"))
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["analyse", "--weights", "nowhere.json"], 1, "nowhere.json: expected weights as JSON"),
        (
            ["analyse", "--mode", "classic", "--weights", "x"],
            2,
            "--weights works only with --mode deep, and the mode is classic",
        ),
        (["play", "--mode", "classic", "--weights", "x"], 2, "--weights works only with --mode deep"),
        (["learn", "x", "--weights", "y"], 2, "File 'x' does not exist"),
        (
            ["learn", "--list", "--mode", "deep", "--weights", "y"],
            2,
            "--weights can be given only with FILE...",
        ),
        (
            ["learn", __file__, "--mode", "classic", "--weights", "y"],
            2,
            "--weights works only with --mode deep",
        ),
        (
            ["selfplay", "--games", "1", "--mode", "classic", "--weights", "x"],
            2,
            "--weights works only with --mode deep",
        ),
        (
            ["selfplay", "--games", "1", "--weights", "nowhere.json"],
            1,
            "nowhere.json: expected weights as JSON",
        ),
        (["analyse", "--seconds", "-5"], 1, "--seconds must be above zero, got -5.0"),
        (["play", "--seconds", "0"], 1, "--seconds must be above zero, got 0.0"),
        (["play", "--plies", "0"], 2, "0 is not in the range x>=1"),
        (["play", "--depth", "0"], 2, "0 is not in the range x>=1"),
    ],
)
def test_options_that_cannot_be_are_named(words: list[str], code: int, expected: str, tmp_path: Path) -> None:
    outcome = console.run(*words, XDG_DATA_HOME=str(tmp_path))
    assert (outcome.returncode, outcome.stdout) == (code, b"")
    assert expected in outcome.stderr.decode()


def test_own_weights_play_and_learn(own_weights: Path, tmp_path: Path) -> None:
    table, own = tmp_path / "own.table", ["--weights", str(own_weights)]
    limits = [
        "--nodes",
        "50",
        "--learning-nodes",
        "50",
        "--max-plies",
        "12",
        "--workers",
        "1",
        "--games",
        "1",
    ]
    run = ["--table", str(table), "--run", str(tmp_path / "run")]
    assert console.run_here("selfplay", *own, *limits, *run).code == 0
    game = tmp_path / "game.pgn"
    game.write_text("1. f3 e5 2. g4 Qh4# 0-1\n")
    assert console.run_here("learn", str(game), *own, "--nodes", "50", "--table", str(table)).code == 0
    with QTable(table, readonly=True) as opened:
        learners = [learned.settings["weights"] for learned in learned_games(opened.journal())]
    assert learners == [CMHM2.name] * 2


def test_a_table_of_zero_bytes_is_none(tmp_path: Path) -> None:
    """A UCI engine that is killed as it starts may leave one."""
    own = tmp_path / "heatmap-engine" / "default.deep.table"
    own.parent.mkdir()
    own.touch()
    outcome = console.run("analyse", "--depth", "2", "--json", XDG_DATA_HOME=str(tmp_path))
    assert (outcome.returncode, json.loads(outcome.stdout)["table"]) == (0, None)
    outcome = console.run("changes", XDG_DATA_HOME=str(tmp_path))
    assert (outcome.returncode, outcome.stderr[:38]) == (1, b"heatmap-engine: there is no table yet ")


@pytest.mark.parametrize("words", [["analyse"], ["play"], ["why", "e4"]])
def test_an_own_table_that_cannot_be_read_names_the_way_around_it(words: list[str], tmp_path: Path) -> None:
    own = tmp_path / "heatmap-engine" / "default.deep.table"
    own.parent.mkdir()
    own.write_bytes(b"nonsense " * 500)
    outcome = console.run(*words, XDG_DATA_HOME=str(tmp_path))
    assert outcome.returncode == 1
    assert outcome.stderr.endswith(b"; with --no-table it is not asked\n")
    assert console.run(*words, "--no-table", stdin=b"", XDG_DATA_HOME=str(tmp_path)).returncode == 0


def test_ctrl_c_ends_a_drawing_as_it_ends_a_program(tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    game.write_text("1. e4 e5 2. Nf3 *\n")
    words = [
        "show",
        str(game),
        "--mode",
        "deep",
        "--no-table",
        "--seconds",
        "1000",
        "-o",
        str(tmp_path / "x.html"),
    ]
    process, terminal = console.start_on_terminal(*words, keyboard=True, TERM="dumb")
    wait_until_it_searches(process)
    console.type_keys(terminal, "\x03")
    assert b"stopped" in console.read_to_end(terminal)
    assert process.wait() == 130
    assert not (tmp_path / "x.html").exists()


def wait_until_it_searches(process: "subprocess.Popen[bytes]") -> None:
    """It has loaded the kernel's search, and then used more processor time than the imports that follow."""
    its, ticks = Path(f"/proc/{process.pid}"), os.sysconf("SC_CLK_TCK")

    def processor_seconds() -> float:
        return sum(map(int, (its / "stat").read_text().split()[13:15])) / ticks

    wait_until(lambda: "kernel/deep/search" in (its / "maps").read_text(), process)
    loaded = processor_seconds()
    wait_until(lambda: processor_seconds() > loaded + 0.5, process)


def test_show_draws_the_position_and_the_end_of_its_line(tmp_path: Path) -> None:
    picture = tmp_path / "plan.svg"
    words = ["show", HANGING_QUEEN, "--line", "--depth", "6", "--no-table", "-o"]
    outcome = console.run_here(*words, str(picture))
    assert outcome.code == 0, outcome.errors
    svg = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    texts = ["".join(text.itertext()) for text in svg.iter(f"{SVG}text")]
    assert any(text.startswith("After 3. Nxh4") for text in texts)
    assert any(text.endswith("for White in all, in centipawns (+300: odds about 10:1)") for text in texts)
    boards = svg.findall(f"{SVG}svg")
    queens = [sum(use.get("href") == "#black-queen" for use in board.iter(f"{SVG}use")) for board in boards]
    assert queens == [1, 0]
    names = [element.get("id") for element in svg.iter() if element.get("id")]
    assert len(names) == len(set(names))
    for name, start in (("plan.png", b"\x89PNG"), ("plan.html", b"<!DOCTYPE html>")):
        assert console.run_here(*words, str(tmp_path / name)).code == 0
        assert (tmp_path / name).read_bytes().startswith(start)


def test_show_draws_the_line_of_the_classic_mode_as_well(tmp_path: Path) -> None:
    picture = tmp_path / "plan.svg"
    words = ["show", "--mode", "classic", "--line", "--no-table", "-o", str(picture)]
    assert console.run_here(*words).code == 0
    svg = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    texts = ["".join(text.itertext()) for text in svg.iter(f"{SVG}text")]
    assert {"White to move: +0.00", "After 1. e3 e5: +0.23", "+0.23  for White in all, in heat units"} <= {
        *texts
    }


def test_show_draws_a_game_with_the_values_of_searches(tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    game.write_text("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n")
    words = ["show", str(game), "--mode", "deep", "--no-table"]

    def drawn(name: str, *more: str) -> bytes:
        outcome = console.run_here(*words, *more, "-o", str(tmp_path / name))
        assert (outcome.code, outcome.errors) == (0, "")
        return (tmp_path / name).read_bytes()

    page = drawn("one.html", "--nodes", "2000")
    assert page == drawn("other.html", "--nodes", "2000")  # nodes, and no clock
    text = re.search(rb'id="game">(.*?)</script>', page, re.DOTALL)
    assert text is not None
    data = json.loads(text.group(1))
    positions = data["positions"]
    assert (data["score"], data["decimals"], len(positions)) == ("value", 0, 8)
    for position in positions[:-1]:
        assert (
            position["shown"][0] == position["moves"][0][2]
        )  # what the search found is the position's value
        assert 1 <= len(position["moves"]) <= 5
    mating = positions[-2]
    assert (mating["moves"][0][1:3], mating["score"]) == (["Qxf7#", "+#1"], 30_999)
    assert (positions[-1]["shown"], positions[-1]["moves"]) == (["+#", None], [])
    assert b"centipawns (+300: odds about 10:1)" in page
    svg = ElementTree.fromstring(drawn("last.svg"))
    texts = ["".join(text.itertext()) for text in svg.iter(f"{SVG}text")]
    assert {"4. Qxf7# \N{MIDDLE DOT} 1-0, checkmate", "value +#"} <= {*texts}
    words[1:2] = ["--moves", "f3", "e5", "g4"]
    assert drawn("moves.gif", "--depth", "3").startswith(b"GIF89a")


def test_show_gives_each_position_of_a_game_nodes_unless_told_otherwise(tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    game.write_text("1. e4 *\n")

    def drawn(name: str, *limits: str) -> bytes:
        words = ["show", str(game), "--mode", "deep", "--no-table", *limits, "-o", str(tmp_path / name)]
        assert console.run_here(*words).code == 0
        return (tmp_path / name).read_bytes()

    assert drawn("a.html") == drawn("b.html", "--nodes", "50000")
    assert drawn("c.html", "--depth", "2") != drawn("d.html", "--depth", "7")


def test_query_of_a_deep_table_names_mode_and_unit(deep_table: Path, classic_table: Path) -> None:
    words = ["query", HANGING_QUEEN, "--table", str(deep_table)]
    outcome = console.run(*words, "--json", "--candidates", "--line")
    assert outcome.returncode == 0, outcome.stderr
    data = json.loads(outcome.stdout)
    jsonschema.validate(data, schema())
    assert (data["mode"], data["unit"], data["state"]) == (
        "deep",
        "centipawns (+300: odds about 10:1)",
        "known",
    )
    assert (data["depth"], data["moves"][0]["san"]) == (6, "Nxh4")
    assert data["q"] == data["q_mover"] == data["centipawns"] > 200
    assert data["learned"] == data["q"] - data["static"]
    assert (data["candidates"][0]["san"], data["line"]["moves"][0]["san"]) == ("Nxh4", "Nxh4")
    assert console.run_here(*words, "--mode", "deep", "--json").code == 0
    text = console.run_here(*words).output
    assert "mode deep; values are White minus Black, in centipawns (+300: odds about 10:1)" in text
    assert "heat units" not in text
    for mode, table in (("classic", deep_table), ("deep", classic_table)):
        refused = console.run_here("query", "--mode", mode, "--table", str(table))
        assert (refused.code, refused.errors.count("\n")) == (1, 1)
        assert f"but --mode {mode} was given" in refused.errors


def test_query_prints_the_digits_that_a_unit_is_worth(deep_table: Path, tmp_path: Path) -> None:
    classic_table = tmp_path / "classic.table"
    with Engine(classic_table, mode="classic") as engine:
        engine.pick_move(HANGING_QUEEN)
    for table, number in ((deep_table, r"[+-]?\d+"), (classic_table, r"[+-]?\d+\.\d\d")):
        text = console.run_here("query", HANGING_QUEEN, "--table", str(table), "--candidates").output
        assert re.search(rf"^q {number}   static {number}   learned {number}$", text, re.MULTILINE)
        assert re.search(rf"^ *1 +\S+ +{number} +{number} +{number} ", text, re.MULTILINE)
        assert re.search(rf"^ *1 +{number} +(table|search) ", text, re.MULTILINE)


def test_query_says_how_much_of_the_next_plies_a_deep_table_has(deep_table: Path) -> None:
    words = ["query", HANGING_QUEEN, "--table", str(deep_table), "--tree", "2", "--json"]
    levels = json.loads(console.run_here(*words).output)["coverage"]
    assert [level["ply"] for level in levels] == [1, 2]
    assert levels[0]["known"] >= 1


def test_query_in_deep_mode_mirrors_values_and_knows_the_end() -> None:
    def asked(fen: str) -> dict[str, float]:
        outcome = console.run_here("query", fen, "--no-table", "--json")
        data = json.loads(outcome.output)
        assert data["mode"] == "deep"
        jsonschema.validate(data, schema())
        return {"": data["static"], **{move["uci"]: move["static"] for move in data["moves"]}}

    # The second is a check, which is answered before heat is asked.
    for fen in (HANGING_QUEEN, "4k3/8/8/8/4r3/8/3P1P2/4K2R w - - 0 1"):
        turned = asked(chess.Board(fen).mirror().fen())
        for name, static in asked(fen).items():
            move = name and chess.Move.from_uci(name)
            if move:
                squares = (chess.square_mirror(move.from_square), chess.square_mirror(move.to_square))
                name = chess.Move(*squares, move.promotion).uci()
            assert turned[name] == -static
    mate = asked("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2")["d8h4"]
    assert mate == -31000.0


@pytest.fixture
def mate_table(tmp_path: Path) -> Path:
    return searched(tmp_path / "mate.table", MATE_IN_TWO)


def test_query_of_a_deep_table_counts_mates_from_the_position_asked_about(mate_table: Path) -> None:
    def asked(fen: str, *words: str) -> dict[str, Any]:
        outcome = console.run_here("query", fen, *words, "--table", str(mate_table), "--json")
        data: dict[str, Any] = json.loads(outcome.output)
        jsonschema.validate(data, schema())
        return data

    data = asked(MATE_IN_TWO, "--candidates", "--line")
    best, unknown = data["moves"][0], next(move for move in data["moves"] if not move["known"])
    assert (best["san"], best["q"], best["mate_in"], best["reply"]["mate_in"]) == ("Kf7", 30_998, 2, 2)
    assert (data["q"], data["mate_in"]) == (30_997, 2)
    assert (unknown["mate_in"], unknown["reply"] and unknown["reply"]["mate_in"]) == (None, None)
    assert data["candidates"][0]["mate_in"] == 2
    assert [move["mate_in"] for move in data["line"]["moves"]] == [2, 2]

    replying = asked(MATE_IN_TWO, "--moves", "Kf7")
    assert (replying["q"], replying["mate_in"], replying["moves"][0]["mate_in"]) == (30_998, -1, -1)
    mating = asked(MATE_IN_TWO, "--moves", "Kf7", "Kh7")
    assert (mating["moves"][0]["san"], mating["moves"][0]["mate_in"]) == ("Rh1#", 1)
    over = asked(MATE_IN_TWO, "--moves", "Kf7", "Kh7", "Rh1")
    assert (over["state"], over["static"], over["mate_in"]) == ("checkmate", 31_000, 0)

    rows = csv.DictReader(
        console.run_here("query", MATE_IN_TWO, "--table", str(mate_table), "--csv").output.splitlines()
    )
    assert next(rows)["mate_in"] == "2"


def test_query_of_a_deep_table_says_mates_in_words(mate_table: Path) -> None:
    def asked(fen: str, *words: str) -> list[str]:
        outcome = console.run_here("query", fen, *words, "--table", str(mate_table))
        assert "3099" not in outcome.output
        assert "31000" not in outcome.output
        return outcome.output.splitlines()

    lines = asked(MATE_IN_TWO, "--candidates", "--line")
    assert any(line.startswith("q White mates in 2   static +") for line in lines)
    rows = {line.split()[1]: line.split() for line in lines if line[:2].strip().isdigit()}
    assert (rows["Kf7"][2], rows["Kf7"][4]) == ("+#2", "-")
    assert "+#3 means that White mates in 3 moves from here, -#3 that Black does." in lines
    assert any(line.startswith("1  White mates in 2  table") for line in lines)
    assert "line: 1. Kf7 Kh7 (White mates in 2; nothing is known after that)" in lines

    after = asked(MATE_IN_TWO, "--moves", "Kf7", "Kh7", "Rh1")
    assert "q -   static White has mated   learned -" in after
    black = asked("6r1/8/8/8/8/5k2/8/7K b - - 0 1")
    assert "q Black mates in 2" in "\n".join(black)
    assert "-#2" in "\n".join(black)
    without = console.run_here("query", "--no-table").output
    assert "#" not in without


def test_a_check_that_a_mate_answers_is_a_mate_in_one() -> None:
    """The mating answer was valued as if it had been played: who mates next had mated already."""
    for fen in ("R3q1k1/5ppp/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/5PPP/r3Q1K1 b - - 0 1"):
        outcome = console.run_here("query", fen, "--no-table", "--json")
        data = json.loads(outcome.output)
        assert (abs(data["static"]), data["mate_in"], data["moves"][0]["mate_in"]) == (30_999, 1, 1)
