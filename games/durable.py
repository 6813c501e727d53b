"""Files that are whole and have their names even after a power cut."""

import os
from pathlib import Path


def put_in_place(draft: Path, path: Path) -> None:
    """Let a draft take the place of a file: its content is on the disk before its name is."""
    sync(draft)
    draft.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Have a file's content, or the names in a folder, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
