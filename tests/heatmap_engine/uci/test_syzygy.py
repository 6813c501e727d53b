"""SyzygyPath as a GUI meets it."""

import re
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from endgame_tables import PAWN, PAWN_DRAWN, ROOK, SYZYGY
from uci_dialogue import Dialogue, field, in_process, line_of, move_of, scored


@pytest.fixture
def gui() -> Iterator[Dialogue]:
    with in_process("<none>", "Hash value 4", f"SyzygyPath value {SYZYGY}") as dialogue:
        dialogue.until("info string Syzygy tables of 5 endings with up to 3 pieces")
        yield dialogue


def test_tables_are_declared_as_a_text_that_is_empty() -> None:
    with in_process() as gui:
        gui.send("uci")
        assert "option name SyzygyPath type string default <empty>" in gui.until("uciok")


def test_lines_of_info_have_tbhits_and_the_value_of_the_tables(gui: Dialogue) -> None:
    gui.send("setoption name UCI_ShowWDL value true")
    won = scored(gui.go(f"position fen {ROOK}", "go depth 3"))
    assert len(won) == 3
    for line in won:
        assert "score cp 20000 wdl 1000 0 0 nodes" in line
        assert int(field(line, "tbhits")) == 19
    drawn = gui.go(f"position fen {PAWN_DRAWN}", "go depth 3")
    assert "score cp 0 wdl 0 1000 0 nodes" in scored(drawn)[-1]
    assert move_of(drawn) == "e5d5"


def test_more_lines_end_with_moves_that_keep_less(gui: Dialogue) -> None:
    gui.send("setoption name MultiPV value 3")
    lines = scored(gui.go(f"position fen {PAWN}", "go depth 4"))[-3:]
    assert [field(line, "cp") for line in lines] == ["20000", "0", "0"]
    assert line_of(lines[0])[0] == "d3e3"


def test_moves_to_search_are_respected(gui: Dialogue) -> None:
    answer = gui.go(f"position fen {PAWN}", "go depth 3 searchmoves e2e4 e2e3")
    assert move_of(answer) in {"e2e4", "e2e3"}
    assert field(scored(answer)[-1], "cp") == "0"


def test_pondering_keeps_to_the_tables_too(gui: Dialogue) -> None:
    gui.send(f"position fen {PAWN}", "go ponder wtime 1000 btime 1000")
    gui.until("info depth 4")
    assert move_of(gui.go("ponderhit")) == "d3e3"


def test_without_tables_nothing_is_said_of_them(gui: Dialogue) -> None:
    gui.send("setoption name SyzygyPath value <empty>")
    assert not any("tbhits" in line for line in gui.go(f"position fen {ROOK}", "go depth 3"))
    gui.send(f"setoption name SyzygyPath value {SYZYGY}")
    assert not any("tbhits" in line for line in gui.go("position startpos", "go depth 3"))


def test_a_wrong_folder_is_answered_with_what_was_expected_and_changes_nothing(gui: Dialogue) -> None:
    (answer,) = gui.ask("setoption name SyzygyPath value /nowhere/at all")
    assert answer.startswith("info string expected folders with Syzygy tables (.rtbw and .rtbz files), with")
    assert "'/nowhere/at all': No such file or directory" in answer
    assert any("tbhits" in line for line in gui.go(f"position fen {ROOK}", "go depth 2"))


def test_tables_that_went_away_are_told_of_and_the_engine_plays(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    for file in SYZYGY.glob("KRvK.*"):
        (folder / file.name).write_bytes(file.read_bytes())
    with in_process("<none>", f"SyzygyPath value {folder}") as gui:
        gui.until("info string Syzygy tables of 1 ending with up to 3 pieces")
        folder.rename(tmp_path / "elsewhere")
        said = gui.ask() + gui.go(f"position fen {ROOK}", "go depth 2")
    assert any(line.startswith("info string playing without endgame tables: expected") for line in said)
    assert chess.Move.from_uci(move_of(said)) in chess.Board(ROOK).legal_moves


def test_classic_mode_says_that_it_has_no_use_for_tables(gui: Dialogue) -> None:
    not_used = "info string SyzygyPath is not used in mode classic, only in deep"
    assert gui.ask("setoption name Mode value classic") == [not_used]
    assert not_used in gui.ask(f"setoption name SyzygyPath value {SYZYGY}")
    answer = gui.go(f"position fen {ROOK}", "go depth 1")
    assert not any("tbhits" in line for line in answer)
    assert gui.ask("setoption name Mode value deep") == []
    assert any("tbhits" in line for line in gui.go("go depth 2"))


def test_a_level_knows_no_tables(gui: Dialogue) -> None:
    gui.send("setoption name UCI_LimitStrength value true")
    answer = gui.go(f"position fen {ROOK}", "go wtime 60000 btime 60000")
    assert not any(re.search(r"tbhits|cp 20000", line) for line in answer)
