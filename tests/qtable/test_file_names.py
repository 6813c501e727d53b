"""A table's name, or that of its folder, need not be text in UTF-8: Linux takes any bytes."""

import os
from pathlib import Path

import pytest

from qtable import Entry, QTable, recover


@pytest.mark.parametrize("name", [b"b\xe9\xff", "tafel ü %41?#".encode()])
def test_any_name_is_the_same_file_for_everybody(tmp_path: Path, name: bytes) -> None:
    """A name that is no text was written to and could not be opened again."""
    folder = tmp_path / os.fsdecode(name)
    folder.mkdir()
    path = folder / os.fsdecode(name)
    with QTable(path) as table:
        table.record({"k": Entry(1.0)})
    with QTable(path, readonly=True) as table:
        assert table.check() == []
        table.backup(folder / "copy")
    recover(path, folder / "saved")
    for copy in ("copy", "saved"):
        with QTable(folder / copy, must_exist=True) as table:
            assert len(table) == 1
    assert os.fsencode(path.name) in os.listdir(os.fsencode(folder))
