"""Runs of self-play in this process: which games they play, what they write, how they go on."""

import itertools
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import chess
import pytest
from selfplay_runs import config_for, created, go_on, moves_of, read_by_python_chess, require_consistent

from games.chess.archive import Archive
from games.chess.journal import LearnedGame
from games.chess.openings import Opening, load_openings
from games.chess.record import GameRecord
from heatmap_engine.classic.entries import entries_of
from heatmap_engine.classic.reanalysis import ClassicReanalysis
from heatmap_engine.classic.search import search
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.learning.runs.folder import RunFolder, games_of_run
from heatmap_engine.learning.runs.running import Run, open_run_table
from heatmap_engine.learning.selfplay import SelfPlay, SelfPlayGame
from heatmap_engine.memory.tables import table_settings
from heatmap_engine.memory.views import View
from heatmap_engine.memory.walk import Walker
from heatmap_engine.players.game_loop import Adjudication, Ends
from heatmap_engine.winning_chances import expected_points
from qtable import Entry, QTable


def content(path: Path) -> dict[str, Entry]:
    """All entries, without when they were recorded."""
    with QTable(path, readonly=True) as table:
        return {key: entry._replace(updated=0) for key, entry in table}


def test_the_pgn_says_how_each_game_was_played(tmp_path: Path) -> None:
    folder = created(tmp_path, explorers="alternate", epsilon_first=0.5, epsilon_last=0.5)
    go_on(folder)
    games = read_by_python_chess(folder.games_pgn)
    assert [game.headers["Round"] for game in games] == ["1", "2", "3", "4"]
    colours = [chess.WHITE, chess.BLACK, chess.WHITE, chess.BLACK]
    for game, opening, explorer in zip(games, folder.openings(), colours, strict=False):
        headers = game.headers
        assert headers["Event"] == "Heatmap Engine self-play"
        assert headers["White"] == headers["Black"] == "Heatmap Engine"
        assert (headers["Run"], headers["Opening"]) == (folder.config.run, opening.name)
        assert headers["Date"].count(".") == 2
        assert headers["Termination"]
        settings = json.loads(headers["Settings"].replace('\\"', '"'))
        assert (settings["plies"], settings["max_plies"], settings["seed"]) == (1, 24, 1)
        epsilons = settings["epsilon_white"], settings["epsilon_black"]
        assert epsilons == ((0.5, 0.0) if explorer == chess.WHITE else (0.0, 0.5))
        nodes = [*game.mainline()]
        of_opening, played = nodes[: len(opening.moves)], nodes[len(opening.moves) :]
        assert tuple(node.move.uci() for node in of_opening) == opening.moves
        assert all(node.comment == "" for node in of_opening)
        assert all(node.eval() is not None for node in played)
        explored = {not node.turn() for node in played if node.comment.endswith("random")}
        assert explored == {explorer}


def test_the_same_seed_with_one_worker_gives_the_same_games_and_table(tmp_path: Path) -> None:
    found = []
    for name, seed in (("one", 1), ("two", 1), ("other", 2)):
        (tmp_path / name).mkdir()
        folder = created(tmp_path / name, seed=seed, epsilon_first=0.3)
        go_on(folder)
        found.append((moves_of(folder.path), content(tmp_path / name / "table")))
    assert found[0] == found[1]
    assert found[0][0] != found[2][0]


def test_every_pass_through_the_lines_gives_each_of_them_the_other_explorer(tmp_path: Path) -> None:
    for lines in (2, 3):
        (tmp_path / f"{lines}").mkdir()
        folder = created(
            tmp_path / f"{lines}", load_openings()[:lines], games=lines * 2, explorers="alternate"
        )
        go_on(folder)
        colours: dict[str, list[str]] = {}
        for record in Archive(folder.games_pgn):
            explorer = "white" if record.settings["epsilon_white"] else "black"
            colours.setdefault(record.tags["Opening"], []).append(explorer)
        turns = [["white", "black"], ["black", "white"], ["white", "black"]]
        assert [*colours.values()] == turns[:lines]


def test_epsilon_falls_evenly_from_the_first_game_to_the_last(tmp_path: Path) -> None:
    folder = created(tmp_path, epsilon_first=0.8, epsilon_last=0.2)
    go_on(folder)
    found = [record.settings["epsilon_white"] for record in Archive(folder.games_pgn)]
    assert found == [0.8, 0.6, 0.4, 0.2]


