"""Self-play against somebody else than the learner: who it is, what counts, and what may go wrong."""

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import chess
import console
import pytest
from learning_games import games_learned
from match_sides import SCRIPTED_ENGINE, scripted
from process_groups import living_in_group, own_children, wait_until
from selfplay_runs import QUICK, created, go_on, require_consistent, started

import heatmap_engine as he
from games.chess.openings import load_openings
from games.chess.record import RANDOM, GameRecord
from heatmap_engine.learning.forgetting import forget_game
from heatmap_engine.learning.opponents import Opponents
from heatmap_engine.learning.rebuild import rebuild
from heatmap_engine.learning.runs.folder import RunFolder, games_of_run
from heatmap_engine.players.game_loop import Forfeit
from heatmap_engine.players.pace import Pace
from heatmap_engine.players.sides import OurSide, Side, side_as_json
from qtable import Entry, QTable

DEEP = {"mode": "deep", "nodes": 60, "learning_nodes": 60, "plies": 2, "tactical_plies": 1, "explore": "ucb"}
LINE = load_openings()[:1]
UNTRAINED = OurSide("untrained", pace=Pace(nodes=60))


def against(tmp_path: Path, *sides: Side, games: int = 4, **changes: Any) -> RunFolder:
    opponents = [side_as_json(side) for side in sides]
    return created(tmp_path, LINE, opponents=opponents, games=games, **{**DEEP, **changes})


def records_of(folder: RunFolder) -> list[GameRecord]:
    with QTable(folder.config.table, readonly=True) as table:
        return [learned.record for learned in games_of_run(table, folder.config.run)]


def content(path: str) -> dict[str, Entry]:
    with QTable(path, readonly=True) as table:
        return {key: entry._replace(updated=0) for key, entry in table}


def learner_of(record: GameRecord) -> str:
    return "white" if record.white == "Heatmap Engine" else "black"


def test_the_colours_alternate_and_the_pgn_names_the_opponent(tmp_path: Path) -> None:
    folder = against(tmp_path, UNTRAINED)
    go_on(folder)
    games = records_of(folder)
    assert [(game.white, game.black) for game in games] == [
        ("Heatmap Engine", "untrained"),
        ("untrained", "Heatmap Engine"),
    ] * 2
    assert [game.settings["learner"] for game in games] == ["white", "black"] * 2
    assert {game.settings["opponent"] for game in games} == {"mode=deep nodes=60"}
    require_consistent(folder.path, 4)


def test_results_count_only_where_the_opponent_is_to_move(tmp_path: Path) -> None:
    """A result speaks for the learner's moves; what the opponent plays is not the learner's choice."""
    folder = against(tmp_path, UNTRAINED, games=1)
    go_on(folder)
    (game,) = records_of(folder)
    board = game.board()
    counted = {he.key_of(board): board.turn}
    while board.move_stack:
        board.pop()
        counted[he.key_of(board)] = board.turn
    assert learner_of(game) == "white"
    for key, entry in content(folder.config.table).items():
        assert any(entry[4:7]) is (counted.get(key) == chess.BLACK)


def test_points_of_the_learner_are_measured_and_said(tmp_path: Path) -> None:
    folder = against(tmp_path, UNTRAINED)
    go_on(folder)
    points = []
    for game in records_of(folder):
        whites = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}[game.result]
        points.append(whites if learner_of(game) == "white" else 1 - whites)
    assert [measurement.points for measurement in folder.measurements()] == points
    said = console.run_here("report", str(folder.path)).output
    assert f"scored {sum(points) / 4:.1%} against its opponents" in said


def test_opponents_take_turns_and_each_meets_a_line_with_both_colours(tmp_path: Path) -> None:
    older = against(tmp_path / "before", UNTRAINED)
    go_on(older)
    checkpoint = OurSide("checkpoint", Path(older.config.table), pace=Pace(nodes=40))
    folder = against(tmp_path / "after", UNTRAINED, checkpoint, games=6)
    before = Path(older.config.table).read_bytes()
    go_on(folder)
    others = [game.black if learner_of(game) == "white" else game.white for game in records_of(folder)]
    assert others == ["untrained", "untrained", "checkpoint", "checkpoint", "untrained", "untrained"]
    assert Path(older.config.table).read_bytes() == before


def test_only_the_learner_plays_random_moves(tmp_path: Path) -> None:
    folder = against(tmp_path, UNTRAINED, explore="epsilon", epsilon_first=1.0, epsilon_last=1.0)
    go_on(folder)
    for game in records_of(folder):
        said = game.comments[len(LINE[0].moves) :]
        first = len(LINE[0].moves) % 2 == (learner_of(game) == "black")
        learners = [comment.endswith(RANDOM) for comment in said[0 if first else 1 :: 2]]
        others = [comment.endswith(RANDOM) for comment in said[1 if first else 0 :: 2]]
        assert all(learners)
        assert not any(others)


def test_the_same_seed_plays_the_same_games(tmp_path: Path) -> None:
    moves = []
    for name in ("one", "other"):
        folder = against(tmp_path / name, UNTRAINED)
        go_on(folder)
        moves.append([game.moves for game in records_of(folder)])
    assert moves[0] == moves[1]


def test_rebuilding_counts_the_same_results(tmp_path: Path) -> None:
    folder = against(tmp_path, UNTRAINED)
    go_on(folder)

    def results() -> dict[str, tuple[int, int, int]]:
        return {key: entry[4:7] for key, entry in content(folder.config.table).items() if any(entry[4:7])}

    before = results()
    with QTable(folder.config.table) as table:
        assert rebuild(table).is_finished
    assert results() == before


