"""Workers on the nodes of a cluster: every task is done once, whatever is killed, joins late or is slow."""

import itertools
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cluster_tasks import Dying, Reading, ReadingNotes, Waiting, doubling, refusing_three
from ray_cluster import Nodes, cluster

from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.classic.weights import CMHM2_STATIC
from heatmap_engine.errors import ClusterError
from heatmap_engine.memory.tables import open_table
from heatmap_engine.workers.pool import Lost
from qtable import Entry, QTable
from qtable.errors import TableMismatch

pytestmark = pytest.mark.xdist_group("cluster")

SETTINGS = ClassicSettings()


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """A cluster of two nodes with a processor each."""
    with cluster(2) as nodes:
        yield nodes


@pytest.fixture
def table(tmp_path: Path) -> Iterator[QTable]:
    with open_table(tmp_path / "table", SETTINGS) as table:
        yield table


@pytest.fixture
def pool_of(nodes: Nodes, table: QTable) -> Callable[..., Any]:
    from heatmap_engine.cluster.pool import ClusterPool

    def pool(make_work: Any, settings: ClassicSettings = SETTINGS, **options: Any) -> ClusterPool[Any, Any]:
        return ClusterPool(nodes.address, make_work, table, settings, **options)

    return pool


def test_every_task_is_done_once(pool_of: Callable[..., Any]) -> None:
    with pool_of(doubling) as pool:
        assert sorted(pool.results(range(40))) == [(number, 2 * number) for number in range(40)]
        assert [*pool.results([])] == []


def test_error_of_a_task_is_raised_to_whoever_takes_results(pool_of: Callable[..., Any]) -> None:
    with pool_of(refusing_three) as pool, pytest.raises(ValueError, match="anything but 3"):
        list(pool.results(range(10)))


def test_tasks_of_killed_workers_are_done_again(pool_of: Callable[..., Any], tmp_path: Path) -> None:
    with pool_of(Dying(tmp_path, {0, 5}, always=False)) as pool:
        assert sorted(pool.results(range(8))) == [(number, 2 * number) for number in range(8)]
    assert {"0", "5"} <= {path.name for path in tmp_path.iterdir()}


def test_task_that_ends_two_workers_is_reported(pool_of: Callable[..., Any], tmp_path: Path) -> None:
    with pool_of(Dying(tmp_path, {2}, always=True)) as pool:
        results = dict(pool.results(range(5)))
    assert isinstance(results.pop(2), Lost)
    assert results == {0: 0, 1: 2, 3: 6, 4: 8}


def test_slow_writer_finds_one_result_waiting_for_each_worker(pool_of: Callable[..., Any]) -> None:
    asked: list[int] = []
    tasks = (asked.append(number) or number for number in range(1000))
    with pool_of(doubling) as pool:
        results = pool.results(tasks)
        for done in range(1, 20):
            next(results)
            assert (
                len(asked) <= done + 2
            )  # a worker has one task, and begins no other until its result is taken


def test_every_node_reads_notes_of_before_and_of_during_the_run(
    pool_of: Callable[..., Any], table: QTable
) -> None:
    table.set_note("old", "before")
    table.set_note("gone", "before")
    with pool_of(ReadingNotes) as pool:
        assert {note for _, note in pool.results(["old", "gone"] * 2)} == {"before"}
        table.set_note("new", "during")
        table.set_note("gone", None)
        pool.recorded({})
        known = {*pool.results(["old", "new", "gone"] * 2)}
    assert known == {("old", "before"), ("new", "during"), ("gone", None)}


def test_every_node_reads_what_was_recorded_before(
    pool_of: Callable[..., Any], table: QTable, tmp_path: Path
) -> None:
    """Before the run in the snapshot, during it in what is sent along; a shallower value changes nothing."""
    table.record({"old": Entry(1.0, depth=2), "deep": Entry(5.0, depth=2)})
    seen: dict[int, list[float | None]] = {}

    def tasks() -> Iterator[str]:
        while len(seen) < 2 or min(map(len, seen.values())) < 4:
            yield "new"

    with pool_of(Reading) as pool:
        for number, (_, (value, process)) in enumerate(pool.results(tasks())):
            seen.setdefault(process, []).append(value)
            changes = {"new": Entry(float(number), depth=1)}
            table.record(changes)
            pool.recorded(changes)
        changes = {"deep": Entry(7.0, depth=1)}
        table.record(changes)
        pool.recorded(changes)
        known = [*pool.results(["old", "deep", "old", "deep"])]
    assert {(key, value) for key, (value, _) in known} == {("old", 1.0), ("deep", 5.0)}
    for values in seen.values():  # with a game of delay at most for each worker, as values come and never go
        assert values[0] is None or values[0] >= 0
        assert None not in values[2:]
        assert values[2:] == sorted(values[2:])
        assert values[-1] >= 2


