"""What all games of a table together have taught, as commands tell of it."""

import json
import re
from pathlib import Path

import chess
import console
import pytest
from selfplay_runs import created, go_on

from games.chess.openings import load_openings
from heatmap_engine.board.reading import pack
from heatmap_engine.classic import pattern_learning
from heatmap_engine.classic.patterns import patterns_of
from heatmap_engine.pictures.values import MINUS
from qtable import QTable


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table that a small run has taught patterns."""
    monkeypatch.setattr(pattern_learning, "_FEWEST_GAMES", 4)
    go_on(created(tmp_path, load_openings()[:10], games=8))
    return tmp_path / "table"


def games_learned(path: Path) -> int:
    with QTable(path, readonly=True) as table:
        found = patterns_of(table)
        return 0 if found is None else found.games


def test_stats_and_report_say_what_pieces_are_worth(table: Path) -> None:
    words = "patterns, learned from 8 games; what pieces are worth: pawn "
    assert (
        f"from all games    {len_of(table)} {words}" in console.run_here("table", "stats", str(table)).output
    )
    assert words in console.run_here("report", str(table.parent / "run")).output


def len_of(path: Path) -> int:
    with QTable(path, readonly=True) as table:
        found = patterns_of(table)
        assert found is not None
        return len(found)


def test_query_says_how_much_is_heat_and_how_much_patterns(table: Path) -> None:
    output = console.run_here("query", "--table", str(table), "--moves", "e4", "d5", "exd5").output
    assert "static is heat " in output
    assert " and patterns " in output


def test_changes_say_what_patterns_are_worth_where_something_changed(table: Path) -> None:
    args = ["changes", "--run", str(table.parent / "run"), "--top", "3"]
    assert "     patterns " in console.run_here(*args).output
    found = json.loads(console.run_here(*args, "--json").output)
    with QTable(table, readonly=True) as opened:
        known = patterns_of(opened)
    assert known is not None
    for change in found["greatest"]:
        parts = known.parts(pack(chess.Board(change["fen"])))
        assert change.get("patterns", []) == [part._asdict() for part in parts]
    assert any("patterns" in change for change in found["greatest"])


def test_a_picture_says_how_much_of_the_score_is_patterns(table: Path, tmp_path: Path) -> None:
    file, moves = tmp_path / "p.svg", ["--moves", "e4", "d5", "exd5"]
    console.run_here("show", "--table", str(table), *moves, "-o", str(file))
    found = re.search(rf"score [^<]*, patterns ([+{MINUS}][0-9.]+)<", file.read_text())
    with QTable(table, readonly=True) as opened:
        known = patterns_of(opened)
    assert known is not None
    assert found is not None
    board = chess.Board()
    for move in moves[1:]:
        board.push_san(move)
    assert float(found[1].replace(MINUS, "-")) == pytest.approx(known.table.sum(pack(board)), abs=0.006)


def test_a_mode_that_has_learned_what_pieces_are_worth_is_not_warned_of(table: Path) -> None:
    caution = "does not know what a piece is worth"
    assert caution in console.run_here("analyse", "--mode", "classic", "--no-table").output
    assert caution not in console.run_here("analyse", "--table", str(table)).output


def test_merged_tables_learn_from_the_games_of_both(table: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    go_on(created(tmp_path / "other", load_openings()[10:20], games=5, run="another 0002", seed=9))
    console.run_here("table", "merge", str(table), str(tmp_path / "other" / "table"))
    assert games_learned(table) == 13


def test_an_exported_table_keeps_what_it_has_learned(table: Path, tmp_path: Path) -> None:
    text, copy = tmp_path / "table.jsonl", tmp_path / "copy"
    assert console.run_here("table", "export", str(table), str(text)).code == 0
    assert console.run_here("table", "import", str(copy), str(text)).code == 0
    assert games_learned(copy) == 8
