"""What comes out of a damaged file: every row that can be read, and nothing that was never there."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from qtable import Entry, JournalLine, QTable, recover
from qtable.errors import NotATable, TableExists

_PAGE = 4096
_SETTINGS = {"preset": "cmhm2", "depth": 1}


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A table that is still whole, with deleted rows, wide entries and journal lines longer than a page."""
    path = tmp_path / "table.db"
    random_source = random.Random(2)
    with QTable(path, settings=_SETTINGS) as table:
        entries = {
            f"{random_source.getrandbits(128):032x}": Entry(number, visits=2**40 if number % 7 == 0 else 1)
            for number in range(8000)
        }
        entries["long " * 1000] = Entry(-1.0)
        table.record(
            entries, [JournalLine(f"{number}", "move " * 40 * number, number) for number in range(100)]
        )
        table.delete(*list(entries)[:2000])
    return path


def _contents(path: Path) -> tuple[dict[str, Entry], list[JournalLine]]:
    with QTable(path, readonly=True) as table:
        return dict(table), list(table.journal())


def test_whole_table_is_recovered_whole(damaged: Path) -> None:
    target = damaged.with_name("saved.db")
    before = damaged.read_bytes()
    found = recover(damaged, target)
    assert (found.entries, found.lost, found.journal_lines, found.damaged_pages) == (6001, 0, 100, 0)
    assert _contents(target) == _contents(damaged)
    assert damaged.read_bytes() == before
    with QTable(target, settings=_SETTINGS) as table:
        assert table.check() == []
        assert len(table) == 6001


def _overwrite_pages(path: Path) -> None:
    random_source = random.Random(5)
    content = bytearray(path.read_bytes())
    for page in range(10, len(content) // _PAGE, 9):
        content[page * _PAGE : (page + 1) * _PAGE] = random_source.randbytes(_PAGE)
    path.write_bytes(content)


def _cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 4 + 100])


def _destroy_header(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(bytes(_PAGE) + content[_PAGE:])


@pytest.mark.parametrize("damage", [_overwrite_pages, _cut, _destroy_header])
def test_readable_rows_of_a_damaged_table_are_saved_and_the_lost_counted(
    damaged: Path, damage: Callable[[Path], None]
) -> None:
    whole, lines = _contents(damaged)
    damage(damaged)
    target = damaged.with_name("saved.db")
    found = recover(damaged, target)
    saved, saved_lines = _contents(target)
    assert found.entries == len(saved) > 1000
    # Without the header, the list of free pages is lost, and rows that were deleted may come back.
    if damage is not _destroy_header:
        assert saved.items() <= whole.items()
        assert found.lost == len(whole) - len(saved)
        assert found.lost > 0
    else:
        assert whole.items() <= saved.items()
    assert set(saved_lines) <= set(lines)
    assert saved_lines == sorted(saved_lines, key=lambda line: int(line.id))
    with QTable(target, settings=_SETTINGS) as table:
        assert table.check() == []


def test_changes_that_wait_in_the_log_are_recovered(tmp_path: Path) -> None:
    path, copy = tmp_path / "table.db", tmp_path / "copy.db"
    with QTable(path) as table:
        table.record({"in the log": Entry(1.0)})
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
    found = recover(copy, tmp_path / "saved.db")
    assert (found.entries, found.lost) == (1, 0)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "copy.db",
        "copy.db-wal",
        "saved.db",
        "table.db",
    ]


def test_file_without_a_single_row_is_refused_and_no_table_made(tmp_path: Path) -> None:
    path, target = tmp_path / "noise", tmp_path / "saved.db"
    path.write_bytes(random.Random(1).randbytes(50 * _PAGE))
    with pytest.raises(NotATable, match="nothing in it"):
        recover(path, target)
    path.write_bytes(b"")
    with pytest.raises(NotATable, match="is empty"):
        recover(path, target)
    assert [file.name for file in tmp_path.iterdir()] == ["noise"]


def test_recovery_overwrites_only_when_told(damaged: Path) -> None:
    target = damaged.with_name("saved.db")
    target.write_text("precious")
    with pytest.raises(TableExists):
        recover(damaged, target)
    assert target.read_text() == "precious"
    assert recover(damaged, target, overwrite=True).lost == 0


def test_recovery_that_is_stopped_leaves_nothing(damaged: Path) -> None:
    def stop(done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recover(damaged, damaged.with_name("saved.db"), progress=stop)
    assert [file.name for file in damaged.parent.iterdir()] == ["table.db"]
