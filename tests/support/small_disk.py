"""A real file system with little room, for tests of what happens when there is none left."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    """An empty file system of that size in a new folder; skips the test where nobody may mount one."""
    folder.mkdir()
    outcome = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if outcome.returncode != 0:
        pytest.skip(f"a small disk needs the right to mount one: {outcome.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def remount(folder: Path, option: str) -> None:
    """Change it: `ro` lets nobody write any more, `size=50m` makes room."""
    subprocess.run(["mount", "-o", f"remount,{option}", str(folder)], check=True)
