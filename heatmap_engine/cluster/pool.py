"""The pool of a cluster: as many workers as its nodes have processors, while nodes come and go."""

import time
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from heatmap_engine.cluster.connection import connected, in_one_line
from heatmap_engine.cluster.quiet_ray import ray
from heatmap_engine.cluster.updates import Updates
from heatmap_engine.cluster.worker import Introduction, TaskAnswer, Worker, is_there, tidy_up, versions
from heatmap_engine.errors import ClusterError
from heatmap_engine.memory.tables import Settings, table_settings
from heatmap_engine.workers.local import MakeWork
from heatmap_engine.workers.pool import MOST_ATTEMPTS, Lost, LostInARow
from qtable import Entry, QTable
from qtable.schema import require_settings

Task = TypeVar("Task")
Result = TypeVar("Result")
Outcomes = Iterable[tuple[Task, Result | Lost]]

# How often to look for nodes that have come or gone.
_LOOK_AROUND_S = 1.0
# A cluster may take half a minute to notice that a node is gone.
_PROBE_TIMEOUT_S = 60.0
_TIDY_UP_TIMEOUT_S = 10.0
# A node on which so many workers in a row end before they have done anything is left out.
_MOST_FALSE_STARTS = 3

# What is raised instead of an answer when a worker or its node has ended, perhaps with the answer.
_GONE = (
    ray.exceptions.RayActorError,
    ray.exceptions.ObjectLostError,
    ray.exceptions.ActorUnschedulableError,
    ray.exceptions.NodeDiedError,
    ray.exceptions.WorkerCrashedError,
)
_NO_CLUSTER = (ConnectionError, ray.exceptions.RaySystemError, ray.exceptions.RpcError)


@dataclass(slots=True)
class _Assignment(Generic[Task]):
    task: Task
    ended_on: list[str] = field(default_factory=list)
    """The nodes on which it ended a worker, or which ended themselves."""


@dataclass(slots=True, eq=False)
class _Node:
    """A node of the cluster, and how far its copy of the table is; None while it has none."""

    id: str
    address: str
    processors: int
    last_changes: int | None = None
    is_built: bool = False
    false_starts: int = 0


@dataclass(slots=True, eq=False)
class _Worker(Generic[Task]):
    """A worker on a node, what it will answer to, and who takes the answer."""

    node: _Node
    actor: Any
    pending: Any = None
    take: Callable[["_Worker[Task]", Any], Outcomes[Task, Any]] = lambda worker, answer: ()
    assignment: _Assignment[Task] | None = None

    def expect(self, reference: Any, take: Callable[["_Worker[Task]", Any], Outcomes[Task, Any]]) -> None:
        self.pending, self.take = reference, take


