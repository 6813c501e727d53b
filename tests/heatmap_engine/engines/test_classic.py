"""The engine's promises: limits, memory, and that a table never stops a move."""

import multiprocessing
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import chess
import pytest
from hypothesis import assume, given, settings
from strategies import ENDGAMES, STARTS, boards

import heatmap_engine as he
from heatmap_engine.classic.search import search
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.engines.observer import Observer
from heatmap_engine.engines.pick import FoundDepth
from heatmap_engine.memory.tables import table_settings
from qtable import Entry, JournalLine, QTable
from qtable.errors import TableMismatch

KIWIPETE = STARTS[1]
AFTER_KB6 = "1k6/8/1K6/8/8/8/8/7R w - - 2 2"


def scores(pick: he.Pick) -> dict[str, float]:
    return {candidate.move.uci(): candidate.score for candidate in pick.candidates}


def test_pick_holds_what_the_search_found() -> None:
    with he.Engine(mode="classic") as engine:
        pick = engine.pick_move("startpos")
    assert pick.score == pytest.approx(0.23333333333333428)
    assert pick.move == pick.candidates[0].move == chess.Move.from_uci("e2e3")
    assert len(pick.candidates) == 20
    assert pick.line[0] == pick.move
    assert pick.reply == pick.line[1]
    assert (pick.plies, pick.tactical_plies, pick.nodes, pick.table_hits) == (2, 1, 421, 0)
    assert pick.moves_visited > 160_000
    assert pick.seconds > 0


def test_black_picks_the_lowest_score() -> None:
    with he.Engine(mode="classic") as engine:
        pick = engine.pick_move("8/8/8/8/8/6k1/4q3/7K b - - 0 1")
    assert pick.score == -384.0
    ranked = [candidate.score for candidate in pick.candidates]
    assert ranked == sorted(ranked)


def test_equal_candidates_are_chosen_by_the_injected_random_source() -> None:
    mates = "8/8/8/8/8/6k1/4q3/7K b - - 0 1"  # five moves mate
    picks = {
        he.Engine(random=random.Random(seed), mode="classic").pick_move(mates).move.uci()
        for seed in range(60)
    }
    assert picks == {"e2h2", "e2g2", "e2f1", "e2e1", "e2d1"}
    again = [he.Engine(random=random.Random(5), mode="classic").pick_move(mates).move for _ in range(3)]
    assert len(set(again)) == 1


def test_game_over_is_said_with_result_and_fen() -> None:
    with he.Engine(mode="classic") as engine, pytest.raises(he.GameOver, match=r"1/2-1/2 \(7k/5Q2"):
        engine.pick_move("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")


# What is remembered


def test_searched_positions_are_recorded_for_the_side_to_move(tmp_path: Path) -> None:
    board = chess.Board()
    board.push_san("e4")
    with he.Engine(tmp_path / "t.table", mode="classic") as engine:
        assert engine.table is not None
        pick = engine.pick_move(board)
        entry = engine.table.get(he.key_of(board))
        assert entry is not None
        assert (entry.value, entry.depth, entry.visits, entry.source) == (-pick.score, 2, 1, "search")
        for candidate in pick.candidates:
            board.push(candidate.move)
            below = engine.table.get(he.key_of(board))
            assert below is not None
            assert (below.value, below.depth) == (candidate.score, 1)
            board.pop()
    with QTable(tmp_path / "t.table") as table:
        assert table.settings == {"weights": "cmhm2", "heat_depth": 1, "key_format": 1}
        assert table.check() == []


def test_nothing_is_recorded_when_recording_is_off(tmp_path: Path) -> None:
    with he.Engine(tmp_path / "t.table", record="off", mode="classic") as engine:
        engine.pick_move("startpos")
        assert engine.table is not None
        assert len(engine.table) == 0


@settings(max_examples=40)
@given(boards(ENDGAMES + STARTS[:3], max_plies=60))
def test_warm_equals_cold_when_everything_is_recorded(board: chess.Board) -> None:
    assume(any(board.legal_moves))
    assume(not twins(board))
    with QTable.in_memory() as table, he.Engine(table, record="all", mode="classic") as engine:
        cold = engine.pick_move(board)
        warm = engine.pick_move(board)
    assert scores(warm) == scores(cold), board.fen()


def twins(board: chess.Board) -> set[str]:
    """The keys that leaves share with positions that are searched: a second pick finds the searched value."""
    found = search(board, ClassicSettings(), with_leaves=True)
    return found.scored.keys() & found.backed_up.keys()


def test_a_leaf_that_is_the_twin_of_a_searched_position_gets_its_better_value() -> None:
    # Kings and bishops face each other: after some replies the board is a searched one turned around.
    board = chess.Board("8/4k3/3b4/8/4B3/8/4K3/8 w - - 14 111")
    with QTable.in_memory() as table, he.Engine(table, record="all", mode="classic") as engine:
        cold = engine.pick_move(board)
        warm = scores(engine.pick_move(board))
    changed = [candidate for candidate in cold.candidates if candidate.score != warm[candidate.move.uci()]]
    assert changed
    for candidate in changed:
        end = board.copy()
        for move in candidate.line:
            end.push(move)
        assert he.key_of(end) in twins(board)