def test_a_run_of_hours_ends_by_the_clock_and_goes_on_with_what_is_left(tmp_path: Path) -> None:
    folder = created(tmp_path, games=None, hours=0.5, epsilon_first=1.0, epsilon_last=0.0)
    quarter_minutes = itertools.count(0, 15)
    run = go_on(folder, clock=lambda: float(next(quarter_minutes)))
    assert run.is_finished
    measurements = require_consistent(folder.path, run.summary.games)
    epsilons = [found.epsilon_white or 0.0 for found in measurements]
    assert len(epsilons) > 10
    assert epsilons == sorted(epsilons, reverse=True)
    assert epsilons[0] > 0.9
    assert epsilons[-1] < 0.1
    assert (measurements[-1].seconds or 0.0) <= 1800 + 60


def test_lengthened_run_keeps_its_epsilons_and_goes_on_with_the_last(tmp_path: Path) -> None:
    folder = created(tmp_path, epsilon_first=0.8, epsilon_last=0.2)
    go_on(folder)
    for games in (5, 7):
        folder.config = folder.config.lengthened("games", games)
        go_on(folder)
    found = [record.settings["epsilon_white"] for record in Archive(folder.games_pgn)]
    assert found == [0.8, 0.6, 0.4, 0.2, 0.2, 0.2, 0.2]


def test_hours_of_a_lengthened_run_are_played_with_the_last_epsilon(tmp_path: Path) -> None:
    folder = created(tmp_path, games=None, hours=0.1, epsilon_first=1.0, epsilon_last=0.25)
    go_on(folder, clock=partial(next, itertools.count(0.0, 15.0)))
    before = len([*folder.measurements()])
    folder.config = folder.config.lengthened("hours", 0.3)
    go_on(folder, clock=partial(next, itertools.count(0.0, 15.0)))
    epsilons = [found.epsilon_white or 0.0 for found in folder.measurements()]
    assert min(epsilons[:before]) > 0.25
    assert {*epsilons[before:]} == {0.25}


def test_names_of_lines_come_into_the_pgn_and_the_folder_keeps_the_lines(tmp_path: Path) -> None:
    position = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    lines = [
        Opening("King's pawn", ("e2e4", "e7e5"), None, "C20"),
        Opening("an ending", (), position),
    ]
    folder = created(tmp_path, lines, games=3)
    go_on(folder)
    assert [*RunFolder.open(folder.path).openings()] == lines
    tags = [(record.tags["Opening"], record.tags.get("ECO")) for record in Archive(folder.games_pgn)]
    assert tags == [("King's pawn", "C20"), ("an ending", None), ("King's pawn", "C20")]
    assert [record.start for record in Archive(folder.games_pgn)] == [None, position, None]


def test_more_walks_are_one_game_that_counts_its_result_once(tmp_path: Path) -> None:
    folder = created(tmp_path, walks=3)
    go_on(folder)
    require_consistent(folder.path, 4)
    with QTable(tmp_path / "table", readonly=True) as table:
        assert {learned.walks for learned in games_of_run(table, folder.config.run)} == {3}


def test_adjudication_is_what_a_run_is_set_up_with(tmp_path: Path) -> None:
    folder = created(tmp_path, games=1, adjudicates=True)
    assert folder.config.play_settings().ends == Ends(24, Adjudication())
    go_on(folder)
    (record,) = Archive(folder.games_pgn)
    assert record.settings["adjudicated"] is True


def test_the_learning_signal_is_how_far_walks_moved_what_players_saw() -> None:
    settings = config_for(Path("unused"), epsilon_first=0.4, max_plies=40).play_settings()
    opening = load_openings()[0]
    with QTable.in_memory() as table:
        game = SelfPlay(table)(SelfPlayGame(1, opening, 0.4, 0.4, "2026.01.01", settings))
        record = game.game.record
        view, board, seen = View(table), opening.board(), {}
        for text in record.moves[len(opening.moves) :]:
            result = search(board, settings.search, view)
            view.record(entries_of(result))
            seen[len(board.move_stack)] = result.score
            board.push_uci(text)
        steps = Walker(record, ClassicReanalysis(settings.search), view).go_on().steps
    moved = [abs(step.new_value - seen[step.ply]) for step in steps if step.ply in seen]
    points = [
        abs(expected_points(step.new_value) - expected_points(seen[step.ply]))
        for step in steps
        if step.ply in seen
    ]
    assert len(moved) == 40 - len(opening.moves)
    assert game.game.settings["value_change"] == pytest.approx(sum(moved) / len(moved))
    assert game.game.settings["points_change"] == pytest.approx(sum(points) / len(points))
    assert sum(moved) > 0
    randoms = sum(comment.endswith("random") for comment in record.comments)
    assert game.game.settings["random_moves"] == randoms > 0


def torn(path: Path, keep_lines: int, rest: bytes) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:keep_lines]) + rest)


