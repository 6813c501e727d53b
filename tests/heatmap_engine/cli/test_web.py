"""`heatmap-engine web` before it serves: what is wrong is said in a line."""

import socket
import subprocess
import sys
from pathlib import Path

import console
import pytest
from click.testing import CliRunner

from heatmap_engine.cli.web import command

# A Python in which websockets is not installed.
_WITHOUT = """
import sys
sys.modules["websockets"] = None
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "websockets":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
del sys.modules["websockets"]
sys.argv = ["heatmap-engine", "web", "--no-browser"]
from heatmap_engine.cli import main
main()
"""


def ended(*options: str, home: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [console.HEATMAP_ENGINE, "web", "--no-browser", "--port", "0", *options],
        env={"HOME": str(home), "XDG_DATA_HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", _WITHOUT], capture_output=True, text=True, timeout=60, check=False
    )
    assert found.returncode == 1
    assert found.stderr.splitlines() == [
        "heatmap-engine: the board in the browser needs websockets, which is not installed; "
        'in the folder of Heatmap Engine, run: pip install ".[web]"'
    ]


def test_a_port_that_is_taken_is_named_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = ended("--port", str(port), home=tmp_path)
    assert found.returncode == 1
    assert found.stderr.startswith(f"heatmap-engine: cannot listen on 127.0.0.1, port {port}: ")
    assert "--port chooses another port" in found.stderr


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.table").write_text("This is no table.\n" * 100)
    found = ended("--table", str(tmp_path / "no.table"), home=tmp_path)
    assert found.returncode == 1
    assert len(found.stderr.splitlines()) == 1
    assert "no.table" in found.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--table", "a", "--no-table"], "contradict each other"),
        (["--port", "70000"], "0<=x<=65535"),
        (["--mode", "classic", "--weights", "w"], "works only with --mode deep"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: list[str], words: str) -> None:
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 2
    assert words in result.output


def test_a_short_token_is_refused(tmp_path: Path) -> None:
    found = ended("--host", "0.0.0.0", "--token", "short", home=tmp_path)
    assert found.returncode == 1
    assert "expected a token of at least 16 letters and digits" in found.stderr
