"""What is no JSON for us says so in one kind of error, whatever json or the system would have raised."""

import os
from pathlib import Path

import pytest

from games.lines import LineFile
from qtable.json_input import InvalidJson, parse_json, parse_json_object, read_text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is no JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("1" * 301, "a number of 301 digits, expected at most 300"),
        ("-" + "1" * 10_000, "a number of 10001 digits"),
        (r'["\ud800"]', "half a character"),
        (r'{"\uDFFF": 1}', "half a character"),
        ('["\ud800"]', "half a character"),
    ],
)
def test_what_is_no_json_is_one_error_that_says_why(text: str, message: str) -> None:
    with pytest.raises(InvalidJson, match=message):
        parse_json(text)


def test_json_means_what_it_says() -> None:
    assert parse_json(r'["\ud83d\ude00", 1.5, 12, null, NaN]')[:4] == ["\U0001f600", 1.5, 12, None]
    assert parse_json_object('{"a": {}}') == {"a": {}}
    with pytest.raises(InvalidJson, match="expected an object"):
        parse_json_object("[]")


def test_text_is_read_from_regular_files_only(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "file").write_bytes(b"\xc3\xa4")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "bytes").write_bytes(b"\xff")
    assert read_text(tmp_path / "link") == "ä"
    with pytest.raises(OSError, match=r"it is a FIFO \(a named pipe\), not a file"):
        read_text(tmp_path / "fifo")
    with pytest.raises(OSError, match="it is a character device"):
        read_text("/dev/zero")
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "none")
    with pytest.raises(InvalidJson, match="no text in UTF-8"):
        read_text(tmp_path / "bytes")


def test_file_of_lines_that_is_no_text_or_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"one\n\xff\n")
    with pytest.raises(OSError, match=r"no text in UTF-8.*lines"):
        list(LineFile(tmp_path / "lines"))
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match=r"it is a FIFO"):
        list(LineFile(tmp_path / "fifo"))
