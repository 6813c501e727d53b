"""Deep mode with endgame tables: which moves it plays, what it says of them, and what it records."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chess
import pytest
from endgame_tables import PAWN, PAWN_DRAWN, ROOK, ROOK_LOST, SYZYGY, with_clock

import heatmap_engine as he
from heatmap_engine.deep.settings import DeepSettings
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.observer import Observer
from heatmap_engine.engines.pick import FoundDepth
from heatmap_engine.errors import InvalidSettings
from heatmap_engine.kernel.deep.search import MAX_DEPTH
from heatmap_engine.limits import Limits
from heatmap_engine.memory.tables import table_settings
from qtable import QTable

QUICK = Limits(depth=3)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(syzygy=SYZYGY) as engine:
        yield engine


@pytest.fixture
def table() -> Iterator[QTable]:
    with QTable.in_memory(settings=table_settings(DeepSettings(learned_weights()))) as table:
        yield table


def test_a_score_is_the_result_of_the_tables_for_white(engine: Engine) -> None:
    """A search of three plies knows none of these."""
    assert engine.pick_move(ROOK, QUICK).score == 20_000
    assert engine.pick_move(ROOK_LOST, QUICK).score == 20_000
    assert engine.pick_move(chess.Board(ROOK).mirror(), QUICK).score == -20_000
    assert engine.pick_move(PAWN_DRAWN, QUICK).score == 0
    assert engine.pick_move(with_clock(ROOK, 80), QUICK).score == 0


def test_a_mate_that_the_search_finds_says_more_than_a_win(engine: Engine) -> None:
    pick = engine.pick_move("k7/8/1K6/8/8/8/8/7R w - - 0 1", QUICK)
    assert (pick.move.uci(), pick.mate_in) == ("h1h8", 1)
    assert engine.mode.unit.is_mate(pick.score)


def test_a_draw_is_a_draw_even_where_the_search_sees_a_lead(engine: Engine) -> None:
    with Engine() as without:
        assert abs(without.pick_move(PAWN_DRAWN, QUICK).score) > 50
    pick = engine.pick_move(PAWN_DRAWN, QUICK)
    assert (pick.move.uci(), pick.score, pick.tablebase_hits) == ("e5d5", 0.0, 6)


def test_each_depth_is_told_with_the_value_of_the_tables(engine: Engine) -> None:
    heard: list[FoundDepth] = []

    class Listener(Observer):
        def on_depth(self, found: FoundDepth) -> None:
            heard.append(found)

    engine.pick_move(PAWN, QUICK, Listener())
    assert [(found.move.uci(), found.score, found.tablebase_hits) for found in heard] == [
        ("d3e3", 20_000, 8)
    ] * 3
    assert {found.deserved for found in heard} == {0.0}  # it is the only move, and was pondered enough


def test_more_lines_are_those_that_keep_the_result_and_then_others(engine: Engine) -> None:
    pick = engine.pick_move(PAWN, QUICK, lines=4)
    assert [line.score for line in pick.lines] == [20_000, 0, 0, 0]
    assert len({line.move for line in pick.lines}) == 4
    assert [len(line.line) for line in pick.lines[1:]] == [1, 1, 1]
    both = engine.pick_move(ROOK, QUICK, lines=2)
    assert [line.score for line in both.lines] == [20_000, 20_000]
    assert all(len(line.line) > 1 for line in both.lines)


def test_of_given_moves_the_best_is_played(engine: Engine) -> None:
    moves = [chess.Move.from_uci(name) for name in ("e2e6", "e2e3", "e2e5")]
    pick = engine.pick_move(ROOK, QUICK, moves=moves)
    assert (pick.move.uci(), pick.score) == ("e2e3", 20_000)
    thrown_away = engine.pick_move(ROOK, QUICK, moves=moves[::2])
    assert (thrown_away.score, thrown_away.move in moves) == (0, True)


def test_what_tables_do_not_know_is_searched_as_ever(engine: Engine) -> None:
    for fen in ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "8/8/8/3k4/8/3K1N2/4R3/8 w - - 0 1"):
        pick = engine.pick_move(fen, QUICK)
        engine.clear()
        with Engine() as without:
            same = without.pick_move(fen, QUICK)
        assert (pick.move, pick.score, pick.nodes) == (same.move, same.score, same.nodes)
        assert pick.tablebase_hits == 0


def test_on_a_clock_nothing_is_thought_about_where_one_move_is_left(engine: Engine) -> None:
    """The pawn's only move that wins took as long as any move; whoever gives no clock wants the depth."""
    clock = Limits(6, 60.0, soft_seconds=30.0, is_patient=True)
    assert engine.pick_move(PAWN, clock).depth == 1
    assert engine.pick_move(PAWN, clock, lines=2).depth == 6
    assert engine.pick_move(ROOK, clock).depth == 6
    assert engine.pick_move(PAWN, replace(clock, is_patient=False)).depth == 6


