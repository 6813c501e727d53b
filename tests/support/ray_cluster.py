"""A Ray cluster of several nodes on this machine, each of real processes, any of which may be killed."""

import importlib.util
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

if importlib.util.find_spec("ray") is None:
    pytest.skip("Ray has no wheels for this Python", allow_module_level=True)

_ROOT = Path(__file__).parents[2]

# For Ray itself and for the nodes' processes: no tokens in the user's home, and what tests hand to workers
# can be imported there.
_ENVIRONMENT = {
    "RAY_AUTH_MODE": "disabled",
    "PYTHONPATH": os.pathsep.join([str(_ROOT), str(_ROOT / "tests" / "support")]),
}

# Noticing that a node has gone takes Ray 15 s and more otherwise.
_NOTICE_SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 200,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}


class Nodes:
    """The nodes of a cluster; the first, on which drivers are, is never killed."""

    def __init__(self, processors: int) -> None:
        quiet_ray = importlib.import_module("heatmap_engine.learning.cluster.quiet_ray")
        Cluster = importlib.import_module(f"{quiet_ray.ray.__name__}.cluster_utils").Cluster  # noqa: N806 # a class

        client_port = _free_port()
        self._cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": processors,
                "include_dashboard": False,
                "ray_client_server_port": client_port,
                "_system_config": _NOTICE_SOON,
            },
        )
        self.address = str(self._cluster.address)
        self.client_address = f"ray://127.0.0.1:{client_port}"

    def add(self, processors: int = 1) -> Any:
        return self._cluster.add_node(num_cpus=processors)

    def kill(self, node: Any) -> None:
        """SIGKILL to everything of a node at once, as if its machine had lost power."""
        processes = [info.process.pid for infos in node.all_processes.values() for info in infos]
        for victim in [*processes, *(child for process in processes for child in children_of(process))]:
            with suppress(ProcessLookupError):  # it ended with one of the others
                os.kill(victim, signal.SIGKILL)
        self._cluster.remove_node(node, allow_graceful=False)

    def end(self) -> None:
        self._cluster.shutdown()


def children_of(process_id: int) -> list[int]:
    return [
        int(child) for child in Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    ]


@contextmanager
def cluster(processors: int = 1) -> Iterator[Nodes]:
    with patch.dict(os.environ, _ENVIRONMENT):
        nodes = Nodes(processors)
        try:
            yield nodes
        finally:
            nodes.end()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
