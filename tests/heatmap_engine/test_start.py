"""Ctrl-C while modules are still imported: no traceback, and the exit code of any stopped command."""

import signal
import subprocess
import sys
import time

import pytest

# Sends the signal from within the import of a module.
_IN_THE_IMPORT = """
import os, signal, sys
interrupted = sys.argv.pop(1)
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == interrupted:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from heatmap_engine.{room} import main
main()
"""

_THEN_SAY_SO = """
from heatmap_engine.start import end_on_ctrl_c
end_on_ctrl_c()
print("begun", flush=True)
from heatmap_engine.cli import main
main()
"""


@pytest.mark.parametrize(
    ("room", "module", "words"),
    [
        ("cli", "click", ["perft", "3"]),
        ("cli", "heatmap_engine.cli.commands", ["--version"]),
        ("cli", "heatmap_engine.cli.perft", ["perft", "3"]),
        ("cli", "numpy", ["perft", "3"]),
        ("cli", "chess", ["table", "forget", "x"]),
        ("cli", "heatmap_engine.cli.table", ["table", "stats"]),
        ("cli", "heatmap_engine.uci.loop", ["uci"]),
        ("uci", "heatmap_engine.uci.loop", []),
        ("uci", "heatmap_engine.uci.wire", []),
    ],
)
def test_ctrl_c_in_the_import_of_a_module_ends_the_command(room: str, module: str, words: list[str]) -> None:
    """It was a traceback with the line that was just being imported, and exit code 1 or -2."""
    outcome = subprocess.run(
        [sys.executable, "-c", _IN_THE_IMPORT.format(room=room), module, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (130, b"", b"\nstopped\n")


@pytest.mark.parametrize("delay_ms", [0, 1, 3, 10, 20, 30, 50, 80, 120, 200, 300])
def test_ctrl_c_at_any_moment_ends_the_command(delay_ms: int) -> None:
    """Wherever the command is by then; on a slow machine elsewhere than on a fast one."""
    process = subprocess.Popen(
        [sys.executable, "-c", _THEN_SAY_SO, "perft", "12"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    time.sleep(delay_ms / 1000)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    # If it has got so far, it has said how long it will take.
    said = errors.splitlines(keepends=True)
    assert (process.returncode, output, b"".join(said[-2:])) == (130, b"", b"\nstopped\n")
    assert len(said) <= 3
    assert b"Traceback" not in errors


def test_who_ignores_ctrl_c_goes_on_to_ignore_it() -> None:
    """As under `nohup`, and in the background of a shell script."""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from heatmap_engine.cli import main\n"
        "try: main()\n"
        "finally: print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    )
    outcome = subprocess.run([sys.executable, "-c", code, "perft", "1"], capture_output=True, check=True)
    assert outcome.stdout == b"20\nTrue\n"
