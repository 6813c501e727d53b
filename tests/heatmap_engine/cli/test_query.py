"""`heatmap-engine query`: its faces agree, bad input is named, and nothing is written."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import chess
import console
import jsonschema
import pytest
from reported_positions import STATES, WORKED, table_at
from uci_dialogue import in_process

from heatmap_engine import Engine, key_of
from heatmap_engine.reports.report_data import schema
from qtable import QTable

VALIDATOR = jsonschema.Draft202012Validator(schema())
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = table_at(tmp_path / "worked.table")
    unknown = chess.Board(WORKED)
    unknown.push_san("Rh2")
    with QTable(path) as opened:
        assert opened.delete(key_of(unknown)) == 1
    return path


def query(*arguments: str, code: int = 0) -> str:
    outcome = console.run_here("query", *arguments)
    assert outcome.code == code, outcome.errors
    return outcome.output


def as_json(*arguments: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(query(*arguments, "--json"))
    VALIDATOR.validate(data)
    return data


def rows_of_text(text: str) -> dict[str, list[str]]:
    """The cells of the table of moves, by move."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.split()[:2] == ["move", "q"])
    rows = [line.split() for line in lines[first + 1 :] if re.match(r" *\d+ ", line)]
    return {cells[1]: cells for cells in rows}


def test_text_csv_json_and_uci_agree(table: Path) -> None:
    moves = {move["san"]: move for move in as_json(WORKED, "--table", str(table))["moves"]}
    text = rows_of_text(query(WORKED, "--table", str(table), "--all"))
    rows = {
        row["san"]: row for row in csv.DictReader(io.StringIO(query(WORKED, "--table", str(table), "--csv")))
    }
    with in_process(str(table)) as gui:
        gui.send("setoption name Mode value classic")
        gui.send(f"position fen {WORKED}")
        lines = [line.split() for line in gui.ask("q")]
    uci = {cells[0]: cells for cells in lines if cells and cells[0] in moves}
    assert set(moves) == set(text) == set(rows) == set(uci)
    assert sum(move["known"] for move in moves.values()) == 20
    for san, move in moves.items():
        known = move["known"]
        assert move["q"] == (float(rows[san]["q"]) if known else None)
        assert move["static"] == float(rows[san]["static"])
        assert (rows[san]["known"], rows[san]["reply"]) == (
            json.dumps(known),
            move["reply"]["uci"] if move["reply"] else "",
        )
        assert text[san][2:4] == [f"{move['q']:+.2f}" if known else "-", f"{move['static']:+.2f}"]
        assert text[san][6] == (str(move["visits"]) if known else "-")
        assert text[san][7] == (f"{move['wins']}/{move['draws']}/{move['losses']}" if known else "-")
        assert uci[san][1:3] == [f"{move['q']:.3f}" if known else "-", f"{move['static']:.3f}"]
        if known:
            assert list(map(int, uci[san][3:8])) == [
                move[name] for name in ("depth", "visits", "wins", "draws", "losses")
            ]


def test_uci_eval_and_heat_are_those_of_the_json(table: Path) -> None:
    data = as_json(WORKED, "--table", str(table))
    with in_process(str(table)) as gui:
        gui.send("setoption name Mode value classic")
        gui.send(f"position fen {WORKED}")
        parts, heat = gui.ask("eval"), gui.ask("heat")
    assert any(line.startswith(f"score {data['static']:+.4f} ") for line in parts)
    rook = data["heat"]["white"]["mobility"]["rook"]
    assert f"{rook:.2f}" in next(line for line in parts if line.startswith("White mobility")).split()
    first_rank = next(line for line in heat if line.startswith("1 ")).split()[1:9]
    numbers = data["heat"]["white"]["heat"][:8]
    assert first_rank == [f"{value:.2f}" if value else "." for value in numbers]


@pytest.mark.parametrize("name", STATES)
def test_every_state_is_named_in_text_and_json(name: str, table: Path) -> None:
    fen, moves = STATES[name]
    state, _, reason = name.partition(": ")
    arguments = [fen, *(["--moves", *moves.split()] if moves else []), "--table", str(table)]
    data = as_json(*arguments)
    assert data["state"] == state
    second = query(*arguments).splitlines()[1]
    assert second.startswith(f"drawn by rule: {reason}" if reason else f"{state}:")


def test_order_of_moves(table: Path) -> None:
    def names(sort: str) -> list[str]:
        return [move["san"] for move in as_json(WORKED, "--table", str(table), "--sort", sort)["moves"]]

    assert names("san") == sorted(names("q"))
    visits = [
        move["visits"] or 0 for move in as_json(WORKED, "--table", str(table), "--sort", "visits")["moves"]
    ]
    assert visits == sorted(visits, reverse=True)
    assert names("q")[0] == "Kb6"


