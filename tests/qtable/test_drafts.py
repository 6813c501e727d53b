"""New files beside other processes: nobody's file is replaced or deleted, and a dead maker's leftovers go."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from table_processes import run_python, start_python

from qtable import Entry, QTable, TableError, recover
from qtable.drafts import NameTaken, draft_of
from qtable.errors import TableExists
from qtable.file import require_regular
from qtable.merging import merge
from qtable.transfer import import_file

_MAKE_TABLE = (
    "import sys; from qtable import Entry, QTable\n"
    "with QTable(sys.argv[1]) as table: table.record({'theirs': Entry(1.0)})"
)
# Begins a backup and stays in the middle of it until it is killed or its input ends.
_BACK_UP_SLOWLY = """
import sys
from qtable import QTable
def wait(done, total):
    print("copying", flush=True)
    sys.stdin.readline()
QTable(sys.argv[1], readonly=True).backup(sys.argv[2], progress=wait)
"""


def _keys(path: Path) -> list[str]:
    with QTable(path, readonly=True) as table:
        assert table.check() == []
        return [key for key, _ in table]


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "table.db"
    with QTable(path) as table:
        table.record({"ours": Entry(1.0)})
    return path


# What is no file


@contextmanager
def _device(path: Path, kind: int, numbers: tuple[int, int]) -> Iterator[None]:
    try:
        os.mknod(path, kind | 0o666, os.makedev(*numbers))
    except PermissionError:
        pytest.skip("only the superuser makes devices")
    yield


@contextmanager
def _character_device(path: Path) -> Iterator[None]:
    with _device(path, 0o020000, (1, 3)):  # another /dev/null
        yield


@contextmanager
def _block_device(path: Path) -> Iterator[None]:
    with _device(path, 0o060000, (7, 255)):  # a loop device that nothing is attached to
        yield


@contextmanager
def _fifo(path: Path) -> Iterator[None]:
    os.mkfifo(path)
    yield


@contextmanager
def _socket(path: Path) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        yield


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    path.mkdir()
    yield


_KINDS = [
    (_character_device, "a character device"),
    (_block_device, "a block device"),
    (_fifo, r"a FIFO \(a named pipe\)"),
    (_socket, "a socket"),
    (_folder, "a folder"),
]


def _write_rows(path: Path) -> Path:
    rows = path.with_name("rows.csv")
    rows.write_text("key,value\na,1\n")
    return rows


def _merge_from(strange: Path, source: Path) -> None:
    with QTable(source) as table, QTable(strange, readonly=True) as other:
        merge(table, other)


def _back_up_to(strange: Path, source: Path, overwrite: bool) -> None:
    with QTable(source, readonly=True) as table:
        table.backup(strange, overwrite=overwrite)


_WAYS: dict[str, Callable[[Path, Path], object]] = {
    "open": lambda strange, _: QTable(strange),
    "read": lambda strange, _: QTable(strange, readonly=True),
    "import into": lambda strange, _: import_file(strange, _write_rows(strange), "csv"),
    "recover from": lambda strange, source: recover(strange, source.with_name("saved.db")),
    "recover to": lambda strange, source: recover(source, strange, overwrite=True),
    "back up to": lambda strange, source: _back_up_to(strange, source, False),
    "back up over": lambda strange, source: _back_up_to(strange, source, True),
    "merge": _merge_from,
}


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize(("make", "kind"), _KINDS)
def test_what_is_no_file_is_named_and_left_as_it_is(
    tmp_path: Path, source: Path, make: Callable[[Path], Iterator[None]], kind: str, way: str
) -> None:
    # `table import` once put a table in the place of a device, and waited for ever for a FIFO.
    strange = tmp_path / "strange"
    with make(strange):  # type: ignore[attr-defined] # a context manager
        before = strange.stat()
        with pytest.raises(TableError, match=rf"strange is {kind}, not a file"):
            _WAYS[way](strange, source)
        after = strange.stat()
    assert (before.st_ino, before.st_mode, before.st_rdev) == (after.st_ino, after.st_mode, after.st_rdev)
    assert _keys(source) == ["ours"]
    assert set(_names(tmp_path)) <= {"strange", "table.db", "rows.csv"}


def test_what_becomes_a_device_while_a_file_is_written_is_left_as_it_is(tmp_path: Path) -> None:
    target = tmp_path / "target"
    with suppress(NameTaken, TableExists), draft_of(target, overwrite=True) as draft:
        draft.write_text("new")
        os.mkfifo(target)
    with pytest.raises(TableError, match="FIFO"):
        require_regular(target)
    assert _names(tmp_path) == ["target"]


# Files that another process makes meanwhile


def _rows(folder: Path, last: str) -> Path:
    """Enough rows for a progress report, and one more."""
    path = folder / "rows.csv"
    rows = [f"{number},1" for number in range(1000)]
    path.write_text("\n".join(["key,value", *rows, last]) + "\n")
    return path


def test_import_that_fails_leaves_the_table_that_another_process_made_meanwhile(tmp_path: Path) -> None:
    # Any error once unlinked whatever was there by then, if nothing had been there at the start.
    path = tmp_path / "table.db"

    def make_theirs(_done: int, _total: int) -> None:
        if not path.exists():
            run_python(_MAKE_TABLE, path)

    with pytest.raises(TableError, match="line 1002"):
        import_file(path, _rows(tmp_path, "bad,one"), "csv", progress=make_theirs)
    assert _keys(path) == ["theirs"]
    assert _names(tmp_path) == ["rows.csv", "table.db"]


def test_import_goes_into_the_table_that_another_process_made_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "table.db"

    def make_theirs(_done: int, _total: int) -> None:
        if not path.exists():
            run_python(_MAKE_TABLE, path)

    assert import_file(path, _rows(tmp_path, "last,1"), "csv", progress=make_theirs) == 1001
    assert {"theirs", "last", "999"} <= set(_keys(path))
    assert _names(tmp_path) == ["rows.csv", "table.db"]


def test_import_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_file(tmp_path / "table.db", _rows(tmp_path, "last,1"), "csv", progress=stop)
    assert _names(tmp_path) == ["rows.csv"]


def test_import_into_a_file_of_zero_bytes_makes_a_table_of_the_same_rights(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    path.touch(0o640)
    assert import_file(path, _rows(tmp_path, "last,1"), "csv") == 1001
    assert len(_keys(path)) == 1001
    assert path.stat().st_mode & 0o777 == 0o640


def test_errors_of_an_import_name_the_table_and_no_draft(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"journal": "g", "line": "", "added": 1}\n' * 2)
    with pytest.raises(TableError, match=rf"the journal of {tmp_path}/table\.db already has a line 'g'"):
        import_file(tmp_path / "table.db", rows, "jsonl")
    assert _names(tmp_path) == ["rows.jsonl"]


def test_copy_does_not_replace_a_file_that_came_meanwhile(tmp_path: Path, source: Path) -> None:
    # Two backups to one name once both succeeded, and the first was gone.
    target = tmp_path / "copy.db"

    def make_theirs(_done: int, _total: int) -> None:
        if not target.exists():
            run_python(_MAKE_TABLE, target)

    for make_copy in (
        lambda: _back_up_with(source, target, make_theirs),
        lambda: recover(source, target, progress=make_theirs),
    ):
        with pytest.raises(TableExists, match=r"another process made .*copy\.db meanwhile"):
            make_copy()
        assert _keys(target) == ["theirs"]
        target.unlink()
    assert _names(tmp_path) == ["table.db"]


def _back_up_with(source: Path, target: Path, progress: Callable[[int, int], None]) -> None:
    with QTable(source, readonly=True) as table:
        table.backup(target, progress=progress)


def test_file_system_without_links_still_replaces_nothing(tmp_path: Path) -> None:
    """As on a memory stick with FAT, where the system refuses to give a file a second name."""
    script = (
        "import errno, os, sys; from pathlib import Path\n"
        "def refuse(*_): raise OSError(errno.EPERM, 'no links here')\n"
        "os.link = refuse\n"
        "from qtable.drafts import draft_of\n"
        "from qtable.errors import TableExists\n"
        "target = Path(sys.argv[1])\n"
        "with draft_of(target) as draft: draft.write_text('first')\n"
        "try:\n"
        "    with draft_of(target) as draft: draft.write_text('second')\n"
        "except TableExists: print(target.read_text())\n"
    )
    assert run_python(script, tmp_path / "file") == "first\n"
    assert _names(tmp_path) == ["file"]


# Leftovers


def test_what_a_killed_command_left_is_removed_by_the_next(tmp_path: Path, source: Path) -> None:
    with start_python(_BACK_UP_SLOWLY, source, tmp_path / "copy.db") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "copying\n"
        process.kill()
    assert _names(tmp_path)[0].startswith(".qtable-")
    QTable(source).close()
    assert _names(tmp_path) == ["table.db"]


def test_draft_of_a_living_process_is_left_to_it(tmp_path: Path, source: Path) -> None:
    with start_python(_BACK_UP_SLOWLY, source, tmp_path / "copy.db") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "copying\n"
        QTable(source).close()
        with draft_of(tmp_path / "other") as draft:
            draft.write_text("text")
        process.communicate("\n" * 1000)
    assert process.returncode == 0
    assert _keys(tmp_path / "copy.db") == ["ours"]
    assert _names(tmp_path) == ["copy.db", "other", "table.db"]


def test_draft_that_a_child_still_holds_is_not_taken_for_a_leftover(tmp_path: Path) -> None:
    """A process id says nothing: the maker may be dead, its number another's, and a child of it at work."""
    script = (
        "import os, sys; from pathlib import Path; from qtable.drafts import draft_of\n"
        "with draft_of(Path(sys.argv[1])) as draft:\n"
        "    draft.write_text('x')\n"
        "    if os.fork() == 0:\n"
        "        print('child', flush=True)\n"
        "        sys.stdin.readline()\n"
        "        os._exit(0)\n"
        "    os._exit(0)\n"
    )
    with start_python(script, tmp_path / "file") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "child\n"
        process.wait()
        QTable(tmp_path / "a.db").close()
        assert len(_names(tmp_path)) == 2
        process.communicate("\n")
        QTable(tmp_path / "a.db").close()
    assert _names(tmp_path) == ["a.db"]


