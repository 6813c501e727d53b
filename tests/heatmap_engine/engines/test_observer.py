"""What an observer hears, limits that a clock needs, and learning in parts."""

import threading
from pathlib import Path

import chess
import pytest

import heatmap_engine as he
from games.chess.record import GameRecord
from heatmap_engine.engines.observer import Observer
from heatmap_engine.engines.pick import FoundDepth
from heatmap_engine.stop import Stopped

FOOLS = GameRecord(moves=("f2f3", "e7e5", "g2g4", "d8h4"), result="0-1", termination="checkmate")


class Listener(Observer):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[str, int]] = []

    def on_depth(self, found: FoundDepth) -> None:
        self.heard.append(("depth", found.depth))

    def on_pick(self, pick: he.Pick) -> None:
        self.heard.append(("pick", pick.plies))

    def on_move(self, number: int, move: chess.Move) -> None:
        self.heard.append(("move", number))


def test_depths_are_heard_in_their_order_and_the_pick_last() -> None:
    listener = Listener()
    he.Engine(mode="classic").pick_move("startpos", he.Limits(plies=3, seconds=1e9), listener)
    depths = [event for event in listener.heard if event[0] != "move"]
    assert depths == [("depth", 2), ("depth", 3), ("pick", 3)]
    assert [number for name, number in listener.heard if name == "move"] == [*range(1, 21)]


def test_a_stop_that_was_set_before_still_stops() -> None:
    listener = Listener()
    listener.stop.set()
    assert he.Engine(mode="classic").pick_move("startpos", he.Limits(seconds=1e9), listener).plies == 1


def test_nothing_deeper_is_begun_after_the_soft_seconds() -> None:
    assert (
        he.Engine(mode="classic").pick_move("startpos", he.Limits(seconds=1e9, soft_seconds=0.0)).plies == 2
    )


def test_strict_limits_end_the_first_search_too() -> None:
    assert he.Engine(mode="classic").pick_move("startpos", he.Limits(moves_visited=0, strict=True)).plies == 1
    assert he.Engine(mode="classic").pick_move("startpos", he.Limits(moves_visited=0)).plies == 2


def test_what_was_found_may_be_recorded_later_by_another_thread(tmp_path: Path) -> None:
    class Later(Observer):
        def on_found(self, record: "object") -> None:
            assert callable(record)
            self.record = record

    later = Later()
    with he.Engine(tmp_path / "t", mode="classic") as engine:
        assert engine.table is not None
        engine.pick_move("startpos", observer=later)
        assert len(engine.table) == 0
        thread = threading.Thread(target=later.record)
        thread.start()
        thread.join()
        assert len(engine.table) == 21


@pytest.mark.parametrize("patience", range(12))
def test_learning_goes_on_where_it_was_interrupted(tmp_path: Path, patience: int) -> None:
    left = patience

    def keep_going(_moves_visited: int) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise Stopped

    with (
        he.Engine(tmp_path / "whole", mode="classic") as whole,
        he.Engine(tmp_path / "parts", mode="classic") as parts,
    ):
        expected = whole.learn_game(FOOLS)
        lesson = parts.begin_lesson(FOOLS)
        try:
            learned = lesson.go_on(keep_going)
        except Stopped:
            assert parts.table is not None
            assert len(parts.table) == 0
            learned = lesson.go_on()
        assert [(s.ply, s.new_value) for s in learned.steps] == [(s.ply, s.new_value) for s in expected.steps]
        assert learned.entries == expected.entries
