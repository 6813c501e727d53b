"""What this process looks at itself does not take SQLite's locks from it."""

import os
from pathlib import Path

import pytest
from table_processes import start_python

from qtable import Entry, QTable, TableDict
from qtable.file import connecting_to, disconnected_from, read_header

_OPEN_AND_CLOSE = """
import sys
from qtable import Entry, QTable
with QTable(sys.argv[1]) as table:
    table.record({"other": Entry(1.0)})
"""

_OPEN_AND_STAY = """
import sys
from qtable import Entry, QTable
with QTable(sys.argv[1]) as table:
    table.record({"third": Entry(1.0)})
    print("open", flush=True)
    sys.stdin.readline()
"""


def look_at_its_header(path: Path) -> None:
    read_header(path)


def open_it_once_more(path: Path) -> None:
    with QTable(path, readonly=True) as table:
        len(table)


def open_it_as_a_dictionary(path: Path) -> None:
    with TableDict(path) as entries:
        len(entries)


@pytest.mark.parametrize("look", [look_at_its_header, open_it_once_more, open_it_as_a_dictionary])
def test_what_is_recorded_after_another_process_has_closed_the_table_is_not_lost(
    tmp_path: Path, look: "type[None]"
) -> None:
    """The other one deleted the log that this one went on writing to, because its locks were gone."""
    path = tmp_path / "table"
    with QTable(path) as table:
        table.record({"before": Entry(1.0)})
        look(path)
        process = start_python(_OPEN_AND_CLOSE, path)
        process.communicate()
        assert process.returncode == 0
        third = start_python(_OPEN_AND_STAY, path)
        assert third.stdout is not None
        assert third.stdout.readline() == "open\n"
        table.record({"after": Entry(1.0)})
    third.communicate("done\n")
    with QTable(path, readonly=True) as table:
        assert {key for key, _ in table} == {"before", "other", "third", "after"}


def test_a_connection_may_be_collected_while_another_one_is_made(tmp_path: Path) -> None:
    """It waited for ever for the lock that its own thread held."""

    class Collecting(type(Path())):  # type: ignore[misc] # the class of this system's paths
        def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
            disconnected_from(other)  # as a connection does that nobody needs any more
            return super().stat(follow_symlinks=follow_symlinks)

    (tmp_path / "table").touch()
    other = connecting_to(tmp_path)
    disconnected_from(connecting_to(Collecting(tmp_path / "table")))


def test_looking_again_and_again_opens_one_file(tmp_path: Path) -> None:
    path = tmp_path / "table"
    with QTable(path) as table:
        table.record({"key": Entry(1.0)})
        read_header(path)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            assert read_header(path) is not None
        assert len(os.listdir("/proc/self/fd")) == before


def test_files_are_let_go_with_the_last_connection(tmp_path: Path) -> None:
    path = tmp_path / "table"

    def open_files() -> list[str]:
        return [
            target
            for link in Path("/proc/self/fd").iterdir()
            if (target := str(link.readlink() if link.is_symlink() else "")).startswith(str(path))
        ]

    with QTable(path) as table:
        for _ in range(5):
            read_header(path)
        table.record({"key": Entry(1.0)})
    assert open_files() == []