def test_with_hardly_any_time_tables_are_not_asked(engine: Engine) -> None:
    assert engine.pick_move(ROOK, Limits(seconds=0.005)).tablebase_hits == 0


def test_why_is_the_search_s_own_since_tables_give_no_reasons(engine: Engine) -> None:
    with Engine() as without:
        assert engine.why(PAWN, limits=QUICK).asked.score == without.why(PAWN, limits=QUICK).asked.score


def test_an_annotation_is_the_search_s_own_too(engine: Engine) -> None:
    """The value of the tables stood in it, and the search was said to add 19741.6 to the end of its line."""
    board = chess.Board(PAWN)
    for move in ("e2e4", "e5d6"):
        board.push_uci(move)
    with Engine() as without:
        assert engine.annotate(board, QUICK) == without.annotate(board, QUICK)


# What is recorded


def test_a_draw_of_the_board_is_recorded_as_true_at_any_depth(table: QTable) -> None:
    with Engine(table, syzygy=SYZYGY) as engine:
        engine.pick_move(PAWN_DRAWN, QUICK)
    entry = table.get(he.key_of(PAWN_DRAWN))
    assert entry is not None
    assert (entry.value, entry.depth, entry.source) == (0.0, MAX_DEPTH, "search")


@pytest.mark.parametrize("fen", [ROOK, ROOK_LOST, with_clock(ROOK, 80), PAWN])
def test_a_win_and_a_draw_by_the_clock_are_not_recorded(table: QTable, fen: str) -> None:
    """A win that is known would end searches before they find the mate; the clock belongs to the game."""
    with Engine(table, syzygy=SYZYGY) as engine:
        engine.pick_move(fen, QUICK)
    assert len(table) == 0


def test_a_mate_is_recorded(table: QTable) -> None:
    fen = "k7/8/1K6/8/8/8/8/7R w - - 0 1"
    with Engine(table, syzygy=SYZYGY) as engine:
        engine.pick_move(fen, QUICK)
    entry = table.get(he.key_of(fen))
    assert entry is not None
    assert (entry.value, entry.depth) == (30_999, MAX_DEPTH)


# What can be wrong


@pytest.mark.parametrize("syzygy", ["/nowhere", 3])
def test_an_engine_is_not_made_without_the_tables_that_were_asked_for(syzygy: object) -> None:
    with pytest.raises(InvalidSettings, match=r"[Ss]yzygy"):
        Engine(syzygy=syzygy)


def test_classic_mode_has_no_endgame_tables() -> None:
    with pytest.raises(InvalidSettings, match="mode classic has the settings"):
        Engine(mode="classic", syzygy=str(SYZYGY))


def test_a_damaged_table_is_told_of_once_and_the_engine_plays_on(tmp_path: Path) -> None:
    for kind in ("rtbw", "rtbz"):
        shutil.copy(SYZYGY / f"KRvK.{kind}", tmp_path)
    (tmp_path / "KRvK.rtbw").write_bytes(b"")
    told: list[str] = []
    with Engine(syzygy=str(tmp_path), report=told.append) as engine:
        for _ in range(2):
            assert engine.pick_move(ROOK, QUICK).tablebase_hits == 0
    assert len(told) == 1
    assert told[0].startswith("searching without endgame tables from now on: a Syzygy table cannot be read")