def test_what_only_the_journal_has_is_added_to_the_files(tmp_path: Path) -> None:
    """As a process leaves it that was killed between the table and the files, or inside a file."""
    folder = created(tmp_path)
    go_on(folder)
    before = require_consistent(folder.path, 4)
    torn(folder.path / "measurements.jsonl", 2, b'{"game": 3, "id": "5')
    torn(folder.path / "journal.jsonl", 3, b'{"jour')
    text = folder.games_pgn.read_bytes()
    folder.games_pgn.write_bytes(text[: text.index(b'[Round "4"]') + 200])
    go_on(folder)
    assert require_consistent(folder.path, 4) == before


def test_games_missing_in_the_table_are_said_and_not_played_again(tmp_path: Path) -> None:
    folder = created(tmp_path)
    go_on(folder)
    with QTable(tmp_path / "table") as table:
        forgotten = [*table.journal()][1].id
        table.forget(forgotten)
    reports: list[str] = []
    run = go_on(folder, reports=reports)
    assert run.summary.games == 4
    assert len([*Archive(folder.games_pgn)]) == 4
    (said,) = reports
    assert "1 of the run's games are not in the journal" in said
    assert f"heatmap-engine learn {folder.games_pgn}" in said


def test_a_checkpoint_is_the_table_as_it_was_and_one_that_is_owed_is_made(tmp_path: Path) -> None:
    folder = created(tmp_path, games=5, checkpoints="2,5")
    go_on(folder)
    marks = dict(folder.checkpoints)
    assert [*marks] == [2, 5]
    for games, path in marks.items():
        with QTable(path, readonly=True) as copy:
            assert copy.check() == []
            assert copy.settings == table_settings(ClassicSettings())
            assert [int(learned.record.round) for learned in games_of_run(copy, folder.config.run)] == [
                *range(1, games + 1)
            ]
    marks[5].unlink()
    rest = folder.path / "checkpoints" / ".qtable-killed"
    rest.mkdir()
    (rest / "draft").write_bytes(b"half a table")
    go_on(folder)
    assert [*dict(folder.checkpoints)] == [2, 5]
    assert not rest.exists()


def test_a_game_that_another_run_has_played_is_its_own(tmp_path: Path) -> None:
    one, two = (created(tmp_path, name=name, run=f"{name} 0001") for name in ("one", "two"))
    go_on(one)
    go_on(two)
    with QTable(tmp_path / "table", readonly=True) as table:
        assert table.journal_length() == 8
        for folder in (one, two):
            assert len([*games_of_run(table, folder.config.run)]) == 4
            assert len([*Archive(folder.games_pgn)]) == 4


def test_records_that_only_name_the_run_are_passed_over(tmp_path: Path) -> None:
    folder = created(tmp_path, games=1)
    stranger = GameRecord(("e2e4",), "*", run="another", event=folder.config.run)
    with open_run_table(folder.config, must_exist=False) as table:
        table.record({}, [LearnedGame(stranger).to_line()])
    go_on(folder)
    assert [measurement.game for measurement in folder.measurements()] == [1]


def test_a_table_is_held_at_a_size(tmp_path: Path) -> None:
    """The most visited entries stay, and all games stay in the journal."""
    free, held = (tmp_path / name for name in ("free", "held"))
    for place in (free, held):
        place.mkdir()
    everything = go_on(created(free, games=12))
    most = (everything.summary.entries or 0) // 3
    folder = created(held, games=12, most_entries=most)
    go_on(folder)
    sizes = [each.entries or 0 for each in folder.measurements()]
    assert max(sizes) <= most + max(each.new or 0 for each in folder.measurements())
    assert any(later < earlier for earlier, later in itertools.pairwise(sizes))
    with QTable(held / "table", readonly=True) as table:
        assert 0 < len(table) <= most
        assert table.journal_length() == 12
        visits = [entry.visits for _, entry in table]
        assert table.check() == []
        learned = [game.record for game in games_of_run(table, folder.config.run)]
    assert learned == [*Archive(folder.games_pgn)]
    assert max(visits) >= 12  # the position that all games begin with


def test_a_table_that_was_left_too_full_is_held_at_its_size_when_the_run_goes_on(tmp_path: Path) -> None:
    folder = created(tmp_path, games=4)
    entries = go_on(folder).summary.entries
    assert entries is not None
    assert entries > 50
    folder.config = replace(folder.config, games=6, most_entries=50, checkpoints="4")
    with open_run_table(folder.config, must_exist=True) as table:
        Run(folder, table)
        assert len(table) == 40
    with QTable(folder.path / "checkpoints" / "games-000004.table", readonly=True) as copy:
        assert len(copy) == 40