def test_line_and_tree(table: Path) -> None:
    arguments = [WORKED, "--table", str(table), "--line", "--tree", "2"]
    data = as_json(*arguments)
    assert [move["san"] for move in data["line"]["moves"]] == ["Kb6", "Kb8", "Rh8#"]
    assert [level["ply"] for level in data["coverage"]] == [1, 2]
    text = query(*arguments)
    assert "line: 1. Kb6 Kb8 2. Rh8# (+384.00; checkmate)" in text
    level = data["coverage"][1]
    assert re.search(rf"^ *2 +{level['positions']:,} +{level['known']:,} ", text, re.MULTILINE)


def test_candidates_are_those_of_a_pick(table: Path) -> None:
    arguments = [WORKED, "--table", str(table), "--candidates"]
    candidates = as_json(*arguments)["candidates"]
    with Engine(table, record="off") as engine:
        assert engine.mode.name == "classic"
        picked = engine.pick_move(WORKED).candidates
    assert {move["uci"]: (move["score"], move["from_table"]) for move in candidates} == {
        candidate.move.uci(): (candidate.score, candidate.from_table) for candidate in picked
    }
    assert candidates[0] == {
        "uci": "c6b6",
        "san": "Kb6",
        "score": 384.0,
        "mate_in": None,
        "from_table": True,
        "line": ["c6b6", "a8b8"],
    }
    text = query(*arguments)
    assert re.search(r"^ *1 +\+384\.00 +table +1\. Kb6 Kb8 *$", text, re.MULTILINE)
    assert re.search(r"^ *12 +\+16\.55 +search ", text, re.MULTILINE)
    assert "ahead" not in query(*arguments[:-1])


def test_moves_are_walked_in_either_notation(table: Path) -> None:
    walked = as_json(WORKED, "--table", str(table), "--moves", "1.", "Kb6", "a8b8")
    assert walked["state"] == "known"
    assert walked["best"] == "h1h8"


def test_many_fens_give_a_line_each_and_bad_ones_are_named(table: Path) -> None:
    stdin = f"{WORKED}\nnonsense\nstartpos\n".encode()
    outcome = console.run("query", "-", "--table", str(table), stdin=stdin)
    assert outcome.returncode == 1
    answers = [json.loads(line) for line in outcome.stdout.splitlines()]
    for answer in answers:
        VALIDATOR.validate(answer)
    assert [answer["state"] for answer in answers] == ["known", "invalid", "unknown"]
    assert answers[1]["fen"] == "nonsense"
    assert "expected a FEN" in answers[1]["reason"]
    assert outcome.stderr.startswith(b"heatmap-engine: line 2: ")


def test_one_bad_fen_is_an_error_and_with_json_an_answer_too() -> None:
    data = json.loads(query("nonsense", "--json", "--no-table", code=1))
    VALIDATOR.validate(data)
    assert data["state"] == "invalid"
    assert query("nonsense", "--no-table", code=1) == ""
    assert query("--no-table", "--moves", "e5", code=1) == ""


@pytest.mark.parametrize(
    "arguments", [["--csv", "--json"], ["-", "--csv"], ["--csv", "--line"], ["--tree", "9"], ["--sort", "x"]]
)
def test_options_that_contradict_are_usage_errors(arguments: list[str]) -> None:
    query("--no-table", *arguments, code=2)


def test_a_missing_table_is_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "missing.table"
    outcome = console.run_here("query", "--table", str(missing))
    assert outcome == (1, "", f"heatmap-engine: there is no table at {missing}\n")
    assert b"there is no table" in console.run("query", XDG_DATA_HOME=str(tmp_path / "home")).stdout
    assert list(tmp_path.iterdir()) == []


def test_a_table_is_not_changed_by_questions(table: Path) -> None:
    before = table.read_bytes()
    for arguments in (["query", "--json", "--candidates"], ["query", "--line"], ["why", "Kb6"], ["changes"]):
        fen = [] if arguments[0] == "changes" else [WORKED]
        words = [arguments[0], *fen, *arguments[1:], "--table", str(table)]
        assert console.run_here(*words).code == 0
    assert table.read_bytes() == before


def test_on_a_terminal_of_80_columns_nothing_is_cut_off(table: Path) -> None:
    code, output = console.run_on_terminal(
        "query",
        WORKED,
        "--table",
        str(table),
        "--all",
        columns=80,
        TERM="xterm-256color",
        COLORTERM="truecolor",
    )
    assert code == 0
    plain = ANSI.sub("", output)
    assert len(rows_of_text(plain)) == 21
    assert max(len(line) for line in plain.splitlines() if re.match(r" *\d+ ", line)) <= 80
    assert "…" not in plain
    coloured = {ANSI.sub("", line): line for line in output.splitlines()}
    rows = {plain.split()[1]: line for plain, line in coloured.items() if re.match(r" *\d+ ", plain)}
    assert "38;2;236;120;16" in rows["Kb6"]  # orange: White is better
    assert "38;5;244" in rows["Rh2"]  # grey: unknown


def test_the_schema_is_printed() -> None:
    assert json.loads(query("--schema")) == schema()