def test_node_that_waits_for_a_processor_misses_nothing(
    nodes: Nodes, pool_of: Callable[..., Any], table: QTable
) -> None:
    """It was given the snapshot of the run's beginning, but not the changes that others had confirmed."""
    from heatmap_engine.cluster.connection import connected
    from heatmap_engine.cluster.quiet_ray import ray

    seen: dict[int, list[float | None]] = {}

    def tasks() -> Iterator[str]:
        while len(seen) < 2:
            yield "key"

    with connected(nodes.address), pool_of(Reading) as pool:
        other_program = ray.remote(Reading).options(num_cpus=1).remote(table=None)
        ray.get(other_program.__ray_ready__.remote())
        for number, (_, (value, process)) in enumerate(pool.results(tasks())):
            seen.setdefault(process, []).append(value)
            changes = {"key" if number == 0 else str(number): Entry(1.0)}
            table.record(changes)
            pool.recorded(changes)
            if number == 5:
                ray.kill(other_program)
    (_, late) = seen.values()
    assert set(late) == {1.0}


def test_nodes_that_join_late_get_work_and_killed_ones_lose_only_what_they_were_doing(
    nodes: Nodes, pool_of: Callable[..., Any], tmp_path: Path
) -> None:
    """One task is on two nodes that are killed one after the other: that is not its fault."""

    def begun() -> list[str]:
        return [path.name for path in tmp_path.glob("[0-9]-*")]

    def come_and_go() -> None:
        try:
            for expected in (3, 4):
                node = nodes.add()
                while len(begun()) < expected:
                    time.sleep(0.01)
                nodes.kill(node)
        finally:
            (tmp_path / "go").touch()

    with pool_of(Waiting(tmp_path)) as pool, ThreadPoolExecutor(1) as thread:
        coming_and_going = thread.submit(come_and_go)
        done = [*pool.results(range(6))]
        coming_and_going.result()
    assert sorted(number for number, _ in done) == [*range(6)]
    assert all(f"{number}-{process}" in begun() for number, process in done)
    attempts = sorted(Counter(name[0] for name in begun()).values())
    assert attempts == [1, 1, 1, 1, 1, 3]


# Asked before all of `sys.path`: Ray puts the driver's folders in front of a node's own, and where the
# project was built its folder says a version, too.
_OTHER_INSTALLATION = """
import sys
from importlib.metadata import DistributionFinder, MetadataPathFinder

class Finder(DistributionFinder):
    def find_spec(self, *_):
        return None

    def find_distributions(self, context):
        context = DistributionFinder.Context(name=context.name, path=[{folder!r}])
        return MetadataPathFinder.find_distributions(context)

sys.meta_path.insert(0, Finder())
"""


def test_node_with_another_version_is_left_out(
    nodes: Nodes, pool_of: Callable[..., Any], tmp_path: Path
) -> None:
    other = tmp_path / "heatmap_engine-99.0.dist-info" / "METADATA"
    other.parent.mkdir()
    other.write_text("Metadata-Version: 2.1\nName: heatmap-engine\nVersion: 99.0\n")
    (tmp_path / "sitecustomize.py").write_text(_OTHER_INSTALLATION.format(folder=str(tmp_path)))
    node = nodes.add(path=tmp_path)
    said: list[str] = []

    def tasks() -> Iterator[int]:
        yield from range(4)
        # Ends after minutes, if nothing is ever said.
        yield from itertools.takewhile(lambda _: not said, itertools.repeat(4, 100_000))

    with pool_of(doubling, report=said.append) as pool:
        results = [*pool.results(tasks())]
        assert node not in pool.workers_by_node
    nodes.kill(node)
    assert len(results) >= 4
    assert len(said) == 1
    assert "is left out: expected heatmap-engine " in said[0]
    assert said[0].endswith(", found 99.0")


def test_table_of_other_settings_is_refused(pool_of: Callable[..., Any]) -> None:
    with pytest.raises(TableMismatch, match="weights"):
        pool_of(doubling, settings=ClassicSettings(weights=CMHM2_STATIC))


def test_nothing_is_left_on_the_nodes(nodes: Nodes, pool_of: Callable[..., Any]) -> None:
    left_by_killed_nodes = {*nodes.copies.glob("*/used")}
    with pool_of(doubling) as pool:
        results = pool.results(range(100))
        next(results)
        assert {*nodes.copies.glob("*/used")} - left_by_killed_nodes
    assert not {*nodes.copies.glob("*/used")} - left_by_killed_nodes


def test_address_where_nobody_answers_is_said_in_one_line(table: QTable) -> None:
    from heatmap_engine.cluster.pool import ClusterPool

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}"):
        with (
            pytest.raises(ClusterError, match=f"expected a cluster at {address}, but nothing answers"),
            ClusterPool(address, doubling, table, SETTINGS),
        ):
            pass
