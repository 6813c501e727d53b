"""`heatmap-engine learn`: what it takes, what it says, and what is in the table afterwards."""

import bz2
import gzip
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import console
import pytest
import zstandard
from learning_games import short_games, totals, write_games

from games.chess.record import GameRecord
from heatmap_engine.board.keys import key_of
from heatmap_engine.board.reading import as_board
from heatmap_engine.engines.engine import Engine
from qtable import Entry, QTable

CLASSIC = ("--mode", "classic")

BAD_GAMES = b"""[Event "one"]

1. e4 e5 2. Ke3 1-0

[Event "two"]
[Variant "Atomic"]

1. e4 e5 1-0

[Event "three"]
[Result "1-0"]

1-0

[Event "four"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1
"""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write_games(tmp_path / "games.pgn", 4)


def learn(*arguments: str | Path, stdin: bytes = b"") -> dict[str, object]:
    """The summary of a run that has to succeed, in classic mode, which walks games in milliseconds."""
    outcome = console.run("learn", *map(str, arguments), *CLASSIC, "--json", stdin=stdin)
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    summary: dict[str, object] = json.loads(outcome.stdout)
    return summary


def content(path: Path) -> dict[str, Entry]:
    """All entries, without when they were recorded."""
    with QTable(path, readonly=True) as table:
        return {key: entry._replace(updated=0) for key, entry in table}


def journal(path: Path) -> list[str]:
    with QTable(path, readonly=True) as table:
        return [line.id for line in table.journal()]


def ids(number: int) -> list[str]:
    return [game.game_id for game in short_games(number)]


@pytest.mark.parametrize(
    ("words", "mode", "settings"),
    [(CLASSIC, "classic", {}), (("--nodes", "300"), "deep", {"learning_nodes": 300})],
    ids=["classic", "deep"],
)
def test_one_worker_learns_what_the_engine_learns_game_by_game(
    words: tuple[str, ...], mode: str, settings: dict[str, int], games: Path, tmp_path: Path
) -> None:
    path = tmp_path / "table"
    outcome = console.run("learn", str(games), "--table", str(path), *words)
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    assert outcome.stdout.startswith(b"learned 4 games (")
    with Engine(tmp_path / "by hand", mode=mode, **settings) as engine:
        for game in short_games(4):
            engine.learn_game(game)
    assert content(path) == content(tmp_path / "by hand")
    assert journal(path) == journal(tmp_path / "by hand") == ids(4)