class ClusterPool(Generic[Task, Result]):
    """Workers on a cluster that read copies of the table; the table itself is written here alone.

    The table must hold values of these settings. `workers` is how many there may be in all, None as many as
    the cluster has processors. `report` hears of nodes that cannot be used.
    """

    def __init__(
        self,
        address: str,
        make_work: MakeWork[Task, Result],
        table: QTable,
        settings: Settings,
        workers: int | None = None,
        report: Callable[[str], None] = lambda message: None,
    ) -> None:
        require_settings(table.path, table.settings, table_settings(settings))
        self._address = address
        self._arguments = settings, make_work
        self._most_workers = workers
        self._report = report
        self._updates = Updates(table)
        self._run = uuid.uuid4().hex[:12]
        self._nodes: dict[str, _Node] = {}
        self._left_out: dict[str, str] = {}
        self._workers: list[_Worker[Task]] = []
        self._again: deque[_Assignment[Task]] = deque()
        self._fresh: Iterator[_Assignment[Task]] = iter(())
        self._lost_in_a_row = LostInARow()
        self._next_look = 0.0
        self._is_waiting = False
        self._exit = ExitStack()

    def __enter__(self) -> Self:
        self._exit.enter_context(connected(self._address))
        self._exit.callback(self._let_go)
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    @property
    def workers_by_node(self) -> dict[str, int]:
        """How many workers each node has just now, by the node's id."""
        return {
            node_id: sum(worker.node is node for worker in self._workers)
            for node_id, node in self._nodes.items()
        }

    def recorded(self, changes: Mapping[str, Entry]) -> None:
        """Send what a game has changed along with the next tasks."""
        self._updates.add(changes)

    def results(self, tasks: Iterable[Task]) -> Generator[tuple[Task, Result | Lost], None, None]:
        """Each task with its result, in the order in which they are finished; see `Pool`."""
        self._fresh = (_Assignment(task) for task in tasks)
        try:
            while self._is_work_left():
                self._look_around()
                for worker in self._answering():
                    yield from self._answered(worker)
        except _NO_CLUSTER as error:
            raise ClusterError(
                f"the cluster at {self._address} does not answer any more: {in_one_line(error)}"
            ) from error

    # Tasks

    def _is_work_left(self) -> bool:
        """Whether anybody works, or there is something to work on."""
        for worker in self._workers:
            if worker.pending is None:
                self._begin(worker)
        if any(worker.assignment for worker in self._workers) or self._again:
            return True
        self._again.extend(assignment for assignment in [next(self._fresh, None)] if assignment)
        return bool(self._again)

    def _begin(self, worker: _Worker[Task]) -> None:
        """Give a worker that is free its next task, with all that its node has not heard of."""
        worker.pending = None
        worker.assignment = self._again.popleft() if self._again else next(self._fresh, None)
        if worker.assignment is not None:
            assert worker.node.last_changes is not None
            updates = self._updates.since(worker.node.last_changes)
            worker.expect(worker.actor.do.remote(worker.assignment.task, updates), self._finished)

    def _answering(self) -> list[_Worker[Task]]:
        """The worker that answers next, if one does before it is time to look around."""
        busy = {worker.pending: worker for worker in self._workers if worker.pending is not None}
        if not busy:
            time.sleep(_LOOK_AROUND_S)
            return []
        ready, _ = ray.wait([*busy], num_returns=1, timeout=_LOOK_AROUND_S)
        answering = [busy[reference] for reference in ready]
        for worker in answering:  # to the end of the row, or a slow writer would hear of the first ones only
            self._workers.remove(worker)
            self._workers.append(worker)
        return answering

    def _answered(self, worker: _Worker[Task]) -> Outcomes[Task, Result]:
        try:
            answer = ray.get(worker.pending)
        except _GONE:
            return self._gone(worker)
        except ray.exceptions.RayTaskError as error:  # not the task's: those come as answers
            self._leave_out(worker.node, in_one_line(error.cause))
            return ()
        return worker.take(worker, answer)

    def _finished(self, worker: _Worker[Task], answer: TaskAnswer[Result]) -> Outcomes[Task, Result]:
        assert worker.assignment is not None
        task = worker.assignment.task
        # A worker whose game took longer answers with an older number than its neighbours did.
        worker.node.last_changes = max(worker.node.last_changes or 0, answer.last_changes)
        worker.node.false_starts = 0
        self._forget_updates()
        if answer.error is not None:
            raise answer.error
        self._lost_in_a_row.end()
        # Before the result is taken, because to write it takes a while.
        self._begin(worker)
        return [(task, answer.result)]  # type: ignore[list-item] # without an error it is a result

    def _forget_updates(self) -> None:
        known = [node.last_changes for node in self._nodes.values() if node.last_changes is not None]
        self._updates.forget(min(known, default=0))
        # While a node is building, the changes since then are kept. Without them a snapshot is of no use.
        if all(node.is_built or node.last_changes is None for node in self._nodes.values()):
            self._updates.forget_snapshot()

    # Workers that end

    def _gone(self, worker: _Worker[Task]) -> Outcomes[Task, Result]:
        """What the task of a worker that has ended comes to: it is done again, or lost."""
        self._dismiss(worker)
        self._next_look = 0.0
        assignment = worker.assignment
        if assignment is None:
            worker.node.false_starts += 1
            if worker.node.false_starts == _MOST_FALSE_STARTS and self._answers(worker.node.id):
                self._leave_out(worker.node, f"{_MOST_FALSE_STARTS} workers in a row ended at once")
            return ()
        assignment.ended_on.append(worker.node.id)
        if len(assignment.ended_on) >= MOST_ATTEMPTS:
            # A node that is gone has taken its workers with it: that is not the task's fault.
            assignment.ended_on = [node_id for node_id in assignment.ended_on if self._answers(node_id)]
        if len(assignment.ended_on) < MOST_ATTEMPTS:
            self._again.append(assignment)
            return ()
        lost = Lost(f"the last one on {worker.node.address}")
        return [(assignment.task, self._lost_in_a_row.add(lost))]

    def _answers(self, node_id: str) -> bool:
        """Whether a node is still there; asked of itself, because the cluster may not have noticed yet."""
        if not any(node["Alive"] and node["NodeID"] == node_id for node in ray.nodes()):
            return False
        probe = ray.remote(is_there).options(**_on(node_id, processors=0), max_retries=0).remote()
        try:
            return bool(ray.get(probe, timeout=_PROBE_TIMEOUT_S))
        except ray.exceptions.RayError:
            return False

    def _dismiss(self, worker: _Worker[Task]) -> None:
        self._workers.remove(worker)
        ray.kill(worker.actor)

    # Nodes

    def _look_around(self) -> None:
        """Notice nodes that have come or gone, and start the workers that are missing."""
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _LOOK_AROUND_S
        nodes = [node for node in map(_node_of, ray.nodes()) if node is not None]
        if nodes and all(node.id in self._left_out for node in nodes):
            raise ClusterError(f"no node can be used: {'; '.join(set(self._left_out.values()))}")
        here = {node.id: self._nodes.get(node.id, node) for node in nodes if node.id not in self._left_out}
        if here.keys() != self._nodes.keys():
            self._nodes = here
            self._forget_updates()
        for node in self._nodes.values():
            self._start_workers(node)
        if not self._workers and not self._is_waiting:
            self._report("no node of the cluster has a processor: waiting for one to join")
        self._is_waiting = not self._workers

    def _start_workers(self, node: _Node) -> None:
        """Start the workers that a node lacks: one, which makes the node's copy of the table, then all."""
        wanted = node.processors if node.is_built else 1
        missing = wanted - sum(worker.node is node for worker in self._workers)
        if self._most_workers is not None:
            missing = min(missing, self._most_workers - len(self._workers))
        for _ in range(missing):
            actor = ray.remote(Worker).options(**_on(node.id, processors=1))
            worker: _Worker[Task] = _Worker(node, actor.remote(self._folder(node), *self._arguments))
            worker.expect(worker.actor.introduction.remote(), self._introduced)
            self._workers.append(worker)

    def _introduced(self, worker: _Worker[Task], introduction: Introduction) -> Outcomes[Task, Result]:
        node, own, found = worker.node, versions(), introduction.versions
        different = [
            f"{name} {own[name]}, found {found.get(name)}" for name in own if own[name] != found.get(name)
        ]
        if different:
            self._leave_out(node, f"expected {', '.join(different)}")
        elif node.is_built and introduction.has_copy:
            self._begin(worker)
        elif any(other.node is node and other.take == self._built for other in self._workers):
            self._dismiss(worker)  # its place is filled again when the copy is there
        else:
            node.is_built = False
            snapshot = self._updates.snapshot()
            node.last_changes = snapshot.last_changes
            worker.expect(worker.actor.build.remote(*snapshot), self._built)
        return ()

    def _built(self, worker: _Worker[Task], _: None) -> Outcomes[Task, Result]:
        worker.node.is_built = True
        self._next_look = 0.0  # the node's other workers may begin
        self._forget_updates()
        self._begin(worker)
        return ()

    def _leave_out(self, node: _Node, reason: str) -> None:
        """Use a node no more; what its workers were doing is done elsewhere."""
        self._report(f"the node {node.address} is left out: {reason}")
        self._left_out[node.id] = f"{node.address}: {reason}"
        self._nodes.pop(node.id, None)
        self._forget_updates()
        self._next_look = 0.0
        for worker in [worker for worker in self._workers if worker.node is node]:
            self._dismiss(worker)
            if worker.assignment is not None:
                self._again.append(worker.assignment)

    def _folder(self, node: _Node) -> str:
        """A name for the node's copy of the table; several nodes may be one machine."""
        return f"{self._run}-{node.id[:12]}"

    def _let_go(self) -> None:
        """End the workers, also in the middle of a game, and remove the nodes' copies of the table."""
        with suppress(*_NO_CLUSTER):  # who cannot be reached any more ends by himself; the next run tidies up
            for worker in [*self._workers]:
                self._dismiss(worker)
            tidied = [
                ray.remote(tidy_up).options(**_on(node.id, processors=0)).remote(self._folder(node))
                for node in self._nodes.values()
            ]
            if tidied:
                ray.wait(tidied, num_returns=len(tidied), timeout=_TIDY_UP_TIMEOUT_S)


def _node_of(description: Mapping[str, Any]) -> _Node | None:
    """A node as Ray describes it; None if it is gone or has no processor to give."""
    processors = int(description["Resources"].get("CPU", 0)) if description["Alive"] else 0
    return _Node(description["NodeID"], description["NodeManagerAddress"], processors) if processors else None


def _on(node_id: str, processors: int) -> dict[str, Any]:
    """Ray's options for what must run on a certain node."""
    strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node_id, soft=False)
    return {"num_cpus": processors, "scheduling_strategy": strategy}
