"""Runs as the page watches them: the list, the curves, and the newest game."""

import os
from dataclasses import replace
from pathlib import Path

import chess
import pytest
import selfplay_runs
import tuning_runs

from games.chess.archive import Archive
from games.chess.errors import ArchiveError
from games.chess.record import GameRecord
from heatmap_engine.errors import InvalidRun
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.match.curve import Curve
from heatmap_engine.web.runs import Runs


def with_a_curve(run: RunFolder) -> None:
    """As if `curve` had been played: the first side wins three games of four."""
    for point in Curve(run, 4).points():
        first, second = point.folder.plan.first.name, point.folder.plan.second.name
        for number, result in enumerate(("1-0", "0-1", "1-0", "1-0")):
            names = (first, second) if number % 2 == 0 else (second, first)
            moves = tuple(["e2e4", "e7e5", "d2d4", "a7a6"][: number + 1])
            record = GameRecord(moves, result, "resignation", white=names[0], black=names[1])
            point.folder.append(replace(record, round=str(number + 1)))
        point.folder.write_results(point.folder.standing())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs")
    run = selfplay_runs.created(path, name="night", checkpoints="2,4")
    selfplay_runs.go_on(run)
    with_a_curve(run)
    tuning_runs.played(path / "weights", "td", match_games=4)
    (path / "something else").mkdir()
    return path


def test_runs_are_listed_by_name_and_nothing_else_is(folder: Path) -> None:
    found = Runs([folder]).listed()
    assert {(run["name"], run["kind"]) for run in found["runs"]} == {
        ("night", "selfplay"),
        ("weights", "tuning"),
    }
    assert [run["name"] for run in Runs([folder / "night"]).listed()["runs"]] == ["night"]
    assert Runs([folder / "missing"]).listed()["runs"] == []


def test_runs_of_several_folders_have_different_names(folder: Path) -> None:
    names = [run["name"] for run in Runs([folder, folder / "missing", folder / "night"]).listed()["runs"]]
    assert sorted(names) == ["night", "night (another)", "weights"]


def test_a_run_of_selfplay_is_told_as_curves(folder: Path) -> None:
    found = Runs([folder]).run("night")
    newest = Archive(folder / "night" / "games.pgn", readonly=True).newest()
    assert found["games"] == 4
    assert sum(part["white"] + part["draws"] + part["black"] for part in found["parts"]) == 4
    assert [(point["games"], point["part"]) for point in found["strength"]] == [
        (2, "seen"),
        (2, "unseen"),
        (4, "seen"),
        (4, "unseen"),
    ]
    assert newest is not None
    assert found["game"]["moves"] == [*newest.moves]
    assert found["game"]["placements"][-1] == newest.board().board_fen()
    assert len(found["game"]["placements"]) == len(newest.moves) + 1


def test_a_run_of_tuning_is_told_as_curves(folder: Path) -> None:
    found = Runs([folder]).run("weights")
    assert found["kind"] == "tuning"
    assert len(found["strength"]) == 1
    assert [*found["values"][0]["pieces"]] == ["pawn", "knight", "bishop", "rook", "queen"]
    assert len(found["values"]) == 2
    board = chess.Board(found["game"]["start"] or chess.STARTING_FEN)
    for move in found["game"]["moves"]:
        board.push_uci(move)
    assert board.board_fen() == found["game"]["placements"][-1]


@pytest.mark.parametrize("name", ["", ".", "..", "../night", "/etc", "night/../night", "something else"])
def test_only_names_of_the_list_are_answered(folder: Path, name: str) -> None:
    with pytest.raises(InvalidRun, match="expected one of the runs in the list"):
        Runs([folder]).run(name)


def test_a_run_is_read_again_when_it_goes_on(folder: Path) -> None:
    runs = Runs([folder])
    first = runs.run("night")
    assert runs.run("night") is first
    measurements = folder / "night" / "measurements.jsonl"
    later = measurements.stat().st_mtime + 10
    os.utime(measurements, (later, later))
    again = runs.run("night")
    assert again is not first
    assert again == first


def test_the_newest_game_of_an_archive_is_read_from_its_end(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    assert Archive(path).newest() is None
    archive = Archive(path)
    games = [GameRecord(("e2e4",) * (number > 0), white=f"{number}", result="1-0") for number in range(3)]
    for game in games:
        archive.append(game)
    newest = Archive(path).newest()
    assert newest is not None
    assert newest.white == "2"
    with open(path, "ab") as file:
        file.write(b'[Event "half')  # a writer was killed here
    size = path.stat().st_size
    reader = Archive(path, readonly=True)
    assert reader.newest() == newest
    assert path.stat().st_size == size
    with pytest.raises(ArchiveError, match="read only"):
        reader.append(games[0])
