"""Killed writers, full disks, strangers' files: nothing lost, nothing touched, everything said."""

import os
import pickle
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from small_disk import mounted, remount
from sqlitedict import SqliteDict
from table_processes import in_fork, start_python

from qtable import Entry, JournalLine, QTable, TableError, recover
from qtable.errors import NotATable, TableCorrupt, TableFull, TableMissing, TableReadOnly, TableVersion
from qtable.file import APPLICATION_ID

_KEYS_PER_GAME = 40
_KILLS = 30

# Records games forever; says each number after `record` returned for it.
_RECORD_GAMES = f"""
import sys
from qtable import Entry, JournalLine, QTable
table = QTable(sys.argv[1])
print("open", flush=True)
game = table.journal_length()
while True:
    entries = {{f"{{game}} {{key}}": Entry(game) for key in range({_KEYS_PER_GAME})}}
    entries["every game"] = Entry(game)
    table.record(entries, [JournalLine(str(game), "x" * 500)])
    print(game, flush=True)
    game += 1
"""


def _kill(writer: "subprocess.Popen[str]", delay_s: float) -> list[str]:
    """Kill a writer after a while, and say what else it had reported by then."""
    assert writer.stdout is not None
    time.sleep(delay_s)
    writer.kill()
    reported = writer.stdout.read().split("\n")
    return [line for line in reported[:-1] if line != "open"]


def _assert_whole(path: Path, reported: list[str], known: int) -> int:
    """Every reported game is there, every game is whole; says how many there are."""
    with QTable(path) as table:
        assert table.check() == []
        games = [line.id for line in table.journal()]
        assert games == [str(number) for number in range(len(games))]
        assert len(games) >= known + len(reported)
        assert len(table) == len(games) * _KEYS_PER_GAME + bool(games)
        for game in games[known:]:
            values = table.values(f"{game} {key}" for key in range(_KEYS_PER_GAME))
            assert [*values.values()] == [float(game)] * _KEYS_PER_GAME
        every = table.get("every game")
        assert (every.visits if every else 0) == len(games)
    return len(games)


