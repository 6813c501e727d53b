"""A Ray cluster of several nodes on this machine, each of real processes, any of which may be killed.

Run as a program, this file holds the cluster: it takes a command per line of standard input and answers each
with a line of JSON.
"""

import fcntl
import importlib.util
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

if importlib.util.find_spec("ray") is None:
    pytest.skip("Ray has no wheels for this Python", allow_module_level=True)

_ROOT = Path(__file__).parents[2]

# Noticing that a node has gone takes Ray 15 s and more otherwise.
_NOTICE_SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 200,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}


class Nodes:
    """The nodes of a cluster; the first, on which drivers are, is never killed."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.copies = Path(environment["TMPDIR"]) / f"heatmap-engine-cluster-{os.getuid()}"
        """Where all nodes keep their copies of tables."""
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.address, self.client_address = self._answer()

    def add(self, processors: int = 1, path: Path | None = None) -> str:
        """A new node's id; its workers look for modules in `path` first."""
        return str(self._ask("add", str(processors), str(path or "")))

    def kill(self, node_id: str) -> None:
        """SIGKILL to everything of a node at once, as if its machine had lost power."""
        self._ask("kill", node_id)

    def is_working(self, node_id: str) -> bool:
        """Whether a worker has begun on this node."""
        return bool(self._ask("is_working", node_id))

    def end(self) -> None:
        self._process.communicate()

    def _ask(self, *words: str) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


@contextmanager
def cluster(nodes: int) -> Iterator[Nodes]:
    """So many nodes with a processor each; programs that are started inside are set up to join them."""
    scratch = tempfile.mkdtemp(prefix="ray-")  # a short name: sockets are in it
    settings = {
        "RAY_AUTH_MODE": "disabled",  # on loopback only, and no token in the user's home
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # loopback; see quiet_ray.py
        # The head gives up a client whose own server process is not there after 30 s, and that imports much.
        "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "600",
        "RAY_TMPDIR": scratch,
        "TMPDIR": scratch,
        "PYTHONPATH": os.pathsep.join([str(_ROOT), str(_ROOT / "tests" / "support")]),
    }
    with patch.dict(os.environ, settings):
        running = Nodes({**os.environ})
        try:
            for _ in range(1, nodes):
                running.add()
            yield running
        finally:
            running.end()
            shutil.rmtree(scratch)


@contextmanager
def the_only_client() -> Iterator[None]:
    """While the block runs, no other test of this machine joins a cluster from outside.

    Heads that get a client at the same moment start servers for them on the same port, from 23000 on, and
    both listen there: each client talks to either.
    """
    with open(Path(tempfile.gettempdir()) / f"heatmap-engine-tests-{os.getuid()}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def free_port() -> int:
    """A port for the head's server for clients.

    One that the system names may be given to an outgoing connection before the head comes to use it: Ray
    makes many, and its head then goes on without a server. From 23000 on are the servers of single clients.
    """
    for port in random.sample(range(20_000, 23_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError("expected a free port from 20000 to 22999, got none in 100 attempts")


def hold() -> None:
    from ray.cluster_utils import Cluster

    answers, sys.stdout = sys.stdout, sys.stderr  # Ray prints
    client_port = free_port()
    head = {
        "num_cpus": 1,
        "include_dashboard": False,
        "ray_client_server_port": client_port,
        "_system_config": _NOTICE_SOON,
    }
    running = Cluster(initialize_head=True, head_node_args=head)
    nodes: dict[str, Any] = {}
    print(json.dumps([running.address, f"ray://127.0.0.1:{client_port}"]), file=answers, flush=True)
    for line in sys.stdin:
        answer: Any = None
        command, *arguments = json.loads(line)
        if command == "add":
            processors, path = arguments
            with patch.dict(os.environ, PYTHONPATH=f"{path}{os.pathsep}{os.environ['PYTHONPATH']}"):
                node = running.add_node(num_cpus=int(processors))
            nodes[node.node_id] = node
            answer = node.node_id
        elif command == "is_working":
            answer = is_working(nodes[arguments[0]])
        else:
            kill(nodes.pop(arguments[0]))
        print(json.dumps(answer), file=answers, flush=True)
    running.shutdown()


def kill(node: Any) -> None:
    for victim in processes_of(node):
        with suppress(ProcessLookupError):  # it ended with one of the others
            os.kill(victim, signal.SIGKILL)


def is_working(node: Any) -> bool:
    """Ray names a process after what it does."""
    return any(
        b"ray::Worker" in Path(f"/proc/{process}/cmdline").read_bytes() for process in processes_of(node)
    )


def processes_of(node: Any) -> list[int]:
    own = [info.process.pid for infos in node.all_processes.values() for info in infos]
    return [*own, *(child for process in own for child in children_of(process))]


def children_of(process_id: int) -> list[int]:
    return [
        int(child) for child in Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    ]


if __name__ == "__main__":
    hold()
