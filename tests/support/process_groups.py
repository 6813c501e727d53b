"""Processes that a test has started, and those that these have started in turn."""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def wait_until(condition: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    """Until the condition holds or the process has ended by itself."""
    while process.poll() is None and not condition():
        time.sleep(0.002)


def living_in_group(group: int) -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, _, its_group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue  # it has ended meanwhile
        if int(its_group) == group and state != "Z":
            yield int(entry.name)


def own_children() -> Iterator[int]:
    """The processes that any thread of this one has started."""
    for thread in Path("/proc/self/task").iterdir():
        try:
            yield from map(int, (thread / "children").read_text().split())
        except OSError:
            continue  # the thread has ended meanwhile


def children_of(process: int, *, doing: str) -> Iterator[int]:
    """The children of a process in whose command line these words stand."""
    for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
        try:
            if doing.encode() in Path(f"/proc/{child}/cmdline").read_bytes():
                yield int(child)
        except OSError:
            continue  # it has ended meanwhile
