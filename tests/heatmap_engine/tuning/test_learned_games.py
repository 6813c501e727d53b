"""Weights from the games that tables have learned."""

from dataclasses import replace
from pathlib import Path

import chess
import pytest
from tuning_runs import created, go_on, values

from games.chess.journal import LearnedGame, LearnedStep
from games.chess.record import GameRecord
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.deep.settings import DeepSettings, expected_points
from heatmap_engine.deep.weights import CMHM2, learned_weights
from heatmap_engine.errors import InvalidRun
from heatmap_engine.kernel.deep.search import MATE_VALUE
from heatmap_engine.memory.tables import open_table
from heatmap_engine.tuning.folder import lines_of
from heatmap_engine.tuning.learned_games import training_game
from heatmap_engine.tuning.training_data import method_for

MOVES = ("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5a5")


def learned(result: str = "1-0", termination: str = "resignation", number: int = 0) -> LearnedGame:
    """A game in which White should have played d4 first, and whose fifth move mates for the table."""
    picks = ("d2d4", "d7d5", "e4d5", "d8d5", "b1c3", "d5a5")
    after = (20.0, 30.0, 40.0, 60.0, float(MATE_VALUE - 9), 50.0)
    steps = tuple(LearnedStep(None, value, None, pick) for value, pick in zip(after, picks, strict=True))
    record = GameRecord(MOVES, result=result, termination=termination, run="test", round=str(number))
    return LearnedGame(record, {"mode": "deep", "nodes": 100, "weights": "td 10"}, steps=steps)


def write_table(path: Path, games: list[LearnedGame]) -> Path:
    with open_table(path, DeepSettings(learned_weights())) as table:
        for game in games:
            table.record({}, [game.to_line()])
    return path


def test_a_game_is_learned_from_where_a_search_found_a_quiet_move() -> None:
    game = training_game(learned())
    assert game.result == 1.0
    assert [moment.value for moment in game.moments] == [20, 30, 40, 60, MATE_VALUE - 9, 50]
    # The third and the fourth move take, and in the fifth position a mate was seen.
    assert [bool(moment.position) for moment in game.moments] == [True, True, False, False, False, True]
    assert [moment.is_stray for moment in game.moments] == [True, *[False] * 5]
    board = chess.Board()
    for name in MOVES[:5]:
        board.push_uci(name)
    assert game.moments[5].position == board.fen(en_passant="fen")


@pytest.mark.parametrize(("result", "termination"), [("*", ""), ("0-1", "time forfeit")])
def test_a_result_that_says_nothing_gives_way_to_the_last_value(result: str, termination: str) -> None:
    assert training_game(learned(result, termination)).result == expected_points(50.0)


def test_games_that_two_tables_know_count_once(tmp_path: Path) -> None:
    games = [learned(number=number) for number in range(12)]
    one = write_table(tmp_path / "one.table", games[:8])
    other = write_table(tmp_path / "other.table", games[4:])
    both = created(tmp_path / "both", "td", start="package", sources=(str(one), str(other)))
    whole = write_table(tmp_path / "whole.table", games)
    at_once = created(tmp_path / "whole", "td", start="package", sources=(str(whole),))
    for folder in (both, at_once):
        go_on(folder)
    assert values(both.weights(1)) == values(at_once.weights(1))
    provenance = both.weights(1).provenance
    assert provenance["learned games by weights"] == {"td 10": 12}
    assert provenance["positions"] == 11 * 3  # one of ten games is held back
    assert [len(line["learned"]) for line in lines_of(both.round(1))] == [12]
    assert provenance["settings"]["sources"] == [str(one), str(other)]


def test_games_learned_before_there_were_steps_teach_by_their_results(tmp_path: Path) -> None:
    long = GameRecord(
        tuple(["g1f3", "g8f6", "f3g1", "f6g8"] * 4 + ["e2e4"]), result="1-0", termination="resignation"
    )
    games = [LearnedGame(replace(long, round=str(n), run="old"), {"mode": "deep"}) for n in range(3)]
    games.append(LearnedGame(replace(long, result="*", termination="")))  # which says nothing at all
    table = write_table(tmp_path / "old.table", games)
    folder = created(tmp_path / "run", "td", start="package", sources=(str(table),))
    go_on(folder)
    assert folder.weights(1).provenance["learned games by weights"] == {"unknown": 3}
    assert folder.weights(1).provenance["positions"] == 9  # of each game one position of three


def test_a_table_without_games_teaches_nothing(tmp_path: Path) -> None:
    table = write_table(tmp_path / "empty.table", [])
    folder = created(tmp_path / "run", "td", start="package", sources=(str(table),))
    with pytest.raises(
        InvalidRun, match=r"expected quiet positions to learn from, got none from .*empty\.table"
    ):
        go_on(folder)


def test_td_needs_deep_tables(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    pgn.write_text(learned().record.to_pgn())
    classic = tmp_path / "classic.table"
    open_table(classic, ClassicSettings()).close()
    deep = write_table(tmp_path / "deep.table", [])
    for path, expected in ((pgn, "--method results learns from a PGN"), (classic, "of the deep mode")):
        with pytest.raises(InvalidRun, match=expected):
            go_on(created(tmp_path / path.stem, "td", start="package", sources=(str(deep), str(path))))
    assert method_for([str(deep)]) == "td"
    assert method_for([str(deep), str(pgn)]) == "results"


def test_the_same_table_gives_the_same_weights_with_two_workers(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t.table", [learned(number=number) for number in range(45)])
    folders = [
        created(tmp_path / name, "td", start="package", sources=(str(table),)) for name in ("one", "two")
    ]
    for workers, folder in enumerate(folders, start=1):
        go_on(folder, workers)
    one, two = (values(folder.weights(1)) for folder in folders)
    assert one == two
    assert one[0] != dict(CMHM2.values)
