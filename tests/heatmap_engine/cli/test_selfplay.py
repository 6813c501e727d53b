"""`heatmap-engine selfplay`: what it takes, what it shows, how it is stopped and gone on with."""

import json
import os
import signal
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import chess
import console
from process_groups import wait_until
from selfplay_runs import (
    arguments,
    created,
    go_on,
    moves_of,
    require_consistent,
    started,
)

from games.chess.archive import Archive
from games.chess.openings import load_openings, split_openings
from heatmap_engine.engines.engine import Engine
from heatmap_engine.learning.runs.folder import RunFolder, games_of_run
from heatmap_engine.learning.runs.running import Run, open_run_table
from qtable import QTable


def selfplay(*words: str, **variables: str) -> tuple[int, str, str]:
    outcome = console.run("selfplay", *words, **variables)
    return outcome.returncode, outcome.stdout.decode(), outcome.stderr.decode()


def test_a_run_without_options_learns_into_the_users_own_table(tmp_path: Path) -> None:
    code, output, errors = selfplay("--games", "1", "--max-plies", "14", XDG_DATA_HOME=str(tmp_path))
    assert (code, errors) == (0, "")
    home = tmp_path / "heatmap-engine"
    (folder,) = (home / "runs").iterdir()
    assert f"{folder}: 1 game learned into {home / 'default.deep.table'}" in output
    run = RunFolder.open(folder).config
    assert (run.mode, run.nodes, run.learning_nodes, run.deep_weights) == ("deep", 20_000, 20_000, None)
    require_consistent(folder, 1)
    with QTable(home / "default.deep.table", readonly=True) as table:
        assert len(table) > 10


def test_the_mode_follows_from_what_is_given(tmp_path: Path) -> None:
    played = ["--games", "1", "--max-plies", "9", "--lines", "1"]
    for name, mode, words in (
        ("plies", "classic", ["--plies", "1"]),
        ("table", "classic", ["--table", str(tmp_path / "classic.table")]),
        ("named", "classic", ["--mode", "classic", "--tactical", "0"]),
        ("nodes", "deep", ["--nodes", "50", "--learning-nodes", "50"]),
    ):
        place = [] if "--table" in words else ["--table", str(tmp_path / f"{name}.table")]
        if name == "table":
            Engine(tmp_path / "classic.table", mode="classic").learn_game(chess.Board(), "1/2-1/2")
        outcome = selfplay(*played, *words, *place, "--run", str(tmp_path / name))
        assert (outcome[0], outcome[2]) == (0, "")
        assert RunFolder.open(tmp_path / name).config.mode == mode
    words = ["--table", str(tmp_path / "plies.table"), "--mode", "deep", "--run", str(tmp_path / "wrong")]
    code, _, errors = selfplay(*played, *words)
    assert (code, errors) == (
        1,
        f"heatmap-engine: {words[1]} is a table of mode classic, but --mode deep was given\n",
    )
    assert not (tmp_path / "wrong").exists()


def test_a_run_of_few_lines_plays_each_again(tmp_path: Path) -> None:
    assert selfplay(*arguments(tmp_path, games=4, workers=1), "--lines", "2")[0] == 0
    folder = tmp_path / "run"
    training, _ = split_openings(load_openings())
    assert [opening.moves for opening in load_openings(folder / "openings.pgn")] == [
        opening.moves for opening in training[:2]
    ]
    for round_, moves in moves_of(folder).items():
        line = training[(int(round_) - 1) % 2].moves
        assert moves[: len(line)] == line


