"""`analyse` ranks the moves, says where values come from, and changes nothing."""

import json
import re
from pathlib import Path

import chess
import console
import pytest
from click.testing import CliRunner, Result

import heatmap_engine as he
from heatmap_engine.cli.analyse import command
from heatmap_engine.cli.heat import command as heat_command
from heatmap_engine.errors import HeatmapError
from qtable import Entry, QTable
from qtable.errors import TableMismatch, TableMissing

RUY_LOPEZ = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own data, which must not be that of whoever runs the tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "heatmap-engine"


pytestmark = pytest.mark.usefixtures("data")


def analyse(*words: str) -> Result:
    return CliRunner().invoke(command, ("--mode", "classic", *words))


def answer(*words: str) -> dict[str, object]:
    result = analyse("--json", *words)
    assert result.exit_code == 0, result.output
    found: dict[str, object] = json.loads(result.stdout)
    return found


def error_of(*words: str) -> BaseException:
    result = analyse(*words)
    assert result.exit_code == 1
    assert result.exception is not None
    return result.exception


def table_that_knows_after(path: Path, *moves: str, value: float) -> Path:
    """A table with one entry, for the position after these moves; the value is the mover's there."""
    board = chess.Board()
    for move in moves:
        board.push_san(move)
    with he.Engine(path, mode="classic") as engine:
        assert engine.table is not None
        engine.table.record({he.key_of(board): Entry(value, depth=5, source="search")})
    return path


def test_candidates_are_those_of_the_engine() -> None:
    with he.Engine(record="off", mode="classic") as engine:
        pick = engine.pick_move(RUY_LOPEZ, he.Limits(plies=3))
    found = answer(RUY_LOPEZ, "--plies", "3")
    candidates = found["candidates"]
    assert isinstance(candidates, list)
    assert {(entry["move"], entry["score"]) for entry in candidates} == {
        (candidate.move.uci(), candidate.score) for candidate in pick.candidates
    }
    assert [entry["score"] for entry in candidates] == sorted(entry["score"] for entry in candidates)
    assert (found["score"], found["plies"], found["nodes"]) == (pick.score, 3, pick.nodes)


def test_json_has_the_documented_fields() -> None:
    found = answer(*RUY_LOPEZ.split())
    page = (Path(__file__).parents[3] / "docs" / "reference" / "json.md").read_text()
    for name in found:
        assert f"`{name}`" in page, f"{name} is not documented"
    candidates = found["candidates"]
    assert isinstance(candidates, list)
    for name in candidates[0]:
        assert f"`{name}`" in page, f"{name} of a candidate is not documented"
    board = chess.Board(RUY_LOPEZ)
    for entry in candidates:
        assert board.parse_uci(entry["move"]) == board.parse_san(entry["san"])
        assert entry["line"][:2] == [entry["move"], entry["reply"]]
    after = found["after"]
    assert isinstance(after, dict)
    board.push_uci(str(found["move"]))
    assert (after["fen"], after["score"]) == (board.fen(), he.score(board))


@pytest.mark.parametrize("rights", ["KQkq", "GBgb"])
def test_a_position_is_chess960_where_its_castling_is(rights: str) -> None:
    fen = f"1r3kr1/p1n3p1/8/8/8/8/P1N3P1/1R3KR1 w {rights} - 0 1"
    result = analyse(fen)
    assert result.output.startswith(
        "White to move in 1r3kr1/p1n3p1/8/8/8/8/P1N3P1/1R3KR1 w KQkq - 0 1 (Chess960)\n"
    )
    assert re.search(r" O-O\+ +f1g1 ", result.output)
    assert "(Chess960)" not in analyse(RUY_LOPEZ).output