def test_two_workers_count_what_one_counts(games: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert learn(games, "--table", one)["learned"] == 4
    assert learn(games, "--table", two, "--workers", "2")["learned"] == 4
    assert totals(one) == totals(two)
    assert set(journal(two)) == set(ids(4))


@pytest.mark.parametrize(
    ("name", "compress"),
    [
        ("games.pgn.gz", gzip.compress),
        ("games.pgn.bz2", bz2.compress),
        ("games.pgn.zst", zstandard.ZstdCompressor().compress),
        ("-", bytes),
    ],
)
def test_compressed_files_and_standard_input(
    name: str, compress: Callable[[bytes], bytes], games: Path, tmp_path: Path
) -> None:
    data = compress(games.read_bytes())
    if name != "-":
        (tmp_path / name).write_bytes(data)
    place = name if name == "-" else tmp_path / name
    assert learn(place, "--table", tmp_path / "table", stdin=data)["learned"] == 4


def test_games_that_were_learned_before_are_passed_over(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    assert learn(games, "--table", path)["known"] == 0
    before = content(path)
    again = learn(games, games, "--table", path)
    assert (again["learned"], again["known"]) == (0, 8)
    assert content(path) == before


def test_force_walks_again_and_counts_no_result_twice(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    learn(games, "--table", path)
    before = totals(path)
    assert learn(games, "--table", path, "--force", "--workers", "2")["learned"] == 4
    after = totals(path)
    assert after[3:] == before[3:]
    assert after[2] > before[2]
    listed = console.run("learn", "--list", "--json", "--table", str(path)).stdout.splitlines()
    assert [json.loads(line)["walks"] for line in listed] == [2] * 4


@pytest.mark.parametrize(
    "data",
    [b"key,value\nabc,1\n", b'{"a": 1}\n', b"\0\1\2", b'[Event "x"]\n\n1. e5 *\n'],
    ids=["csv", "json", "bytes", "illegal"],
)
def test_file_in_which_nothing_is_a_game_is_an_error_and_the_others_are_learned(
    data: bytes, games: Path, tmp_path: Path
) -> None:
    other, path = tmp_path / "other", tmp_path / "table"
    other.write_bytes(data)
    outcome = console.run("learn", str(other), str(games), "--table", str(path), "--json")
    said = f"heatmap-engine: {other}: expected games in PGN, found none that can be played"
    assert outcome.stderr.decode().splitlines()[-1] == said
    assert outcome.returncode == 1
    found = json.loads(outcome.stdout)
    assert (found["learned"], found["unreadable"]) == (4, [str(other)])


def test_file_without_anything_is_no_error(games: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.pgn"
    empty.touch()
    assert learn(empty, games, "--table", tmp_path / "table")["learned"] == 4


@pytest.mark.parametrize("variant", ['[Variant "Chess960"]\n', ""])
@pytest.mark.parametrize("rights", ["KQkq", "HBhb"])
def test_a_game_of_chess960_is_learned(variant: str, rights: str, tmp_path: Path) -> None:
    start = f"nrkbbqnr/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQNR w {rights} - 0 1"
    moves = "1. f4 f5 2. e3 e6 3. Be2 Be7 4. Bf2 Bf7 5. d3 d6 6. O-O-O"
    games = tmp_path / "games.pgn"
    games.write_text(f'{variant}[SetUp "1"]\n[FEN "{start}"]\n[Result "*"]\n\n{moves} *\n')
    assert learn(games, "--table", tmp_path / "table")["learned"] == 1
    board = as_board(start).copy()
    known = content(tmp_path / "table")
    for san in re.findall(r"[A-Za-z][\w-]+", moves):
        assert key_of(board) in known, board.fen()
        board.push_san(san)
    assert board.board_fen().endswith("/N1KR1QNR")
    assert key_of(board) in known


def test_games_that_cannot_be_played_are_named_and_skipped(tmp_path: Path) -> None:
    file = tmp_path / "bad.pgn"
    file.write_bytes(BAD_GAMES)
    outcome = console.run("learn", str(file), "--table", str(tmp_path / "table"), *CLASSIC)
    errors = outcome.stderr.decode().splitlines()
    assert [line.split(": ")[2].split(",")[0] for line in errors] == [
        "game 1 was skipped",
        "game 2 was skipped",
        "game 3 was skipped",
    ]
    assert b"skipped 3 games: 1 broken, 1 no moves, 1 variant\n" in outcome.stdout
    assert b"learned 1 game (4 positions)" in outcome.stdout
    assert outcome.returncode == 0


def test_damaged_file_is_read_as_far_as_it_goes_and_the_next_one_after_it(
    games: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.pgn.gz"
    other = tmp_path / "other.pgn"
    other.write_bytes(BAD_GAMES.partition(b'[Event "four"]')[2])
    damaged.write_bytes(gzip.compress(games.read_bytes())[:-20])
    words = [str(damaged), str(other), "--table", str(tmp_path / "table"), *CLASSIC, "--json"]
    outcome = console.run("learn", *words)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(f"heatmap-engine: {damaged}: cannot be read".encode())
    summary = json.loads(outcome.stdout)
    assert summary["unreadable"] == [str(damaged)]
    assert summary["learned"] >= 1
    assert GameRecord(("f2f3", "e7e5", "g2g4", "d8h4"), "0-1").game_id in journal(tmp_path / "table")


def test_rebuilding_makes_the_same_table_and_drops_what_no_game_taught(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    learn(games, "--table", path)
    learned = content(path)
    with QTable(path) as table:
        table.record({key: Entry(1e9, depth=9) for key in [*list(learned)[:5], "from elsewhere"]})
    assert content(path) != learned
    outcome = console.run("learn", "--rebuild", "--table", str(path))
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    assert f"had {len(learned) + 1:,} entries and now has {len(learned):,}".encode() in outcome.stdout
    assert content(path) == learned
    assert journal(path) == ids(4)
    assert not [*tmp_path.glob("table-rebuilding*")]


def test_program_that_has_the_table_open_sees_the_rebuilt_one(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    learn(games, "--table", path)
    with QTable(path) as table:
        table.record({"from elsewhere": Entry(1.0)})
        learn("--rebuild", "--table", path, "--workers", "2")
        assert "from elsewhere" not in table
        table.record({"later": Entry(2.0)})
    with QTable(path, readonly=True) as table:
        assert "later" in table
        assert table.check() == []


def test_table_forget_does_what_learn_forget_does(games: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    game = next(iter(short_games(4))).game_id
    learn(games, "--table", one)
    shutil.copy(one, other)
    said = console.run("learn", "--forget", game[:8], "--table", str(one), "--json").stdout
    also = console.run("table", "forget", str(other), game[:8], "--json").stdout
    assert json.loads(said)["forgotten"] == game
    assert json.loads(also) == json.loads(said) | {"table": str(other)}
    assert content(other) == content(one)
    assert game not in journal(other)
    again = console.run("table", "forget", str(other), game)
    assert again.returncode == 1
    assert f"learn --list --table {other}\n".encode() in again.stderr


def test_forgotten_game_is_gone_after_rebuilding(games: Path, tmp_path: Path) -> None:
    path, others = tmp_path / "table", tmp_path / "others.pgn"
    learn(games, "--table", path)
    first, *rest = short_games(4)
    outcome = console.run("learn", "--forget", first.game_id[:8], "--table", str(path))
    assert outcome.stdout.startswith(f"forgot {first.game_id}".encode())
    assert b"took back its result at 13 positions, and removed " in outcome.stdout
    assert b"3 games learned after it may rest on it" in outcome.stdout
    assert f"heatmap-engine learn --rebuild --table {path}".encode() in outcome.stdout
    learn("--rebuild", "--table", path)
    others.write_text("".join(game.to_pgn() for game in rest))
    learn(others, "--table", tmp_path / "never had it")
    assert content(path) == content(tmp_path / "never had it")


def test_forget_says_in_json_what_it_came_to(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    learn(games, "--table", path)
    before = totals(path)
    last = list(short_games(4))[-1]
    outcome = console.run("learn", "--forget", last.game_id, "--table", str(path), "--json")
    said = json.loads(outcome.stdout)
    assert (said["forgotten"], said["later"], said["results"]) == (last.game_id, 0, len(last.moves) + 1)
    assert sum(before[3:]) - sum(totals(path)[3:]) == len(last.moves) + 1
    assert said["removed"] > 0


def test_draft_of_a_journal_that_has_changed_is_not_used(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    learn(games, "--table", path)
    learned = totals(path)
    learn(write_games(tmp_path / "more.pgn", 6), "--table", tmp_path / "table-rebuilding")
    learn("--rebuild", "--table", path)
    assert totals(path) == learned


def test_list_shows_the_journal(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    learn(games, "--table", path)
    outcome = console.run("learn", "--list", "--table", str(path))
    assert [line.split()[0].decode() for line in outcome.stdout.splitlines()] == ids(4)


@pytest.mark.parametrize("beginning", ["", "x"])
def test_forget_takes_one_game_only(beginning: str, games: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    learn(games, "--table", path)
    before = journal(path)
    outcome = console.run("learn", "--forget", beginning, "--table", str(path))
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(b"heatmap-engine: expected the id of one game")
    assert journal(path) == before


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--rebuild", "--list"],
        ["games.pgn", "--rebuild"],
        ["--list", "--force"],
        ["--list", "--nodes", "5"],
        ["games.pgn", "--mode", "classic", "--nodes", "5"],
        ["no such file"],
        ["--workers", "0"],
    ],
    ids=" ".join,
)
def test_usage_errors(arguments: list[str], games: Path) -> None:
    arguments = [str(games) if argument == games.name else argument for argument in arguments]
    assert console.run("learn", *arguments).returncode == 2


@pytest.mark.parametrize("action", ["--rebuild", "--list", "--forget=ab"])
def test_missing_table_is_one_line(action: str, tmp_path: Path) -> None:
    outcome = console.run("learn", action, "--table", str(tmp_path / "none"))
    assert outcome.returncode == 1
    assert outcome.stderr == f"heatmap-engine: there is no table at {tmp_path / 'none'}\n".encode()


def test_table_of_nobody_is_the_users_own(games: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    for name, words in (("default.deep.table", ("--nodes", "100")), ("default.table", CLASSIC)):
        outcome = console.run("learn", str(games), *words, "--json", XDG_DATA_HOME=str(data))
        assert outcome.returncode == 0
        path = Path(json.loads(outcome.stdout)["table"])
        assert path == data / "heatmap-engine" / name
        assert journal(path) == ids(4)


def test_the_table_that_is_named_decides_the_mode(games: Path, tmp_path: Path) -> None:
    path, more = tmp_path / "table", write_games(tmp_path / "more.pgn", 5)
    learn(games, "--table", path)
    again = console.run("learn", str(more), "--table", str(path))
    assert (again.returncode, again.stdout.split()[:3]) == (0, [b"learned", b"1", b"game"])
    for words in ([str(games)], ["--list"], ["--rebuild"]):
        refused = console.run("learn", *words, "--table", str(path), "--mode", "deep")
        assert refused.returncode == 1
        assert refused.stderr.decode() == (
            f"heatmap-engine: {path} is a table of mode classic, but --mode deep was given\n"
        )


def test_terminal_shows_games_and_pipes_show_none(games: Path, tmp_path: Path) -> None:
    code, shown = console.run_on_terminal("learn", str(games), "--table", str(tmp_path / "table"), *CLASSIC)
    assert code == 0
    assert "4 of 4 games" in shown
    assert "learned 4 games" in shown
