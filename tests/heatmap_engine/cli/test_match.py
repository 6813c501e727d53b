"""The command `match`: whole matches in real processes, stopped, killed and resumed."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import console
import pytest
from endgame_tables import SYZYGY
from match_sides import FEW_OPENINGS, SCRIPTED_ENGINE
from process_groups import living_in_group, wait_until

from games.chess.archive import Archive
from heatmap_engine.cli.match_sides import sides
from heatmap_engine.cli.match_view import interval_text
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.match.pace import Pace, TimeControl
from heatmap_engine.match.sides import OurSide
from heatmap_engine.match.sprt import Sprt
from heatmap_engine.match.strength import Pentanomial, Strength
from heatmap_engine.memory.tables import open_table
from qtable import QTable

QUICK = ("--plies", "1", "--max-plies", "30", "--seed", "3")
OURS = "untrained tactical=0"
NO_LIMITS = dict.fromkeys(("mode", "tc", "movetime", "nodes", "depth", "plies"))


def arguments(folder: Path, *options: str, first: str = OURS, second: str = OURS) -> list[str]:
    # The whole suite takes half of the time that such a small match takes.
    lines = () if "--openings" in options else ("--openings", str(FEW_OPENINGS))
    return ["match", "--first", first, "--second", second, "--dir", str(folder), *QUICK, *lines, *options]


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def rounds(folder: Path) -> list[int]:
    return sorted(int(record.round) for record in Archive(folder / "games.pgn"))


def played(folder: Path) -> int:
    try:
        return Archive(folder / "games.pgn").count()
    except OSError:
        return 0


def start(*options: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [console.HEATMAP_ENGINE, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def test_control_match_of_equal_sides_is_near_zero(tmp_path: Path) -> None:
    folder = tmp_path / "control"
    options = ("--games", "40", "--workers", "2", "--max-plies", "80", "--json")
    outcome = console.run(*arguments(folder, *options))
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    last = json.loads(outcome.stdout.splitlines()[-1])
    assert last["games"] == 40
    assert last["wins"] + last["draws"] + last["losses"] == 40
    assert sum(last["pentanomial"]) == last["pairs"] == 20
    score = (last["wins"] + last["draws"] / 2) / 40
    assert abs(score - 0.5) <= 0.1  # the seed makes it the same each time
    assert last["finished"]
    by_hand = sum(count * points / 4 for points, count in enumerate(last["pentanomial"])) / 20
    assert score == pytest.approx(by_hand)
    assert results(folder) == {key: value for key, value in last.items() if key != "folder"}


def test_killed_at_random_moments_plays_every_game_once(tmp_path: Path) -> None:
    folder, source, games = tmp_path / "match", random.Random(5), 40
    for number in range(5):
        begun = (folder / "match.json").exists()
        options = ["match", "--resume", str(folder)] if begun else arguments(folder, "--games", str(games))
        before = played(folder)
        process = start(*options, "--workers", str(1 + number % 2))
        wait_until(lambda: played(folder) > before, process)  # noqa: B023 called in this round only
        time.sleep(source.uniform(0, 0.02))
        assert process.poll() is None, f"all was played before {number + 1} kills: {process.communicate()}"
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        while [*living_in_group(process.pid)]:
            time.sleep(0.01)
    outcome = console.run("match", "--resume", str(folder), "--workers", "2")
    assert outcome.returncode == 0, outcome.stderr
    assert rounds(folder) == [*range(1, games + 1)]
    assert results(folder)["pairs"] == games // 2
    undisturbed = tmp_path / "undisturbed"
    assert console.run(*arguments(undisturbed, "--games", str(games))).returncode == 0
    assert _moves(undisturbed) == _moves(folder)


def _moves(folder: Path) -> dict[str, tuple[str, ...]]:
    return {record.round: record.moves for record in Archive(folder / "games.pgn")}


def test_ctrl_c_finishes_running_games_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    process = start(*arguments(folder, "--games", "400", "--workers", "2"))
    wait_until(lambda: played(folder) >= 3, process)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, errors) == (130, b"")
    assert b"heatmap-engine match --resume" in output
    assert b"Elo" in output
    assert 3 <= played(folder) < 400
    games = played(folder) + played(folder) % 2 + 2
    outcome = console.run("match", "--resume", str(folder), "--games", str(games))
    assert outcome.returncode == 0, outcome.stderr
    assert rounds(folder) == [*range(1, games + 1)]


def test_ctrl_c_twice_stops_now_though_an_engine_hangs(tmp_path: Path) -> None:
    """The first pair is over with its opening; in the second the engine neither answers nor hears the end."""
    folder, lines = tmp_path / "match", tmp_path / "lines.pgn"
    lines.write_text("1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 d5 *\n")
    engine = f"engine='{sys.executable} {SCRIPTED_ENGINE} hang 1'"
    options = ("--games", "4", "--openings", str(lines), "--max-plies", "4", "--workers", "2")
    process = start(*arguments(folder, *options, second=engine))
    wait_until(lambda: played(folder) == 2, process)
    while process.poll() is None:  # until it has ended: two presses at the same moment are one signal
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.02)
    output, errors = process.communicate()
    assert (process.returncode, output) == (130, b"")
    assert errors.decode().splitlines() == [
        "stopped at once: what was recorded before is kept",
        f"go on with: heatmap-engine match --resume {folder}",
    ]
    while [*living_in_group(process.pid)]:  # the engines end with the workers that were killed
        time.sleep(0.01)
    assert rounds(folder) == [1, 2]
    assert results(folder)["games"] == 2


def test_null_move_loses_its_game_and_the_match_goes_on(tmp_path: Path) -> None:
    """`bestmove 0000` ended the match with an error, and every --resume of it."""
    folder = tmp_path / "match"
    engine = f"engine='{sys.executable} {SCRIPTED_ENGINE} null 2'"
    outcome = console.run(*arguments(folder, "--games", "4", "--workers", "1", second=engine))
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    assert {record.termination for record in Archive(folder / "games.pgn")} == {"rules infraction: no move"}
    assert (results(folder)["wins"], results(folder)["losses"]) == (4, 0)
    assert console.run("match", "--resume", str(folder), "--games", "6").returncode == 0
    assert results(folder)["wins"] == 6


def test_sequential_test_stops_at_its_bound(tmp_path: Path) -> None:
    folder = tmp_path / "sprt"
    engine = f"engine='{sys.executable} {SCRIPTED_ENGINE} illegal 1'"
    outcome = console.run(*arguments(folder, "--sprt", "0:400", "--json", "--workers", "1", second=engine))
    assert outcome.returncode == 0, outcome.stderr
    found = json.loads(outcome.stdout.splitlines()[-1])
    assert found["verdict"]["accepts"] == "H1"
    # With pairs of 2:0 only; the pair before had not been enough.
    test, pairs = Sprt(0, 400), found["verdict"]["pairs"]
    assert (
        test.llr(Pentanomial((0, 0, 0, 0, pairs)))
        >= test.upper
        > test.llr(Pentanomial((0, 0, 0, 0, pairs - 1)))
    )
    assert 2 * pairs <= found["games"] <= 2 * pairs + 1  # a game that was running is finished
    assert found["elo"] is None
    assert any("rules infraction" in warning for warning in found["warnings"])
    again = console.run("match", "--resume", str(folder), "--json")
    assert json.loads(again.stdout)["games"] == found["games"]


def test_sequential_test_stops_at_a_game_that_was_given_up(tmp_path: Path) -> None:
    """It takes pairs in order, so that all games beyond would be for nothing until this one is there."""
    engine = f"engine='{sys.executable} {SCRIPTED_ENGINE} murder 1'"
    words = arguments(tmp_path / "match", "--sprt", "0:100", "--workers", "1", second=engine)
    outcome = console.run(*words)
    assert outcome.returncode == 1
    *given_up, last = outcome.stderr.decode().splitlines()
    names = [line.removeprefix("heatmap-engine: ").split(" was ")[0] for line in given_up]
    assert names == ["game 1", "game 2"]  # the second is begun before the first is known to be lost
    assert "games were given up, so that the match is not over; go on with: heatmap-engine match" in last
    assert results(tmp_path / "match")["games"] == 0


def test_side_that_learns_has_each_game_in_its_table_once(tmp_path: Path) -> None:
    table, folder = tmp_path / "learner.table", tmp_path / "match"
    first = f"table={table} learn tactical=0"
    process = start(*arguments(folder, "--games", "12", first=first))
    wait_until(lambda: played(folder) >= 3, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert console.run("match", "--resume", str(folder)).returncode == 0
    assert rounds(folder) == [*range(1, 13)]
    ids = {record.game_id for record in Archive(folder / "games.pgn")}
    with QTable(table, readonly=True) as opened:
        assert opened.check() == []
        assert sorted(line.id for line in opened.journal()) == sorted(ids)


def test_small_suite_and_repeated_games_are_warned_of(tmp_path: Path) -> None:
    lines = tmp_path / "one.pgn"
    lines.write_text("1. e4 e5 *\n")
    outcome = console.run(*arguments(tmp_path / "match", "--games", "6", "--openings", str(lines)))
    assert b"3 pairs were played from 1 openings" in outcome.stdout
    assert b"of 6 games are distinct" in outcome.stdout


def test_terminal_shows_the_standing(tmp_path: Path) -> None:
    code, output = console.run_on_terminal(*arguments(tmp_path / "match", "--games", "4"))
    assert code == 0
    assert "4 of 4 games" in output
    assert "untrained tactical=0 against untrained tactical=0 (2)" in output


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("mode=deep untrained", "untrained mode=deep nodes=9", ("untrained", "untrained nodes=9")),
        ("mode=deep table=own", "mode=classic", ("own table (deep)", "untrained (classic)")),
        ("mode=deep", "table=a/night.table tc=40/60", ("untrained (deep)", "night tc=40/60 (classic)")),
        ("untrained", "mode=classic", ("untrained", "untrained (2)")),
        ("mode=deep name=Rook", "untrained", ("Rook", "untrained (classic)")),
        ("mode=deep weights=a/b.json", "engine=/bin/cat plies=1", ("untrained weights=b.json", "cat")),
    ],
)
def test_sides_have_names_with_the_mode_where_it_tells_them_apart(
    first: str, second: str, names: tuple[str, str]
) -> None:
    one, other = sides(first, second, {**NO_LIMITS, "mode": "classic"})
    assert (one.name, other.name) == names


def ours(first: str, second: str = "untrained", **limits: Any) -> tuple[OurSide, OurSide]:
    one, other = sides(first, second, {**NO_LIMITS, **limits})
    assert isinstance(one, OurSide)
    assert isinstance(other, OurSide)
    return one, other


@pytest.mark.parametrize(
    ("first", "second", "limits", "modes"),
    [
        ("untrained", "untrained", {}, ("deep", "deep")),
        ("untrained", "untrained", {"mode": "classic"}, ("classic", "classic")),
        ("untrained", "mode=classic", {"mode": "deep"}, ("deep", "classic")),
        ("mode=deep", "plies=3", {}, ("deep", "classic")),
        ("tactical=0", "untrained", {}, ("classic", "classic")),
        ("untrained", "heat-depth=2", {}, ("classic", "classic")),
        ("untrained", "untrained", {"plies": 1}, ("classic", "classic")),
        ("untrained", "untrained", {"plies": 1, "mode": "deep"}, ("deep", "deep")),
        ("threads=2", "untrained depth=3", {}, ("deep", "deep")),
        ("table=classic", "untrained", {}, ("classic", "classic")),
        ("table=own", "table=classic", {}, ("classic", "classic")),
        ("mode=deep", "table=classic", {}, ("deep", "classic")),
        ("table=deep learn", "table=classic", {}, ("deep", "classic")),
    ],
)
def test_a_side_has_the_mode_that_its_words_its_table_or_its_opponent_tell(
    first: str,
    second: str,
    limits: dict[str, Any],
    modes: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for mode in ("deep", "classic"):
        open_table(mode, mode_named(mode).settings()).close()
    one, other = ours(first, second, **limits)
    assert (one.mode, other.mode) == modes


def test_the_words_of_a_side_are_settings_or_limits_of_its_mode(tmp_path: Path) -> None:
    weights = tmp_path / "w.json"
    one, other = ours(
        f"weights={weights} hash=8 threads=2 learning-nodes=30 depth=7 nodes=90",
        "mode=classic plies=3 tactical=0 heat-depth=2 weights=cmhm2-static tc=8+0.08",
        nodes=5,
        plies=4,
    )
    assert one.given == {"weights": str(weights), "hash_mib": 8, "threads": 2, "learning_nodes": 30}
    assert one.pace == Pace(nodes=90, plies=7)
    assert other.given == {"plies": 3, "tactical_plies": 0, "heat_depth": 2, "weights": "cmhm2-static"}
    assert other.pace == Pace(TimeControl(8, 0.08))
    assert ours("mode=classic", "mode=deep", depth=6)[0].given == {"plies": 6}
    assert ours("mode=classic", "mode=deep", depth=6)[1].pace == Pace(plies=6)


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ("mode=slow", "expected mode=deep or mode=classic, got 'slow'"),
        ("mode=deep tactical=1", "tactical=… works only with mode=classic, and the mode is deep"),
        ("mode=classic threads=2", "threads=… works only with mode=deep, and the mode is classic"),
        ("mode=classic depth=2", "plies=… is the search depth and heat-depth=… the heat's"),
    ],
)
def test_words_of_the_other_mode_are_refused(first: str, message: str) -> None:
    with pytest.raises(click.UsageError, match=re.escape(message)):
        ours(first)


def test_a_table_of_another_mode_than_was_asked_for_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "classic.table"
    open_table(path, mode_named("classic").settings()).close()
    for words in (["--first", f"table={path} mode=deep"], ["--first", f"table={path}", "--mode", "deep"]):
        outcome = console.run_here("match", *words, "--dir", str(tmp_path / "match"))
        assert outcome.code == 1
        assert outcome.errors == (
            f"heatmap-engine: {path} is a table of mode classic, but mode deep was asked for\n"
        )
    assert not (tmp_path / "match").exists()


def test_a_side_that_loses_on_time_is_told_in_words(tmp_path: Path) -> None:
    engine = f"name=Snail engine='{sys.executable} {SCRIPTED_ENGINE} sleep 1' movetime=1"
    options = ["--games", "2", "--margin", "0", "--workers", "1"]
    outcome = console.run(*arguments(tmp_path / "match", *options, second=engine))
    assert outcome.returncode == 0, outcome.stderr
    assert "note: Snail lost 2 games on time" in outcome.stdout.decode().splitlines()
    assert b"Elo not defined, 95 % interval" in outcome.stdout


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-13.5, 61.5, "-13.5 to +61.5"),
        (104.04, None, "+104, no upper bound"),
        (None, -104.04, "no lower bound, -104"),
        (None, None, "not defined"),
    ],
)
def test_an_interval_without_an_end_says_so(low: float | None, high: float | None, text: str) -> None:
    assert interval_text(Strength(elo=None, elo_low=low, elo_high=high, los=None)) == text


def test_piped_lines_come_every_so_many_games(tmp_path: Path) -> None:
    outcome = console.run(*arguments(tmp_path / "match", "--games", "4", "--every", "2"))
    lines = outcome.stdout.decode().splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["2 games", "4 games"]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--games", "3"], 1, "expected an even number of games"),
        (["--sprt", "5"], 2, "--sprt expects 2 numbers"),
        (["--sprt", "5:0"], 1, "ELO0 < ELO1"),
        (["--first", "table=no-such.table"], 1, "no-such.table"),
        (["--first", "tabel=x"], 2, "got 'tabel=x'"),
        (["--first", "plies=many"], 2, "expected a whole number in plies"),
        (["--first", "untrained learn"], 2, "learn is for a side with a table"),
        (["--first", "untrained", "--second", "engine=x table=y tc=1"], 2, "table is for our own engine"),
        (
            ["--first", "untrained", "--engine", "no-such-engine", "--tc", "1"],
            1,
            "no-such-engine: cannot be started",
        ),
        (["--first", "untrained", "--engine", "x"], 1, "thinks without end"),
        (
            ["--engine", "x", "--second", "untrained"],
            2,
            "--engine names the second side, and so does --second",
        ),
        (["--games", "2"], 1, "there is no table yet at"),
        (["--option", "Hash=1"], 2, "--option is for --engine"),
        (["--tc", "fast"], 1, "time control such as"),
        (["--first", "untrained", "--openings", "no-such.pgn"], 1, "no-such.pgn"),
        (["--resume", "nowhere"], 1, "has no match.json"),
        (["--resume", "x", "--seed", "1", "--dir", "y", "--max-plies", "9"], 2, "--dir, --max-plies, --seed"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_input_is_one_clear_line(
    options: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = console.run("match", *options, XDG_DATA_HOME=str(tmp_path / "data"))
    assert outcome.returncode == code
    assert message in outcome.stderr.decode()
    assert not [*tmp_path.iterdir()]


def test_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    outcome = console.run(*arguments(tmp_path, "--games", "2"))
    assert outcome.returncode == 1
    assert b"is not empty; nothing was written" in outcome.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_endgame_tables_of_a_side_and_of_the_referee(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text("8/8/8/4k2r/8/3K4/8/7R w - - 0 1\n")
    shared = ["match", "--second", "untrained name=other", "--openings", str(book), "--nodes", "200"]
    shared += ["--games", "2", "--dir", str(tmp_path / "match")]
    side = f"untrained syzygy={os.path.relpath(SYZYGY)}"
    outcome = console.run_here(*shared, "--first", side, "--syzygy", os.path.relpath(SYZYGY))
    assert (outcome.code, outcome.errors) == (0, "")
    assert results(tmp_path / "match")["terminations"] == {"adjudication: endgame tables": 2}
    plan = json.loads((tmp_path / "match" / "match.json").read_text())
    assert plan["first"]["syzygy"] == plan["ends"]["syzygy"] == str(SYZYGY)  # wherever it is resumed


def test_endgame_tables_that_are_not_there_begin_no_match(tmp_path: Path) -> None:
    for first, *options in (["untrained syzygy=/nowhere"], ["untrained", "--syzygy", "/nowhere"]):
        shared = ["match", "--nodes", "9", "--dir", str(tmp_path / "match"), "--first", first]
        outcome = console.run_here(*shared, *options)
        assert outcome.code == 1
        assert "expected folders with Syzygy tables" in outcome.errors
        assert not (tmp_path / "match").exists()
    classic = console.run_here("match", "--first", "untrained mode=classic syzygy=/nowhere")
    assert "syzygy=… works only with mode=deep" in classic.errors