def test_text_ranks_and_draws_the_heat_after_the_best() -> None:
    result = analyse(RUY_LOPEZ, "--top", "3")
    best = answer(RUY_LOPEZ)
    lines = result.output.splitlines()
    assert lines[0] == f"Black to move in {RUY_LOPEZ}"
    assert lines[1] == "mode classic; values are White minus Black, in heat units"
    assert lines[2].startswith("Classic mode counts moves")
    assert lines[4].split()[:3] == ["1", best["san"], best["move"]]
    assert [line[0] for line in lines[4:7]] == ["1", "2", "3"]
    assert lines[7].startswith("and 27 more, down to +")
    assert "What changes from here to the end of the line:" in lines
    after = chess.Board(RUY_LOPEZ)
    after.push_uci(str(best["move"]))
    drawn = CliRunner().invoke(heat_command, [after.fen()]).output
    assert result.output.endswith(drawn)


@pytest.mark.parametrize(
    "words",
    [
        ["--moves", "e4", "e5", "Nf3", "Nc6", "Bb5", "--plies", "1"],
        ["--plies", "1", "--moves", "e2e4", "e7e5", "g1f3", "b8c6", "f1b5"],
        ["startpos", "--moves", "1.e4 e5 2.Nf3 Nc6 3.Bb5", "--plies", "1"],
        ["--plies", "1", "--moves=1. e4 e5 2. nf3 Nc6 3. Bb5!?"],
    ],
    ids=" ".join,
)
def test_moves_are_played_first(words: list[str]) -> None:
    assert answer(*words)["fen"] == RUY_LOPEZ


def test_moves_make_a_history_in_which_positions_repeat() -> None:
    # Moving back for the third time is a draw; without the history it is not.
    shuffle = ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"]
    found = answer("--moves", *shuffle)["candidates"]
    assert isinstance(found, list)
    assert {entry["move"]: entry["score"] for entry in found}["f6g8"] == 0.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--moves", "e4", "Ke5"], "move 2: 'Ke5' is not a legal move in rnbqkbnr/"),
        (["k7/8/8/8/8/1N6/8/K4N2 w - - 0 1", "--moves", "Nd2"], "move 1: 'Nd2' is more than one move in k7/"),
        (["k7/6P1/8/8/8/8/8/K7 w - - 0 1", "--moves", "g8"], "must say what the pawn becomes, as in g8q"),
        (["nonsense"], "expected a FEN"),
        ([MATED], "the game is over, there is no move to find: 1-0, checkmate (7k/6Q1"),
        (["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"], "1/2-1/2, stalemate"),
        (["--plies", "17"], "plies must be from 1 to 16, got 17"),
        (["--tactical", "17"], "tactical_plies must be an int from 0"),
        (["--seconds", "-1"], "--seconds must be above zero, got -1.0"),
    ],
)
def test_wrong_questions_are_answered_in_words(words: list[str], message: str) -> None:
    error = error_of(*words)
    assert isinstance(error, HeatmapError)
    assert message in str(error)


def test_drawn_position_with_moves_is_ranked_and_named() -> None:
    fen = "7k/8/8/8/8/8/8/KB6 w - - 0 1"
    assert "By the rules the game is over: 1/2-1/2, insufficient material." in analyse(fen).output
    assert answer(fen)["terminal"] == "insufficient material"


def test_question_asked_again_has_the_same_answer() -> None:
    drawn = "7k/8/8/8/8/8/8/KB6 w - - 0 1"  # all its moves are worth the same
    assert len({str(answer(drawn)["move"]) for _ in range(8)}) == 1


def test_values_come_from_the_named_table_and_say_so(tmp_path: Path) -> None:
    table = table_that_knows_after(tmp_path / "[a] :cat: table", "a3", "a6", value=-5000.0)
    known = answer("--table", str(table), "--plies", "2")
    assert known["table"] == str(table)
    assert known["table_hits"] == 1
    candidates = known["candidates"]
    assert isinstance(candidates, list)
    assert {entry["move"]: entry["source"] for entry in candidates} == {
        **{entry["move"]: "search" for entry in candidates},
        "a2a3": "table",
    }
    text = analyse("--table", str(table), "--top", "99").output
    assert f"1 values from {table}" in text.replace("\n", "")
    assert [line for line in text.splitlines() if " table " in line and "a2a3" in line]