def test_a_second_pick_reads_what_the_first_recorded(tmp_path: Path) -> None:
    with he.Engine(tmp_path / "t.table", record="all", mode="classic") as engine:
        assert engine.pick_move("startpos").table_hits == 0
        assert engine.pick_move("startpos").table_hits == 400
        assert all(candidate.from_table for candidate in engine.pick_move("startpos").candidates)


def test_a_shallower_search_never_overwrites_a_deeper_one(tmp_path: Path) -> None:
    with he.Engine(tmp_path / "t.table", mode="classic") as engine:
        engine.pick_move("startpos", he.Limits(plies=3))
        engine.pick_move("startpos")
        assert engine.table is not None
        entry = engine.table.get(he.key_of("startpos"))
    assert entry is not None
    assert (entry.depth, entry.visits) == (3, 2)


def test_a_table_that_was_handed_in_stays_open_and_a_path_is_closed(tmp_path: Path) -> None:
    with QTable(tmp_path / "mine.table") as table:
        with he.Engine(table, mode="classic") as engine:
            engine.pick_move("startpos")
        assert len(table) == 21
    engine = he.Engine(tmp_path / "own.table", mode="classic")
    own = engine.table
    assert own is not None
    engine.close()
    with pytest.raises(Exception, match="clos"):
        len(own)


def test_a_table_of_other_settings_is_refused(tmp_path: Path) -> None:
    with he.Engine(tmp_path / "t.table", mode="classic") as engine:
        engine.pick_move("startpos")
    for wrong in ({"heat_depth": 0}, {"weights": he.CMHM2_STATIC}):
        with pytest.raises(TableMismatch, match="heatmap-engine table"):
            he.Engine(tmp_path / "t.table", **wrong, mode="classic")  # type: ignore[arg-type] # mypy cannot match the keys
        with QTable(tmp_path / "t.table") as table, pytest.raises(TableMismatch):
            he.Engine(table, **wrong, mode="classic")  # type: ignore[arg-type] # mypy cannot match the keys


def test_weights_of_ones_own_are_told_apart_by_their_numbers() -> None:
    own = he.Weights("cmhm2", move=((2,) * 6,), box=((1,) * 6,))
    assert own.identity.startswith("cmhm2#")
    assert table_settings(ClassicSettings(weights=own)) != table_settings(ClassicSettings())


# A table never stops a move