def test_writer_killed_at_any_moment_loses_nothing_it_reported(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    chance = random.Random(3)
    games, reported_in_all = 0, 0
    for _ in range(_KILLS):
        with start_python(_RECORD_GAMES, path) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "open\n"
            # However slow the machine is, most writers are killed after they have written, some before.
            reported = [writer.stdout.readline().rstrip() for _ in range(chance.randrange(5))]
            reported += _kill(writer, chance.uniform(0, 0.01))
        games = _assert_whole(path, reported, games)
        reported_in_all += len(reported)
    assert reported_in_all > _KILLS


def test_writer_killed_while_it_makes_the_table_leaves_one_that_opens(tmp_path: Path) -> None:
    delays = random.Random(4)
    for number in range(20):
        path = tmp_path / f"{number}.db"
        with start_python(_RECORD_GAMES, path) as writer:
            while not path.exists():
                assert writer.poll() is None
            reported = _kill(writer, delays.uniform(0, 0.02))
        _assert_whole(path, reported, 0)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 2 MB."""
    with mounted(tmp_path / "disk", "2m") as folder:
        yield folder


def test_full_disk_is_an_error_with_the_room_left_and_the_table_goes_on(small_disk: Path) -> None:
    path, ballast = small_disk / "table.db", small_disk / "ballast"
    with QTable(path) as table:
        table.record({"before": Entry(1.0)}, [JournalLine("before", "{}")])
        ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - 100_000))
        with pytest.raises(TableFull, match=r"table\.db: [\d,]+ bytes are free on its disk"):
            table.record(
                {f"{number}": Entry(number) for number in range(20_000)}, [JournalLine("much", "{}")]
            )
        assert [key for key, _ in table] == ["before"]
        assert [line.id for line in table.journal()] == ["before"]
        assert table.check() == []
        ballast.unlink()
        table.record({"after": Entry(1.0)})
        assert [key for key, _ in table] == ["after", "before"]
    with QTable(path) as table:
        assert len(table) == 2
        assert table.check() == []


def test_full_disk_in_the_middle_of_small_recordings_keeps_all_that_returned(small_disk: Path) -> None:
    path = small_disk / "table.db"
    recorded = 0

    def record_until_it_fails() -> None:
        nonlocal recorded
        for number in range(10_000):
            table.record({f"{number:08} {'x' * 1000}": Entry(number)})
            recorded += 1

    with QTable(path) as table:
        with pytest.raises(TableError, match=r"table\.db"):
            record_until_it_fails()
        assert 0 < len(table) == len(list(table)) == recorded
        assert table.check() == []


def test_full_disk_under_a_copy_or_a_new_table_is_named_and_left_clean(
    small_disk: Path, tmp_path: Path
) -> None:
    source = tmp_path / "table.db"
    with QTable(source) as table:
        table.record({f"{number:040}": Entry(number) for number in range(40_000)})
        with pytest.raises(TableFull, match=r"disk/copy\.db"):
            table.backup(small_disk / "copy.db")
    with pytest.raises(TableFull, match=r"disk/saved\.db"):
        recover(source, small_disk / "saved.db")
    assert list(small_disk.iterdir()) == []
    (small_disk / "ballast").write_bytes(bytes(shutil.disk_usage(small_disk).free - 8192))
    with pytest.raises(TableFull, match=r"disk/new\.db"):
        QTable(small_disk / "new.db")


def test_table_on_a_full_disk_can_be_read(small_disk: Path) -> None:
    path = small_disk / "table.db"
    with QTable(path) as table:
        table.record({"a": Entry(1.0)})
    (small_disk / "ballast").write_bytes(bytes(shutil.disk_usage(small_disk).free))
    with QTable(path, readonly=True) as table:
        assert [key for key, _ in table] == ["a"]
        assert table.check() == []


def test_read_only_disk_can_be_read(small_disk: Path) -> None:
    path = small_disk / "table.db"
    with QTable(path) as table:
        table.record({"a": Entry(1.0)})
    remount(small_disk, "ro")
    with QTable(path, readonly=True) as table:
        assert [key for key, _ in table] == ["a"]
        assert table.check() == []
    with pytest.raises(TableReadOnly, match="readonly=True"):
        QTable(path)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        yield Path(name)


def _as_user(action: Callable[[], object]) -> str:
    return in_fork(action, without_rights=True)


def _first_key(path: Path) -> str:
    with QTable(path, readonly=True) as table:
        return next(key for key, _ in table)


@pytest.mark.parametrize("folder_mode", [0o777, 0o555])
@pytest.mark.parametrize("file_mode", [0o666, 0o444])
def test_what_may_not_be_written_is_read_and_says_so(
    open_folder: Path, folder_mode: int, file_mode: int
) -> None:
    path = open_folder / "table.db"
    with QTable(path) as table:
        table.record({"a": Entry(1.0)})
    path.chmod(file_mode)
    open_folder.chmod(folder_mode)
    try:
        assert _as_user(lambda: _first_key(path)) == "a"
        answer = _as_user(lambda: QTable(path))
    finally:
        open_folder.chmod(0o777)
    if (folder_mode, file_mode) == (0o777, 0o666):
        assert answer == f"<QTable {path}>"
    else:
        assert answer.startswith("TableReadOnly: ")
        assert str(path) in answer
        assert "readonly=True" in answer


def test_read_only_folder_with_changes_in_a_log_says_what_to_do(open_folder: Path, tmp_path: Path) -> None:
    original = tmp_path / "table.db"
    with QTable(original) as table:
        table.record({"a": Entry(1.0)})
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{original}{suffix}", f"{open_folder}/table.db{suffix}")
    path = open_folder / "table.db"
    open_folder.chmod(0o555)
    try:
        answer = _as_user(lambda: _first_key(path))
    finally:
        open_folder.chmod(0o777)
    assert answer.startswith("TableError: ")
    assert "table.db-wal" in answer
    assert _first_key(path) == "a"


def test_new_table_in_a_read_only_folder_is_refused(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    try:
        answer = _as_user(lambda: QTable(open_folder / "table.db"))
    finally:
        open_folder.chmod(0o777)
    assert answer.startswith("TableReadOnly: the folder of ")


def test_file_that_may_not_be_read_is_refused(open_folder: Path) -> None:
    path = open_folder / "table.db"
    QTable(path).close()
    path.chmod(0)
    assert _as_user(lambda: QTable(path, readonly=True)) == f"TableError: {path} may not be read by this user"


@pytest.mark.parametrize("readonly", [False, True])
def test_missing_folder_and_folder_in_place_of_the_file_are_named(tmp_path: Path, readonly: bool) -> None:
    with pytest.raises(TableMissing, match=r"the folder of .*table\.db does not exist"):
        QTable(tmp_path / "nowhere" / "table.db", readonly=readonly)
    with pytest.raises(TableError, match="is a folder, not a file"):
        QTable(tmp_path, readonly=readonly)
    (tmp_path / "file").write_text("text")
    with pytest.raises(TableMissing, match="is not a folder"):
        QTable(tmp_path / "file" / "table.db", readonly=readonly)


def test_file_of_zero_bytes_becomes_a_table(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    path.touch(0o640)
    with QTable(path) as table:
        table.record({"a": Entry(1.0)})
    assert path.stat().st_mode & 0o777 == 0o640
    assert _first_key(path) == "a"


class _Payload:
    """What a pickled value may do to whoever loads it."""

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return os.mkdir, (str(self._marker),)


def _make_pickled(path: Path, marker: Path) -> None:
    with SqliteDict(path, tablename="entries") as dictionary:
        dictionary["start"] = _Payload(marker)
        dictionary.commit()


def _make_other_sqlite(path: Path, _: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE entries (key TEXT PRIMARY KEY, value BLOB)")


def _make_random(path: Path, _: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(50_000))


def _make_short_text(path: Path, _: Path) -> None:
    path.write_text("SQLite format 3")


def _make_cut_short(path: Path, _: Path) -> None:
    with QTable(path) as table:
        table.record({f"{number}": Entry(number) for number in range(5000)})
    os.truncate(path, path.stat().st_size // 2 + 17)


def _make_hollow(path: Path, _: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE entries (key TEXT PRIMARY KEY, value BLOB)")


def _make_newer(path: Path, _: Path) -> None:
    QTable(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.execute("PRAGMA journal_mode = DELETE")


_STRANGERS = [
    (_make_pickled, NotATable, "a SQLite file of another program"),
    (_make_other_sqlite, NotATable, "a SQLite file of another program"),
    (_make_random, NotATable, "does not begin like a SQLite file"),
    (_make_short_text, NotATable, "does not begin like a SQLite file"),
    (_make_cut_short, TableCorrupt, "was cut short.*heatmap-engine table recover"),
    (_make_hollow, NotATable, "has no counters, metadata, migrations"),
    (_make_newer, TableVersion, "has layout 99, this program knows up to"),
]


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize(("make", "error", "reason"), _STRANGERS)
def test_file_that_is_no_sound_table_is_refused_and_not_touched(
    tmp_path: Path, make: Callable[[Path, Path], None], error: type[TableError], reason: str, readonly: bool
) -> None:
    path, marker = tmp_path / "table.db", tmp_path / "payload ran"
    make(path, marker)
    before = path.read_bytes()
    with pytest.raises(error, match=reason) as caught:
        QTable(path, readonly=readonly)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["table.db"]


def test_pickle_in_the_row_of_a_true_table_never_runs(tmp_path: Path) -> None:
    path, marker = tmp_path / "table.db", tmp_path / "payload ran"
    QTable(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        row = ("start", pickle.dumps(_Payload(marker)))
        connection.execute("INSERT INTO entries (key, value) VALUES (?, ?)", row)
    with QTable(path) as table, pytest.raises(TableError, match="'start'"):
        table.get("start")
    assert not marker.exists()


def test_damaged_page_is_an_error_that_names_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with QTable(path) as table:
        table.record({f"{number:08}": Entry(number) for number in range(5000)})
    with path.open("r+b") as file:
        file.seek(20 * 4096)
        file.write(bytes(4096 * 10))
    with QTable(path) as table:
        with pytest.raises(TableCorrupt, match="heatmap-engine table recover"):
            list(table)
        assert table.check() != []