def test_question_changes_no_table(tmp_path: Path) -> None:
    table = table_that_knows_after(tmp_path / "table", "a3", "a6", value=1.0)
    before = table.read_bytes()
    answer("--table", str(table))
    assert table.read_bytes() == before
    with QTable(table, readonly=True) as opened:
        assert len(opened) == 1


def test_own_table_is_used_if_it_is_there(data: Path) -> None:
    assert answer()["table"] is None
    assert not data.exists()
    data.mkdir(parents=True)
    table = table_that_knows_after(data / "default.table", "a3", "a6", value=1.0)
    assert answer()["table"] == str(table)
    assert answer("--no-table")["table"] is None


def test_missing_table_is_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "none.table"
    error = error_of("--table", str(missing))
    assert isinstance(error, TableMissing)
    assert str(missing) in str(error)
    assert not missing.exists()


def test_table_of_other_values_is_refused(tmp_path: Path) -> None:
    with he.Engine(tmp_path / "deep", mode="classic", heat_depth=2) as engine:
        engine.pick_move("8/8/4k3/8/8/3PK3/8/8 w - - 0 1")
    assert isinstance(error_of("--table", str(tmp_path / "deep")), TableMismatch)


def test_table_and_no_table_contradict_each_other(tmp_path: Path) -> None:
    result = analyse("--table", str(tmp_path / "t"), "--no-table")
    assert result.exit_code == 2


@pytest.mark.parametrize("words", [["--top", "0"], ["--plies", "0"], ["--tactical", "-1"]], ids=" ".join)
def test_numbers_that_cannot_be_are_usage_errors(words: list[str]) -> None:
    assert analyse(*words).exit_code == 2


def test_lines_of_stdin_become_lines_of_json() -> None:
    outcome = console.run(
        "analyse",
        "-",
        "--no-table",
        "--mode",
        "classic",
        stdin=f"startpos\n{MATED}\n{RUY_LOPEZ}\n".encode(),
    )
    assert outcome.returncode == 1
    assert [json.loads(line)["move"] for line in outcome.stdout.splitlines()] == [
        answer()["move"],
        answer(RUY_LOPEZ)["move"],
    ]
    assert outcome.stderr.startswith(b"heatmap-engine: line 2: the game is over")


def test_ctrl_c_shows_what_was_found_so_far() -> None:
    process, terminal = console.start_on_terminal(
        "analyse", "--mode", "classic", "--seconds", "1000000", "--no-table", keyboard=True, TERM="xterm"
    )
    console.read_until(terminal, "thinking; Ctrl-C answers at once\n")
    console.type_keys(terminal, "\x03")
    output = console.read_to_end(terminal)
    assert process.wait() == 0
    assert b"White to move in" in output
    assert b"and 10 more" in output


def test_classic_says_that_it_does_not_know_pieces(tmp_path: Path) -> None:
    """After 3.Bb5 it prefers 3...Qh4, where the queen is taken; nobody was told why it would say so."""
    words = ("--no-table", "--moves", "e4", "e5", "Nf3", "Nc6", "Bb5")
    caution = "does not know what a piece is worth"
    classic = console.run_here("analyse", "--mode", "classic", *words).output
    assert " 1  Qh4 " in classic
    assert caution in classic.splitlines()[2]
    deep = console.run_here("analyse", *words).output
    assert "Qh4" not in deep
    assert caution not in deep
    for mode, expected in (("classic", True), ("deep", False)):
        path = tmp_path / f"{mode}.svg"
        assert console.run_here("show", "--mode", mode, "-o", str(path), *words).code == 0
        assert ("mode classic" in path.read_text()) is expected
