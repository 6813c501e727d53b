"""One `go` as the session sees it: ended before it has begun, and over when it has answered."""

import io
import random
import threading
import time
from typing import TYPE_CHECKING

import chess
import pytest

from heatmap_engine.deep.levels import elo_range
from heatmap_engine.deep.thinking_time import thinking_time
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.errors import InvalidMove
from heatmap_engine.limits import LIMITED_PACING, clock_budget
from heatmap_engine.uci.go_job import Asked
from heatmap_engine.uci.limited_job import LimitedJob
from heatmap_engine.uci.options import Options
from heatmap_engine.uci.parsing import parse_go
from heatmap_engine.uci.search_job import SearchJob
from heatmap_engine.uci.wire import Output
from heatmap_engine.uci.worker import Worker

PACING = LIMITED_PACING
DEEP = mode_named("deep")

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def test_a_stop_before_the_search_has_begun_is_heard() -> None:
    """It was lost, and the search went on to all of the level's nodes."""
    stream, options = io.BytesIO(), Options()
    highest = elo_range()[1]
    options.set("UCI_Elo", str(highest))
    go, _ = parse_go(["wtime", "1000000", "btime", "1000000"])
    job = LimitedJob(Asked(chess.Board(), go, options, Output(stream), PACING, lambda move: None))
    job.finish()
    with Engine(hash_mib=1) as engine:
        job.run(engine, random.Random(1))
    words = stream.getvalue().decode().split()
    assert words[words.index("depth") + 1] == "1" or int(words[words.index("nodes") + 1]) <= 1024
    assert words[-4] == "bestmove"


def test_a_level_lets_its_clock_run_and_plays_what_it_would_have_played_at_once() -> None:
    """It answered in milliseconds, whatever the clock said."""

    def answer(*words: str) -> tuple[chess.Move, float]:
        stream, board = io.BytesIO(), chess.Board()
        go, _ = parse_go([*words])
        job = LimitedJob(Asked(board, go, Options(), Output(stream), PACING, lambda move: None))
        started = time.monotonic()
        with Engine(hash_mib=1) as engine:
            job.run(engine, random.Random(1))
        said = stream.getvalue().decode().split()
        return chess.Move.from_uci(said[said.index("bestmove") + 1]), time.monotonic() - started

    move, seconds = answer("wtime", "12000", "btime", "12000")
    pause = thinking_time(chess.Board(), move, clock_budget(12_000, 0, None, 30, PACING).soft_s)
    assert seconds >= pause > 0.05
    assert answer("nodes", "1000000")[0] == move


def test_a_search_is_over_when_its_answer_is_read() -> None:
    """Now and then a GUI that was quick to ask again was told that a search had been stopped for it."""
    was_over: list[bool] = []

    class Reading(io.BytesIO):
        def write(self, data: "ReadableBuffer") -> int:
            was_over.append(job.is_finished.is_set())
            return super().write(data)

    go, _ = parse_go(["depth", "1"])
    job = SearchJob(
        Asked(chess.Board(), go, Options(), Output(Reading()), PACING, lambda move: None),
        DEEP,
        lambda record: None,
    )
    with Engine(hash_mib=1) as engine:
        job.run(engine, random.Random(1))
    assert was_over == [False, True]


def test_a_search_that_fails_is_told_and_answers_with_a_legal_move() -> None:
    """The thread that searches ended without a word, and the GUI waited for ever."""
    stream = io.BytesIO()
    go, _ = parse_go(["depth", "1", "searchmoves", "e2e5"])  # the session lets no such move through
    asked = Asked(chess.Board(), go, Options(), Output(stream), PACING, lambda move: None)
    job = SearchJob(asked, DEEP, lambda record: None)
    with Engine(hash_mib=1) as engine, pytest.raises(InvalidMove):
        job.run(engine, random.Random(1))
    told, answer = stream.getvalue().decode().splitlines()
    assert told.startswith("info string the search failed: InvalidMove: e2e5 is not legal")
    assert chess.Move.from_uci(answer.removeprefix("bestmove ")) in chess.Board().legal_moves


def test_the_searching_thread_outlives_what_fails_in_it(capfd: pytest.CaptureFixture[str]) -> None:
    worker, was_there = Worker(), threading.Event()
    worker.between_searches([].pop)
    worker.between_searches(was_there.set)
    worker.wait()
    assert was_there.is_set()
    worker.close()
    assert "pop from empty list" in capfd.readouterr().err