HOLDS_THE_WRITE_LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
"""


@contextmanager
def another_process_writes(path: Path) -> Iterator[None]:
    command = [sys.executable, "-c", HOLDS_THE_WRITE_LOCK, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield
        other.communicate("\n", timeout=60)


def test_a_busy_table_delays_nothing_and_gets_its_entries_later(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    reports: list[str] = []
    with he.Engine(path, report=reports.append, mode="classic") as engine:
        assert engine.table is not None
        with another_process_writes(path):
            engine.pick_move("startpos")
            engine.pick_move("startpos")
            assert len(reports) == 1  # once, not at every move
            assert "t.table" in reports[0]
            assert len(engine.table) == 0
        engine.pick_move("startpos")
        entry = engine.table.get(he.key_of("startpos"))
    assert entry is not None
    assert entry.visits == 3


def test_what_a_busy_table_did_not_take_is_written_when_the_engine_closes(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    engine = he.Engine(path, report=lambda problem: None, mode="classic")
    assert engine.table is not None
    with another_process_writes(path):
        engine.pick_move("startpos")
        assert len(engine.table) == 0
    engine.close()
    with QTable(path) as table:
        assert len(table) == 21


def test_a_read_only_table_is_read_and_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    with he.Engine(path, record="all", mode="classic") as engine:
        engine.pick_move("startpos")
    reports: list[str] = []
    with he.Engine(path, readonly=True, report=reports.append, mode="classic") as engine:
        assert engine.pick_move("startpos").table_hits == 400
        assert engine.pick_move("startpos").table_hits == 400
    assert reports == []  # reading only is what was asked for


@pytest.mark.skipif(not hasattr(os, "fork"), reason="drops its rights in a forked process")
def test_a_file_that_may_not_be_written_is_used_read_only(tmp_path: Path) -> None:
    path = tmp_path / "t.table"
    with he.Engine(path, record="all", mode="classic") as engine:
        engine.pick_move("startpos")
    before = path.read_bytes()
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_pick_as_nobody, args=(path, answers))
    child.start()
    hits, reports = answers.get(timeout=60)
    child.join(60)
    assert hits == 400
    assert len(reports) == 1
    assert path.read_bytes() == before


def _pick_as_nobody(path: Path, answers: "multiprocessing.queues.Queue[tuple[int, list[str]]]") -> None:
    if os.getuid() == 0:
        for folder in reversed(path.parents):  # let the way to the file be walked
            if folder != Path("/") and not os.stat(folder).st_mode & 0o001:
                os.chmod(folder, os.stat(folder).st_mode | 0o055)
        os.setgid(65534)
        os.setuid(65534)
    reports: list[str] = []
    with he.Engine(path, report=reports.append, mode="classic") as engine:
        answers.put((engine.pick_move("startpos").table_hits, reports))


def test_an_engine_with_nowhere_to_learn_into_says_so() -> None:
    with pytest.raises(he.InvalidSettings, match="nowhere to learn into"):
        he.Engine(mode="classic").learn_game(chess.Board())


# Limits


def test_plies_of_the_limits_go_before_the_engines_own() -> None:
    with he.Engine(mode="classic") as engine:
        assert engine.pick_move(ENDGAMES[0], he.Limits(plies=1)).plies == 1
        assert engine.pick_move(ENDGAMES[0], he.Limits(plies=3)).plies == 3


def test_with_seconds_it_deepens_and_always_has_the_base_search() -> None:
    with he.Engine(mode="classic") as engine:
        assert engine.pick_move(KIWIPETE, he.Limits(seconds=0)).plies == 2
        assert engine.pick_move(ENDGAMES[0], he.Limits(seconds=1, plies=3)).plies == 3


def test_the_clock_is_the_injected_one() -> None:
    now = iter(range(100_000))
    with he.Engine(clock=lambda: float(next(now)), mode="classic") as engine:
        pick = engine.pick_move(KIWIPETE, he.Limits(seconds=30))
    assert pick.plies == 2
    assert pick.seconds >= 30


def test_moves_visited_limit_the_same_work_every_time() -> None:
    with he.Engine(random=random.Random(1), mode="classic") as engine:
        one = engine.pick_move("startpos", he.Limits(moves_visited=20_000_000))
        two = engine.pick_move("startpos", he.Limits(moves_visited=20_000_000))
    assert one.plies == two.plies == 3
    assert scores(one) == scores(two)


def test_deepening_ends_where_the_game_does() -> None:
    # Black's only moves lead to mate or stalemate within a few plies: no need for sixteen.
    with he.Engine(mode="classic") as engine:
        pick = engine.pick_move("k7/2Q5/1K6/8/8/8/8/8 w - - 0 1", he.Limits(moves_visited=10**9, plies=4))
    assert pick.score == 384.0


@pytest.mark.parametrize(
    "wrong", [{"plies": 0}, {"plies": 17}, {"seconds": -1}, {"seconds": float("nan")}, {"moves_visited": 1.5}]
)
def test_wrong_limits_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(he.InvalidSettings, match=next(iter(wrong))):
        he.Engine(mode="classic").pick_move("startpos", he.Limits(**wrong))  # type: ignore[arg-type] # that is the point


def test_wrong_record_mode_is_refused() -> None:
    with pytest.raises(he.InvalidSettings, match="searched, all, off"):
        he.Engine(record="some", mode="classic")


def test_stop_from_another_thread_gives_the_last_finished_search() -> None:
    picks: list[he.Pick] = []
    has_finished_one = threading.Event()

    class Hearing(Observer):
        def on_depth(self, found: FoundDepth) -> None:
            has_finished_one.set()

    with he.Engine(mode="classic") as engine:
        thread = threading.Thread(
            target=lambda: picks.append(engine.pick_move(KIWIPETE, he.Limits(seconds=3600), Hearing()))
        )
        thread.start()
        has_finished_one.wait()
        engine.stop()
        thread.join()
        expected = scores(engine.pick_move(KIWIPETE, he.Limits(plies=picks[0].plies)))
    assert picks[0].plies >= 2
    assert scores(picks[0]) == expected


def test_stop_before_anything_is_finished_gives_the_shallowest_search() -> None:
    quick = Observer()
    quick.stop.set()
    with he.Engine(mode="classic") as engine:
        pick = engine.pick_move(KIWIPETE, observer=quick)
    assert (pick.plies, pick.tactical_plies) == (1, 0)
    assert chess.Board(KIWIPETE).is_legal(pick.move)


def test_entries_written_by_others_are_seen(tmp_path: Path) -> None:
    board = chess.Board()
    for san in ["e4", "e5"]:
        board.push_san(san)
    path, meaning = tmp_path / "t.table", table_settings(ClassicSettings())
    with he.Engine(path, record="off", mode="classic") as engine, QTable(path, settings=meaning) as other:
        assert engine.pick_move("startpos").move.uci() == "e2e3"
        other.record({he.key_of(board): Entry(5000.0, depth=9)})
        assert engine.pick_move("startpos").table_hits == 1


class CountedTable(QTable):
    """A table that counts how often something was to be recorded."""

    attempts = 0

    def record(
        self, changes: Mapping[str, Entry], journal: Iterable[JournalLine] = (), *, replace: bool = False
    ) -> None:
        self.attempts += 1
        super().record(changes, journal, replace=replace)


def test_a_closed_table_is_not_waited_for(tmp_path: Path) -> None:
    # An engine waited ten seconds at its end for whatever it could not write, also where that was in vain.
    table = CountedTable(tmp_path / "t")
    reports: list[str] = []
    with he.Engine(table, report=reports.append, mode="classic") as engine:
        table.close()
        engine.pick_move("startpos")
    assert table.attempts == 2  # after the pick, and once more at the end
    assert len(reports) == 1
