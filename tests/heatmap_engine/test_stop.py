"""A stop ends its own search, whenever it comes, and no other one."""

import queue
import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from heatmap_engine.deep.search import DeepResult, DeepSearch
from heatmap_engine.deep.weights import learned_weights
from heatmap_engine.engines.engine import Engine
from heatmap_engine.engines.observer import Observer
from heatmap_engine.engines.pick import Pick
from heatmap_engine.limits import Limits
from heatmap_engine.stop import Stop

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
# The kernel looks once in so many nodes whether it is to stop.
NODES_UNTIL_HEARD = 1024
# Ends what a lost stop leaves running; no search that hears its stop takes so long.
ENDLESS_S = 30.0
ENDLESS = Limits(seconds=1e3 / 1000 * ENDLESS_S)


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class StoppingThread:
    """Sets each stop that it is given after so many seconds."""

    def __init__(self) -> None:
        self._stops: queue.SimpleQueue[tuple[Stop, float] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while (asked := self._stops.get()) is not None:
            stop, seconds = asked
            time.sleep(seconds)
            stop.set()

    def stop_after(self, seconds: float) -> Stop:
        stop = Stop()
        self._stops.put((stop, seconds))
        return stop

    def end(self) -> None:
        self._stops.put(None)
        self._thread.join()


@contextmanager
def stopping_thread() -> Iterator[StoppingThread]:
    thread = StoppingThread()
    try:
        yield thread
    finally:
        thread.end()


@contextmanager
def ended_by_a_stop() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < ENDLESS_S, "the stop was lost"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_at_the_beginning_of_a_search_is_never_lost(threads: int) -> None:
    search, source = DeepSearch(learned_weights(), hash_mib=1, threads=threads), random.Random(1)
    with stopping_thread() as other:
        for _ in range(200):
            stop = other.stop_after(source.uniform(0.0, 2e-4))
            with ended_by_a_stop():
                search.search(KIWIPETE, ENDLESS, stop=stop)


def test_a_stop_at_the_end_of_a_search_never_ends_the_next_one() -> None:
    search, source = DeepSearch(learned_weights(), hash_mib=1), random.Random(2)
    seconds = search.search("startpos", Limits(depth=4)).seconds
    with stopping_thread() as other:
        for _ in range(200):
            search.clear()
            stop = other.stop_after(source.uniform(0.5, 1.5) * seconds)
            search.search("startpos", Limits(depth=4), stop=stop)
            heard: list[DeepResult] = []
            search.search(KIWIPETE, Limits(depth=5), heard.append)
            assert [result.depth for result in heard] == [1, 2, 3, 4, 5]


def test_a_search_that_is_over_waits_until_its_stop_has_been_heard() -> None:
    """Else the thread that stops, just before it does so, would come too late and end the next search."""
    stop, is_ending, may_end, is_left = Stop(), threading.Event(), threading.Event(), threading.Event()

    def end() -> None:
        is_ending.set()
        may_end.wait()

    def leave() -> None:
        with stop.calls(end):
            is_ending.wait()
        is_left.set()

    threads = [threading.Thread(target=leave), threading.Thread(target=stop.set)]
    for thread in threads:
        thread.start()
    is_ending.wait()
    came_early = is_left.wait(0.05)
    may_end.set()
    for thread in threads:
        thread.join()
    assert is_left.is_set()
    assert not came_early


def test_a_stop_is_heard_by_all_that_it_was_given_to_and_only_while_they_run() -> None:
    heard: list[str] = []
    stop = Stop()
    with stop.calls(lambda: heard.append("over")):
        pass
    with stop.calls(lambda: heard.append("first")), stop.calls(lambda: heard.append("second")):
        assert not heard
        stop.set()
        assert heard == ["first", "second"]
    with stop.calls(lambda: heard.append("later")):
        assert heard == ["first", "second", "later"]
    assert stop.is_set()


def test_a_search_whose_stop_was_set_before_ends_at_once() -> None:
    stop = Stop()
    stop.set()
    with ended_by_a_stop():
        result = DeepSearch(learned_weights(), hash_mib=1).search(KIWIPETE, ENDLESS, stop=stop)
    assert result.nodes <= NODES_UNTIL_HEARD


class Heard(Observer):
    def __init__(self) -> None:
        super().__init__()
        self.depths: list[int] = []

    def on_depth(self, pick: Pick) -> None:
        self.depths.append(pick.depth)


def test_an_observers_stop_ends_its_pick_and_not_the_next() -> None:
    source = random.Random(3)
    with stopping_thread() as other, Engine(hash_mib=1) as engine:
        for _ in range(100):
            observer, undisturbed = Heard(), Heard()
            observer.stop = other.stop_after(source.uniform(0.0, 2e-3))
            with ended_by_a_stop():
                engine.pick_move(KIWIPETE, ENDLESS, observer)
            engine.clear()
            engine.pick_move("startpos", Limits(depth=5), undisturbed)
            assert undisturbed.depths == [1, 2, 3, 4, 5]


def test_a_stop_of_an_engine_ends_what_runs_and_nothing_later() -> None:
    with Engine(hash_mib=1) as engine:
        engine.stop()
        observer = Heard()
        engine.pick_move("startpos", Limits(depth=5), observer)
        assert observer.depths == [1, 2, 3, 4, 5]

        class Stopping(Heard):
            def on_depth(self, pick: Pick) -> None:
                super().on_depth(pick)
                engine.stop()

        stopping = Stopping()
        with ended_by_a_stop():
            engine.pick_move(KIWIPETE, ENDLESS, stopping)
        assert not stopping.stop.is_set()