def test_forgetting_takes_away_what_was_counted(tmp_path: Path) -> None:
    folder = against(tmp_path, UNTRAINED, games=2)
    go_on(folder)
    with QTable(folder.config.table) as table:
        first, second = games_of_run(table, folder.config.run)
        forget_game(table, first)
        stats = table.stats()
        assert stats.wins + stats.draws + stats.losses == len(second.record.moves) // 2 + len(
            second.record.moves
        ) % 2 * (learner_of(second.record) == "white") + (learner_of(second.record) == "black")
        forget_game(table, second)
        stats = table.stats()
        assert (stats.wins, stats.draws, stats.losses) == (0, 0, 0)


@pytest.mark.parametrize(
    ("fault", "termination"),
    [
        ("crash", "abandoned: the engine's process ended"),
        ("hang", "stalled connection"),
        ("illegal", "rules infraction: illegal move"),
    ],
)
def test_an_engine_that_goes_wrong_costs_one_game_and_is_named(
    fault: str, termination: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heatmap_engine.players.external_mover._STALLED_S", 1.0)
    folder = against(tmp_path, scripted(fault, 2), UNTRAINED)
    reports: list[str] = []
    go_on(folder, reports=reports)
    games = records_of(folder)
    assert [game.result == "*" for game in games] == [True, True, False, False]
    assert [game.termination for game in games[:2]] == [termination] * 2
    assert reports == [
        f"game {number} has no result, because of its opponent scripted: {termination}" for number in (1, 2)
    ]
    require_consistent(folder.path, 4)


def test_engines_end_with_the_run(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    folder = against(tmp_path, scripted("none", 1, None, str(notes)), games=2)
    go_on(folder)
    assert notes.exists()


def opposing(tmp_path: Path, *options: str, games: int, workers: int) -> list[str]:
    places = ["--run", str(tmp_path / "run"), "--table", str(tmp_path / "table"), "--seed", "1"]
    return [*places, "--games", str(games), "--workers", str(workers), *QUICK, *options]


def scripted_in_words() -> str:
    command = f"'{sys.executable}' '{SCRIPTED_ENGINE}' none 1"
    return f'engine="{command}" name=scripted depth=1'


def test_ctrl_c_is_not_for_the_opponents_program() -> None:
    """It goes to every process of a terminal, and would end the program in the middle of the last game."""
    opponents, board = Opponents(), chess.Board()
    player = opponents.player(scripted("none"), Random(1))
    player.choose(board)
    programs = [*own_children()]
    assert programs
    for program in programs:
        os.kill(program, signal.SIGINT)
    with suppress(Forfeit):
        for _ in range(3):
            player.choose(board)
    opponents.close()
    assert player.fault is None


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_against_an_engine_that_was_killed_goes_on(tmp_path: Path, workers: int) -> None:
    sides = ["--opponent", scripted_in_words(), "--opponent", "untrained"]
    words = opposing(tmp_path, *sides, games=24, workers=workers)
    with started(*words) as process:
        wait_until(lambda: games_learned(tmp_path / "table") >= 4, process)
        os.killpg(process.pid, signal.SIGKILL)
    wait_until(lambda: not [*living_in_group(process.pid)], process)
    done = games_learned(tmp_path / "table")
    assert 4 <= done < 24
    outcome = console.run("selfplay", "--resume", str(tmp_path / "run"), "--workers", "2", "--no-measure")
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    require_consistent(tmp_path / "run", 24)
    others = [
        game.black if learner_of(game) == "white" else game.white
        for game in sorted(records_of(RunFolder.open(tmp_path / "run")), key=lambda game: int(game.round))
    ]
    assert {*others} == {"scripted"}  # there are more lines than games


def test_the_folder_keeps_whom_a_run_is_played_against(tmp_path: Path) -> None:
    words = opposing(tmp_path, "--opponent", "untrained name=old plies=1", games=1, workers=1)
    assert console.run_here("selfplay", *words).code == 0
    (kept,) = json.loads((tmp_path / "run" / "run.json").read_text())["opponents"]
    assert (kept["name"], kept["mode"], kept["plies"]) == ("old", "classic", 1)
    (side,) = RunFolder.open(tmp_path / "run").config.opposing_sides
    assert side == OurSide("old", mode="classic", given={"plies": 1})


@pytest.mark.parametrize(
    ("code", "words", "said"),
    [
        (2, ["nobody"], "a side is made of untrained, learn"),
        (2, ["untrained learn"], "learn is for the sides of a match"),
        (1, ["engine=no-such-program"], "no-such-program: cannot be started"),
        (1, [f"engine={sys.executable!r}"], "expected a UCI engine"),
        (1, ["table=nowhere.table"], "nowhere.table"),
        (1, ["xboard=gnuchess"], "the xboard protocol has no limit of nodes"),
        (
            2,
            ["engine=gnuchess", "--cluster", "auto"],
            "is for runs on one machine; got gnuchess with --cluster",
        ),
    ],
)
def test_wrong_opponents_begin_no_run(code: int, words: list[str], said: str, tmp_path: Path) -> None:
    places = ["--run", str(tmp_path / "run"), "--table", str(tmp_path / "table")]
    given = ["--games", "1", "--mode", "deep", *places, "--opponent", *words]
    outcome = console.run_here("selfplay", *given)
    assert outcome.code == code, outcome.errors
    assert said in outcome.errors
    assert [*tmp_path.iterdir()] == []


def test_a_run_goes_on_with_its_own_opponents(tmp_path: Path) -> None:
    outcome = console.run_here("selfplay", "--resume", str(tmp_path), "--opponent", "untrained")
    assert outcome.code == 2
    assert "cannot be given with --opponent" in outcome.errors