def test_only_what_was_made_here_is_removed(tmp_path: Path) -> None:
    mine, named, other = (tmp_path / f".qtable-{name}" for name in ("abcdefgh", "my-notes", "12345678"))
    mine.mkdir()
    (mine / "draft").write_text("half")
    named.mkdir()
    other.mkdir()
    (other / "precious.txt").write_text("precious")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "draft").write_text("precious")
    (tmp_path / ".qtable-abcd1234").symlink_to("elsewhere")
    QTable(tmp_path / "table.db").close()
    assert _names(tmp_path) == [
        ".qtable-12345678",
        ".qtable-abcd1234",
        ".qtable-my-notes",
        "elsewhere",
        "table.db",
    ]
    assert (tmp_path / "elsewhere" / "draft").read_text() == "precious"


def test_leftover_of_another_user_is_left_to_that_user(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only the superuser gives folders away")
    room = tmp_path / ".qtable-abcdefgh"
    room.mkdir()
    os.chown(room, 65534, 65534)
    QTable(tmp_path / "table.db").close()
    assert room.exists()


def test_reading_sweeps_nothing(tmp_path: Path, source: Path) -> None:
    (tmp_path / ".qtable-abcdefgh").mkdir()
    assert _keys(source) == ["ours"]
    assert (tmp_path / ".qtable-abcdefgh").exists()


def test_draft_in_use_by_a_thread_of_the_same_process_is_left_alone(tmp_path: Path) -> None:
    with draft_of(tmp_path / "file") as draft:
        draft.write_text("text")
        with draft_of(tmp_path / "other") as other:
            other.write_text("text")
        QTable(tmp_path / "table.db").close()
    assert _names(tmp_path) == ["file", "other", "table.db"]
