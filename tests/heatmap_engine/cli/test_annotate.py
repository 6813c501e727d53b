"""`annotate`: PGN files as people have them, on pipes and on a real terminal."""

import gzip
import json
from pathlib import Path

import chess.pgn
import console
import jsonschema
import pytest

from heatmap_engine.reports.annotation_data import annotation_schema

GAME = """\
[Event "Club"]
[White "Ann"]
[Black "Bob"]
[Result "0-1"]

1. e4 e5 2. Nf3 { natural } Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1
"""
QUICK = ("--nodes", "2000", "--no-table")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own data, which must not be that of whoever runs the tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "heatmap-engine"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.pgn"
    path.write_text(GAME)
    return path


def games_in(path: Path) -> list[chess.pgn.Game]:
    with path.open(encoding="utf-8") as stream:
        games = list(iter(lambda: chess.pgn.read_game(stream), None))
    assert all(not game.errors for game in games)
    return games


def test_a_game_comes_out_annotated(file: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.pgn"
    # Enough nodes to see what the better move is.
    outcome = console.run("annotate", str(file), "-o", str(output), "--nodes", "8000", "--no-table")
    assert (outcome.returncode, outcome.stdout) == (0, b"")
    said = outcome.stderr.decode()
    assert said.startswith("game 1: Ann - Bob, 0-1, C50 Italian Game: Blackburne-Kosti\u0107 Gambit. White: ")
    (game,) = games_in(output)
    nodes = list(game.mainline())
    assert [node.eval() is not None for node in nodes] == [True] * 13 + [False]
    blunder = nodes[8]
    assert blunder.nags & {2, 4}
    assert len(blunder.parent.variations) == 2
    assert "Better is 5. Bxf7+." in " ".join(blunder.comment.split())
    assert nodes[2].comment.startswith("natural")
    assert (game.headers["ECO"], game.headers["White"]) == ("C50", "Ann")
    assert int(game.headers["BlackAccuracy"]) > int(game.headers["WhiteAccuracy"])
    assert file.read_text() == GAME


def test_the_same_game_has_the_same_annotation_wherever_it_stands(file: Path) -> None:
    once = console.run("annotate", str(file), *QUICK)
    twice = console.run("annotate", "-", *QUICK, stdin=f"{GAME}\n{GAME}".encode())
    assert twice.returncode == once.returncode == 0
    assert twice.stdout == 2 * once.stdout


def test_json_is_what_the_schema_says(file: Path) -> None:
    outcome = console.run("annotate", str(file), "--json", *QUICK)
    (line,) = outcome.stdout.splitlines()
    data = json.loads(line)
    jsonschema.validate(data, annotation_schema())
    assert [move["san"] for move in data["moves"]][-1] == "Nf3#"
    assert data["moves"][-1]["over"] == "checkmate"
    assert data["moves"][8]["mark"] in ("?", "??")
    assert data["opening"]["eco"] == "C50"
    printed = json.loads(console.run("annotate", "--schema").stdout)
    assert printed == annotation_schema()


def test_classic_mode_annotates_too(file: Path) -> None:
    outcome = console.run("annotate", str(file), "--json", "--mode", "classic", "--plies", "1", "--no-table")
    data = json.loads(outcome.stdout)
    jsonschema.validate(data, annotation_schema())
    assert data["mode"] == "classic"


def test_compressed_files_and_output_with_json(tmp_path: Path) -> None:
    file, output = tmp_path / "game.pgn.gz", tmp_path / "out.pgn"
    file.write_bytes(gzip.compress(GAME.encode()))
    outcome = console.run("annotate", str(file), "-o", str(output), "--json", *QUICK)
    assert json.loads(outcome.stdout)["whole"] is True
    assert len(games_in(output)) == 1


def test_games_that_cannot_be_annotated_are_copied_and_named(tmp_path: Path) -> None:
    file = tmp_path / "mixed.pgn"
    broken = '[Event "broken"]\n\n1. e4 Ke5 { my note } *\n'
    file.write_text(f'{GAME}\n{broken}\n[Event "empty"]\n\n*\n\n{GAME}')
    outcome = console.run("annotate", str(file), *QUICK)
    assert outcome.returncode == 1
    said = outcome.stderr.decode().splitlines()
    assert said[1].startswith("game 2 was left as it is, broken: ply 2: 'Ke5' is not a legal move")
    assert said[2] == "game 3 was left as it is, no moves: expected moves, got none"
    assert outcome.stdout.decode().count("[%eval") >= 2 * 13
    assert broken in outcome.stdout.decode()


def test_a_variation_that_would_be_lost_keeps_the_game_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    file.write_text("1. e4 e5 ( 1... Kd6 { what if } ) 2. Nf3 *\n")
    outcome = console.run("annotate", str(file), *QUICK)
    assert outcome.returncode == 1
    assert b"( 1... Kd6 { what if } )" in outcome.stdout
    assert outcome.stderr.startswith(b"game 1 was left as it is, broken: in a variation: ")


@pytest.mark.parametrize("content", ["", "\n\n", "% nothing\n"])
def test_a_file_without_games_makes_none(content: str, tmp_path: Path) -> None:
    file, output = tmp_path / "none.pgn", tmp_path / "out.pgn"
    file.write_text(content)
    outcome = console.run("annotate", str(file), "-o", str(output))
    assert outcome.returncode == 1
    assert outcome.stderr.decode() == f"heatmap-engine: expected games in {file}, found none\n"
    assert not output.exists()


def test_what_is_there_is_not_overwritten_unless_it_may_be(file: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.pgn"
    output.write_text("mine")
    refused = console.run("annotate", str(file), "-o", str(output), *QUICK)
    assert refused.returncode == 1
    assert refused.stderr.endswith(b"is already there and was left alone; --force overwrites it\n")
    assert output.read_text() == "mine"
    assert console.run("annotate", str(file), "-o", str(output), "--force", *QUICK).returncode == 0
    assert len(games_in(output)) == 1
    itself = console.run("annotate", str(file), "-o", str(file), "--force", *QUICK)
    assert b"is the file to be read and was left alone" in itself.stderr
    assert file.read_text() == GAME


def test_a_damaged_archive_does_not_cost_the_games_before(tmp_path: Path) -> None:
    file, output = tmp_path / "game.pgn.gz", tmp_path / "out.pgn"
    whole = gzip.compress(f"{GAME}\n{GAME}\n".encode()) + gzip.compress(GAME.encode())
    file.write_bytes(whole[:-20])
    outcome = console.run("annotate", str(file), "-o", str(output), *QUICK)
    assert outcome.returncode == 1
    assert b"cannot be read" in outcome.stderr
    assert len(games_in(output)) >= 2


def test_ctrl_c_writes_what_is_done_and_says_how_far(tmp_path: Path) -> None:
    file, output = tmp_path / "games.pgn", tmp_path / "out.pgn"
    file.write_text(f"{GAME}\n" * 2000)
    process, terminal = console.start_on_terminal(
        "annotate",
        str(file),
        "-o",
        str(output),
        "--nodes",
        "20000",
        "--no-table",
        keyboard=True,
        TERM="xterm",
    )
    console.read_until(terminal, "game 2: Ann")
    console.type_keys(terminal, "\x03")
    said = console.read_to_end(terminal).decode()
    assert process.wait() == 130
    assert "stopped: " in said
    games = games_in(output)
    assert 2 <= len(games) < 2000
    assert all(len(list(game.mainline())) == 14 for game in games)
    assert next(iter(games[0].mainline())).eval() is not None


def test_ctrl_c_ends_a_search_that_has_no_end(tmp_path: Path) -> None:
    file, output = tmp_path / "game.pgn", tmp_path / "out.pgn"
    file.write_text("1. e4 *\n")
    process, terminal = console.start_on_terminal(
        "annotate",
        str(file),
        "-o",
        str(output),
        "--seconds",
        "1000000",
        "--no-table",
        keyboard=True,
        TERM="xterm",
    )
    console.read_until(terminal, "0 of 1 moves")
    console.type_keys(terminal, "\x03")
    said = console.read_to_end(terminal).decode()
    assert process.wait() == 130
    assert "stopped: no move of game 1 was done; nothing was written" in said
    assert not output.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["game.pgn"]


def test_your_own_table_is_read(file: Path, data: Path) -> None:
    table = data / "default.deep.table"
    table.parent.mkdir(parents=True)
    assert console.run("learn", str(file), "--nodes", "500").returncode == 0
    with_table = json.loads(console.run("annotate", str(file), "--json", "--nodes", "2000").stdout)
    assert with_table["table"] == str(table)
    named = json.loads(
        console.run("annotate", str(file), "--json", "--table", str(table), "--nodes", "2000").stdout
    )
    assert named == with_table
