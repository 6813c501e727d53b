"""Files of lines: what is appended is there, and half a line is not."""

from pathlib import Path

import pytest

from games.lines import LineFile


def test_lines_come_back_in_order(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "lines")
    assert [*file] == []
    assert file.repair() == 0
    for line in ("one", "zwölf", ""):
        file.append(line)
    assert [*LineFile(file.path)] == ["one", "zwölf", ""]


@pytest.mark.parametrize("rest", [b"", b"half", b"\xc3", b"x" * 200_000])
@pytest.mark.parametrize("whole", [b"", b"one\ntwo\n"])
def test_half_a_line_is_neither_read_nor_kept(tmp_path: Path, whole: bytes, rest: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(whole + rest)
    file = LineFile(path)
    assert file.repair() == len(rest)
    assert path.read_bytes() == whole
    file.append("three")
    assert [*file] == [*whole.decode().split(), "three"]


def test_a_line_that_is_being_written_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntw")
    assert [*LineFile(path)] == ["one"]
