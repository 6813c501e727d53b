"""A table that is missing: no question makes it, whatever is to be written does."""

import os
from pathlib import Path

import chess
import pytest
from older_tables import make_older_table
from table_processes import in_fork

import heatmap_engine as he
from games.chess.record import GameRecord
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.memory.tables import table_settings
from qtable import Entry, QTable
from qtable.errors import NotATable, TableClosed, TableMissing

E4 = chess.Move.from_uci("e2e4")
MATE = GameRecord(("f2f3", "e7e5", "g2g4", "d8h4"), "0-1", "checkmate")


def test_questions_make_no_table(tmp_path: Path) -> None:
    with he.Engine(tmp_path / "t.table", record="off", mode="classic") as engine:
        report = engine.report("startpos", candidates=True, line=True, plies=1)
        engine.why("startpos", E4)
        engine.pick_move("startpos")
    assert (report.state, report.table) == (he.State.UNKNOWN, None)
    assert list(tmp_path.iterdir()) == []


def test_the_first_record_makes_the_table(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    with he.Engine(path, mode="classic") as engine:
        engine.report("startpos")
        assert not path.exists()
        pick = engine.pick_move("startpos")
        report = engine.report("startpos")
    assert (report.standing.q, report.table) == (pick.score, str(path))
    with QTable(path, must_exist=True) as table:
        assert len(table) == 21


def test_the_first_lesson_makes_the_table(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    with he.Engine(path, record="off", mode="classic") as engine:
        engine.learn_game(MATE)
    with QTable(path, must_exist=True) as table:
        assert table.journal_length() == 1


def test_who_asks_for_the_table_gets_one(tmp_path: Path) -> None:
    with he.Engine(tmp_path / "t.table", record="off", mode="classic") as engine:
        table = engine.table
        assert table is not None
        table.record({he.key_of("startpos"): Entry(3.0)})
        assert engine.report("startpos").standing.q == 3.0
    with pytest.raises(TableClosed):
        len(table)


def test_the_table_is_made_where_the_path_led_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with he.Engine("t.table", mode="classic") as engine:
        monkeypatch.chdir("elsewhere")
        engine.pick_move("startpos")
    assert (tmp_path / "t.table").is_file()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_cannot_be_a_table_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(TableMissing, match="does not exist"):
        he.Engine(tmp_path / "none" / "t.table", mode="classic")
    (tmp_path / "notes.txt").write_text("not a table")
    with pytest.raises(NotATable):
        he.Engine(tmp_path / "notes.txt", mode="classic")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="drops its rights in a forked process")
def test_a_folder_where_no_table_can_be_made_is_said_at_once() -> None:
    def opened() -> list[str]:
        reports: list[str] = []
        with pytest.raises(TableMissing, match="there is no table"):
            he.Engine("/t.table", report=reports.append, mode="classic")
        return reports

    assert "the folder of /t.table may not be written" in in_fork(opened, without_rights=True)


def test_a_file_that_comes_in_the_way_stops_no_pick(tmp_path: Path) -> None:
    path, reports = tmp_path / "t.table", list[str]()
    with he.Engine(path, report=reports.append, mode="classic") as engine:
        path.write_text("not a table")
        assert engine.pick_move("startpos").move
    assert path.read_text() == "not a table"
    assert len(reports) == 1
    assert "is not a Q-table" in reports[0]


def test_a_folder_that_went_away_stops_no_pick(tmp_path: Path) -> None:
    folder, reports = tmp_path / "folder", list[str]()
    folder.mkdir()
    with he.Engine(folder / "t.table", report=reports.append, mode="classic") as engine:
        folder.rmdir()
        assert engine.pick_move("startpos").move
    assert reports == [f"the folder of {folder / 't.table'} does not exist"]


def test_a_closed_engine_makes_no_table(tmp_path: Path) -> None:
    reports: list[str] = []
    engine = he.Engine(tmp_path / "t.table", report=reports.append, mode="classic")
    engine.close()
    engine.pick_move("startpos")
    assert list(tmp_path.iterdir()) == []
    assert reports == [f"{tmp_path / 't.table'} was closed"]


@pytest.mark.parametrize("mode", ["deep", "classic"])
def test_a_table_of_an_older_layout_is_read_as_any_other(tmp_path: Path, mode: str) -> None:
    """Whoever only asked, or named no mode, was told to migrate the table first."""
    path, meaning = tmp_path / "old.table", table_settings(mode_named(mode).settings())
    make_older_table(path, {he.key_of("startpos"): Entry(12.0, 5, updated=1)}, settings=meaning)
    with he.Engine(path, readonly=True) as engine:
        assert engine.mode.name == mode
        assert engine.report("startpos").standing.q == 12.0
    with QTable(path, readonly=True) as table:
        assert table.check() == []
