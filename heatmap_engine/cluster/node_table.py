"""A node's copy of the table: one file, which all workers of the node read.

The copy begins as a snapshot with a number. Then come the games' changes, numbered on from there, and
whichever worker hears of some first records them, all in one transaction together with the last number. So
each is recorded once, in order, whoever is killed; a worker keeps nothing in memory.
"""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from heatmap_engine.cluster.packed_entries import PackedValues, unpack
from heatmap_engine.errors import ClusterError
from heatmap_engine.memory.tables import Settings, open_table
from qtable import JournalLine, QTable

Reference = TypeVar("Reference")

# The journal of a copy has a line of its own: the number of the last changes that are in it.
_LAST_CHANGES = "last changes of the cluster's run"
# How long a worker waits for another one of its node that is recording changes.
_WRITER_TIMEOUT_S = 600.0


class NodeTable:
    """The copy of one run on one node; `folder` is its own, on that node."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.table = open_table(_file(folder), settings, timeout_s=_WRITER_TIMEOUT_S)

    @property
    def last_changes(self) -> int:
        return _last_changes(self.table)

    def catch_up(
        self, changes: Sequence[tuple[int, Reference]], fetch: Callable[[Reference], PackedValues]
    ) -> int:
        """Record those of the numbered changes that the copy does not have; says the number of the last."""
        if not changes or changes[-1][0] <= self.last_changes:
            return self.last_changes
        with self.table.transaction():
            last = self.last_changes  # another worker may have been faster
            for number, reference in changes:
                if number > last:
                    changed = fetch(reference)
                    self.table.put(unpack(changed))
                    for name, text in changed.notes.items():
                        self.table.set_note(name, text)
                    last = number
            _set_last_changes(self.table, last)
        return last


def build(folder: Path, pieces: Iterable[bytes], last_changes: int, settings: Settings) -> None:
    """Put a snapshot together; the file gets its name when it is whole."""
    draft = folder / f"draft-{os.getpid()}"  # a killed builder may have left a log, which SQLite would apply
    with draft.open("wb") as file:
        file.writelines(pieces)
    with open_table(draft, settings) as table:
        _set_last_changes(table, last_changes)
    draft.replace(_file(folder))


def has_copy(folder: Path) -> bool:
    return _file(folder).exists()


def _file(folder: Path) -> Path:
    return folder / "copy.table"


def _last_changes(table: QTable) -> int:
    line = table.journal_line(_LAST_CHANGES)
    assert line is not None
    return int(line.text)


def _set_last_changes(table: QTable, number: int) -> None:
    table.record({}, [JournalLine(_LAST_CHANGES, str(number))], replace=True)


# Folders


def folder_of(name: str) -> Path:
    """Where a copy is kept; not in the user's home, which machines often share, and SQLite must not."""
    return _base() / name


@contextmanager
def used_folder(name: str) -> Iterator[Path]:
    """The folder, made if it is missing, and marked as used by this process as long as the block runs.

    What killed runs have left behind is removed on the occasion.
    """
    folder = folder_of(name)
    with (_base() / "lock").open("w") as everybody:
        fcntl.flock(everybody, fcntl.LOCK_EX)  # nobody removes a folder between its making and its marking
        _remove_unused(folder)
        folder.mkdir(exist_ok=True)
        mark = (folder / "used").open("w")
        fcntl.flock(mark, fcntl.LOCK_SH)
    with mark:
        yield folder


def _base() -> Path:
    """Our own folder in the one that everybody may write to; raises ClusterError if it is not ours alone.

    Anybody may have made it before us, and what killed runs have left in it is removed.
    """
    base = Path(tempfile.gettempdir()) / f"heatmap-engine-cluster-{os.getuid()}"
    with suppress(FileExistsError):
        base.mkdir(mode=0o700)
    fault = _fault_of(base.lstat())
    if fault:
        raise ClusterError(
            f"expected a folder for copies of the table at {base} that is this user's alone, "
            f"but it {fault}; remove it, or set TMPDIR to another folder"
        )
    return base


def _fault_of(found: os.stat_result) -> str:
    """What is wrong with a folder of ours, in words; empty if nothing is."""
    if stat.S_ISLNK(found.st_mode):
        return "is a symbolic link"
    if not stat.S_ISDIR(found.st_mode):
        return "is no folder"
    if found.st_uid != os.getuid():
        return "is another user's"
    mode = stat.S_IMODE(found.st_mode) & 0o777
    return "" if mode == 0o700 else f"has mode {mode:o}, expected 700"


def _remove_unused(own: Path) -> None:
    for mark_path in _base().glob("*/used"):
        if mark_path.parent == own or mark_path.parent.is_symlink() or mark_path.is_symlink():
            continue
        with mark_path.open("w") as mark:
            try:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            remove(mark_path.parent)


def remove(folder: Path) -> None:
    """Remove a copy; one that is gone already is as good."""
    shutil.rmtree(folder, ignore_errors=True)
