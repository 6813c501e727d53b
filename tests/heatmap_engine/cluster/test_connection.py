"""What Ray says, in one line that tells the reason."""

import pytest
import ray_cluster  # noqa: F401 # skips these tests where there is no Ray

_CALL = """<_MultiThreadedRendezvous of RPC that terminated with:
\tstatus = StatusCode.UNAVAILABLE
\tdetails = "Socket closed"
\tdebug_error_string = "UNKNOWN:Error received from peer"
>"""
_TRACEBACK = """Initialization failure from server:
Traceback (most recent call last):
  File "proxier.py", line 712, in Datapath
RuntimeError: Proxy failed to Connect to backend!
"""


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (_CALL, '<_MultiThreadedRendezvous of RPC that terminated with: details = "Socket closed"'),
        (
            _TRACEBACK,
            "Initialization failure from server: RuntimeError: Proxy failed to Connect to backend!",
        ),
        ("No such node.\nTry another.", "No such node."),
        ("", "OSError"),
    ],
)
def test_errors_of_many_lines_are_told_in_one(said: str, line: str) -> None:
    from heatmap_engine.cluster.connection import in_one_line

    assert in_one_line(OSError(said)) == line