def test_a_run_that_was_stopped_plays_the_games_that_it_would_have_played(tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    for folder in (whole, stopped):
        folder.mkdir()
    assert selfplay(*arguments(whole, games=60, workers=1))[0] == 0
    process = started(*arguments(stopped, games=60, workers=1))
    wait_until(lambda: (stopped / "run" / "measurements.jsonl").exists(), process)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert process.returncode == 130, (output, errors)
    assert f"go on with: heatmap-engine selfplay --resume {stopped / 'run'}".encode() in output
    done = len(moves_of(stopped / "run"))
    assert 1 <= done < 60
    assert selfplay("--resume", str(stopped / "run"), "--workers", "1")[0] == 0
    assert moves_of(stopped / "run") == moves_of(whole / "run")
    require_consistent(stopped / "run", 60)


def test_a_finished_and_a_stopped_run_are_lengthened_to_the_same_games(tmp_path: Path) -> None:
    """Also if the lengthened run is killed: then it goes on to its new end without being told again."""
    finished, stopped = tmp_path / "finished", tmp_path / "stopped"
    for folder in (finished, stopped):
        folder.mkdir()
    assert selfplay(*arguments(finished, games=20, workers=1))[0] == 0
    process = started(*arguments(stopped, games=20, workers=1))
    wait_until(lambda: (stopped / "run" / "measurements.jsonl").exists(), process)
    process.send_signal(signal.SIGINT)
    process.communicate()

    process = started("--resume", str(finished / "run"), "--games", "60", "--workers", "1")
    wait_until(lambda: len(measured(finished)) > 20, process)
    process.kill()
    process.communicate()
    assert RunFolder.open(finished / "run").config.games == 60
    assert 20 < len(measured(finished)) < 60
    assert selfplay("--resume", str(finished / "run"), "--workers", "1")[0] == 0
    log = (finished / "run" / "run.log").read_text()
    assert "began with 1 workers after 0 games, of 20 games in all" in log
    assert "went on with 1 workers after 20 games, of 60 games in all" in log

    assert selfplay("--resume", str(stopped / "run"), "--games", "60", "--workers", "1")[0] == 0
    for folder in (finished, stopped):
        epsilons = [game.epsilon_white for game in require_consistent(folder / "run", 60)]
        assert epsilons[19:] == [0.02] * 41
    assert moves_of(stopped / "run") == moves_of(finished / "run")


def measured(folder: Path) -> list[bytes]:
    return (folder / "run" / "measurements.jsonl").read_bytes().splitlines()


def test_a_table_learns_from_two_runs_at_the_same_time(tmp_path: Path) -> None:
    one, two = (
        started(*arguments(tmp_path, "--run", str(tmp_path / name), games=40, workers=1))
        for name in ("one", "two")
    )
    for process in (one, two):
        output, errors = process.communicate()
        assert process.returncode == 0, (output, errors)
    with QTable(tmp_path / "table", readonly=True) as table:
        assert table.check() == []
        assert table.journal_length() == 80
        found = table.stats()
        plies = 0
        for name in ("one", "two"):
            run = RunFolder.open(tmp_path / name)
            games = [*games_of_run(table, run.config.run)]
            assert sorted(int(game.record.round) for game in games) == [*range(1, 41)]
            assert len([*Archive(run.games_pgn)]) == 40
            plies += sum(len(game.record.moves) + 1 for game in games)
    assert found.wins + found.draws + found.losses == plies


def test_another_writer_is_waited_for(tmp_path: Path) -> None:
    go_on(created(tmp_path, games=1))
    holder = sqlite3.connect(tmp_path / "table", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    process = started(*arguments(tmp_path, "--run", str(tmp_path / "two"), games=2, workers=1))
    assert process.stderr is not None
    said = process.stderr.readline().decode()
    assert "waiting for another writer" in said
    holder.execute("ROLLBACK")
    holder.close()
    output, errors = process.communicate()
    assert (process.returncode, errors) == (0, b""), output
    assert "waiting for another writer" in (tmp_path / "two" / "run.log").read_text()
    with QTable(tmp_path / "table", readonly=True) as table:
        assert table.journal_length() == 3


def test_piped_it_writes_a_line_for_some_games(tmp_path: Path) -> None:
    code, output, errors = selfplay(*arguments(tmp_path, "--every", "4", games=10, workers=1))
    assert (code, errors) == (0, "")
    lines = [line for line in output.splitlines() if " of 10 games" in line]
    assert [line.split(" of ")[0] for line in lines] == ["4", "8", "10"]
    for words in ("games/h", "White won", "by repetition", "plies per game", "mean value change", "table"):
        assert all(words in line for line in lines)


def test_json_is_one_line_for_each_game_and_one_for_the_run(tmp_path: Path) -> None:
    code, output, errors = selfplay(*arguments(tmp_path, "--json", games=3, workers=1))
    assert (code, errors) == (0, "")
    *games, whole = map(json.loads, output.splitlines())
    assert [game["game"] for game in games] == [1, 2, 3]
    text = (tmp_path / "run" / "measurements.jsonl").read_text()
    assert games == [json.loads(line) for line in text.splitlines()]
    assert (whole["run"], whole["games"], whole["stopped"]) == (str(tmp_path / "run"), 3, False)
    assert whole["new"] == games[-1]["entries"] == sum(game["new"] for game in games)


def test_a_run_says_in_its_first_line_how_much_stronger_it_has_made_the_engine(tmp_path: Path) -> None:
    words = [word for word in arguments(tmp_path, games=16, workers=1) if word != "--no-measure"]
    code, output, errors = selfplay(*words, "--checkpoints", "8", "--every", "12")
    assert (code, errors) == (0, "")
    after_12, *_, first, folder = [line for line in output.splitlines() if not line.startswith("  ")]
    assert "after 8 games, against the untrained engine: Elo" in after_12
    assert first.startswith("after 16 games, against the untrained engine: Elo ")
    assert "on openings that it has not seen (won-drawn-lost " in first
    assert "on openings that it has seen (won-drawn-lost " in first
    assert "16 games learned into" in folder
    report = console.run_here("report", str(tmp_path / "run"))
    assert report.output.splitlines()[0] == first
    matches = json.loads(console.run_here("report", str(tmp_path / "run"), "--json").output)["strength"]
    assert [(match["part"], match["games_learned"], match["games"]) for match in matches] == [
        ("seen", 16, 4),
        ("unseen", 16, 4),
    ]
    # What was played counts as a part of the curve, and is not played again.
    assert (tmp_path / "run" / "curve" / "games-000008-unseen" / "games.pgn").exists()
    picture = tmp_path / "run.svg"
    assert console.run_here("report", str(tmp_path / "run"), "--plot", str(picture)).code == 0
    assert "<!-- Elo against the untrained engine" in picture.read_text()


def test_a_run_that_is_not_measured_says_nothing_of_strength(tmp_path: Path) -> None:
    code, output, _ = selfplay(*arguments(tmp_path, games=2, workers=1))
    assert code == 0
    assert "untrained" not in output
    assert not (tmp_path / "run" / "curve").exists()


def test_on_a_terminal_numbers_stand_under_a_bar(tmp_path: Path) -> None:
    code, output = console.run_on_terminal(
        "selfplay", *arguments(tmp_path, games=30, workers=1), TERM="xterm", columns=100
    )
    assert code == 0
    for words in (
        "of 30 games",
        "games/h",
        "plies per game",
        "mean value change",
        "entries new",
        "left",
        "━",
    ):
        assert words in output
    assert "30 games learned into" in output
    # Lines that were filled up to the terminal's width would be broken by the "^C" that it shows, and a
    # part of the drawing would stay behind.
    assert "MB" in output
    assert "MB  " not in output


def on_keyboard(tmp_path: Path, *words: str) -> tuple["subprocess.Popen[bytes]", int]:
    """A run that would take long, which has recorded some games, and its terminal."""
    places = ["--run", str(tmp_path / "run"), "--table", str(tmp_path / "table")]
    process, terminal = console.start_on_terminal(
        "selfplay",
        *("--games", "100000", "--workers", "2", *places, *words),
        columns=200,
        keyboard=True,
        TERM="xterm",
    )
    while not (tmp_path / "run" / "measurements.jsonl").exists():
        console.read_until(terminal, "plies per game")
    return process, terminal


def test_ctrl_c_finishes_the_games_that_run_and_says_how_to_go_on(tmp_path: Path) -> None:
    process, terminal = on_keyboard(tmp_path, "--mode", "classic", "--max-plies", "60")
    console.type_keys(terminal, "\x03")
    said = console.read_to_end(terminal).decode()
    assert process.wait() == 130
    assert f"go on with: heatmap-engine selfplay --resume {tmp_path / 'run'}" in said
    assert "learned into" in said
    assert "Ctrl-C again stops at once" in said
    games = len([*RunFolder.open(tmp_path / "run").measurements()])
    require_consistent(tmp_path / "run", games)  # none of the first so many is missing
    assert "stopped after" in (tmp_path / "run" / "run.log").read_text()


def test_ctrl_c_twice_stops_now_and_loses_only_what_was_not_finished(tmp_path: Path) -> None:
    """Every second game is over when it begins, the others take two minutes.

    Keys are pressed until the process has ended: a late one used to end it by the signal, not with 130.
    """
    lines = tmp_path / "lines.pgn"
    lines.write_text('[Event "a"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[Event "b"]\n\n1. d4 d5 *\n')
    process, terminal = on_keyboard(
        tmp_path, "--openings", str(lines), "--mode", "classic", "--max-plies", "4", "--movetime", "60000"
    )
    presses = 0
    with ThreadPoolExecutor(1) as pool:
        output = pool.submit(console.read_to_end, os.dup(terminal))
        while process.poll() is None:  # two presses at the same moment would be one signal
            console.type_keys(terminal, "\x03")
            presses += 1
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
        said = output.result().decode()
    os.close(terminal)
    assert process.returncode == 130
    assert presses >= 2
    assert f"go on with: heatmap-engine selfplay --resume {tmp_path / 'run'}" in said
    folder = RunFolder.open(tmp_path / "run")
    assert "games by KeyboardInterrupt" in (folder.path / "run.log").read_text()
    with open_run_table(folder.config, must_exist=True) as table:
        Run(folder, table)  # what going on begins with
    assert {measurement.game % 2 for measurement in require_consistent(folder.path)} == {1}
