"""The connection with a Ray cluster: one that is there, or one of this machine alone."""

import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from heatmap_engine.cluster.quiet_ray import ray
from heatmap_engine.errors import ClusterError
from heatmap_engine.workers.time_limit import patient_for

_CLIENT = "ray://"
# Ray itself tries for more than a minute, and fills the terminal meanwhile.
_ANSWER_TIMEOUT_S = 5.0
# The head gives up starting a client's server after half a minute.
_JOINING_TIMEOUT_S = 90.0


@contextmanager
def connected(address: str) -> Iterator[None]:
    """A connection for as long as the block runs; who is connected already stays so, to the same cluster.

    `address` is "auto" for the cluster that RAY_ADDRESS or `ray start` on this machine tells of, or else a
    new one of this machine alone; HOST:PORT for one that this machine is part of; ray://HOST:PORT for others.
    """
    if ray.is_initialized():
        yield
        return
    if address == "auto":
        _join_or_start()
    else:
        _require_answer(address)
        _connect(address)
    try:
        yield
    finally:
        ray.shutdown()


def _join_or_start() -> None:
    named = os.environ.get("RAY_ADDRESS")
    if named:
        _require_answer(named)
    try:
        _connect("auto")
    except ClusterError as error:
        if named or not isinstance(error.__cause__, ConnectionError):
            raise
        _connect("local", include_dashboard=False)


def _connect(address: str, **options: object) -> None:
    client = ray.util.client.ray.get_context()  # that of this thread
    try:
        with warnings.catch_warnings(), patient_for(_JOINING_TIMEOUT_S, partial(_let_go_of, client)):
            # Ray warns besides raising; the error says it all.
            warnings.filterwarnings("ignore", "Ray Client connection timed out", UserWarning)
            ray.init(address, logging_level="ERROR", log_to_driver=False, **options)
        # Whatever log_to_driver says, Ray prints to standard output how workers ended; there is no setting.
        ray._private.worker.print_to_stdstream = lambda *_, **__: None
    except (ConnectionError, RuntimeError, ValueError, ImportError, ray.exceptions.RayError) as error:
        raise ClusterError(
            f"cannot join the cluster at {address}: {in_one_line(error)} (for a cluster with tokens, set "
            "RAY_AUTH_MODE=token and have its token)"
        ) from error


def _let_go_of(client: Any) -> None:
    """End what waits for a server that the head could not start: Ray waits for that server's log for ever."""
    if client.client_worker is not None:
        client.client_worker.channel.close()


def _require_answer(address: str) -> None:
    """Raise unless something listens there."""
    host, colon, port = address.removeprefix(_CLIENT).rpartition(":")
    if not colon or not port.isdecimal():
        raise ClusterError(f"expected auto, HOST:PORT or ray://HOST:PORT as the cluster, got {address!r:.80}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_TIMEOUT_S).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(f"expected a cluster at {address}, but nothing answers: {error}") from None


def in_one_line(error: BaseException) -> str:
    """The first line of what Ray says, which may go on for a page, and what that line only announces."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    if not lines[0].endswith(":"):
        return lines[0]
    # Of a failed call the reason is among others, of a traceback it comes last.
    reason = next((line for line in lines if line.startswith("details = ")), lines[-1])
    return f"{lines[0]} {reason}"
