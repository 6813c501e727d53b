"""The installed command run as people run it: in a process of its own, on a pipe or on a terminal."""

import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import sysconfig
import termios
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from heatmap_engine.cli import main

HEATMAP_ENGINE = Path(sysconfig.get_path("scripts")) / "heatmap-engine"

# What would decide on colours or encodings instead of the test.
_OF_THE_TERMINAL = (
    "COLORTERM COLUMNS FORCE_COLOR LINES NO_COLOR PYTHONIOENCODING PYTHONUTF8 TERM "
    "TTY_COMPATIBLE TTY_INTERACTIVE"
)


def environment(**variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _OF_THE_TERMINAL.split()}
    return {**kept, **variables}


def run(*arguments: str | bytes, stdin: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
    """The outcome on pipes; the streams are bytes, as encodings are part of what is tested."""
    return subprocess.run(
        [HEATMAP_ENGINE, *arguments],
        input=stdin,
        capture_output=True,
        env=environment(**variables),
        check=False,
    )


class Here(NamedTuple):
    """The outcome of a command in this process."""

    code: int
    output: str
    errors: str


def run_here(*arguments: str) -> Here:
    """The same without a process of its own, for what needs none: starting one takes most of a second."""
    output, errors = io.StringIO(), io.StringIO()
    words = ["heatmap-engine", *arguments]
    with mock.patch.object(sys, "argv", words), redirect_stdout(output), redirect_stderr(errors):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
    return Here(code, output.getvalue(), errors.getvalue())


def run_python(code: str, *options: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, check=True
    ).stdout


# Makes standard input the keyboard: the terminal that turns Ctrl-C into a signal.
_AT_THE_KEYBOARD = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's `&` would have it ignored
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def start_on_terminal(
    *arguments: str,
    columns: int = 120,
    keyboard: bool = False,
    program: Sequence[str | Path] = (HEATMAP_ENGINE,),
    **variables: str,
) -> tuple["subprocess.Popen[bytes]", int]:
    """The running command and the terminal to read its output from, and with `keyboard` to type into."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    _keep_output(its)
    launcher = [sys.executable, "-c", _AT_THE_KEYBOARD] if keyboard else []
    process = subprocess.Popen(
        [*launcher, *program, *arguments],
        stdin=its if keyboard else subprocess.DEVNULL,
        stdout=its,
        stderr=its,
        env=environment(**variables),
        start_new_session=True,
    )
    os.close(its)
    return process, ours


def _keep_output(terminal: int) -> None:
    """Let Ctrl-C not throw away what was written and nobody has read yet, which a terminal does by itself."""
    attributes = termios.tcgetattr(terminal)
    attributes[3] |= termios.NOFLSH
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)


def run_on_terminal(*arguments: str, columns: int = 120, **variables: str) -> tuple[int, str]:
    """The exit code and all that the command wrote to a terminal."""
    process, terminal = start_on_terminal(*arguments, columns=columns, **variables)
    output = read_to_end(terminal)
    return process.wait(), output.decode(errors="replace").replace("\r\n", "\n")


def read_to_end(terminal: int) -> bytes:
    output = b""
    with os.fdopen(terminal, "rb", buffering=0) as stream:
        try:
            while part := stream.read(65536):
                output += part
        except OSError:  # Linux ends a terminal whose other side is closed with EIO
            pass
    return output


def read_until(terminal: int, expected: str) -> str:
    """What the command wrote up to and with `expected`; it fails if the command ends before.

    Nothing may be awaited that is written right after it: that is read, too.
    """
    output = ""
    while expected not in output:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            part = b""
        assert part, f"expected {expected!r}, got {output!r}"
        output = (output + part.decode(errors="replace")).replace("\r\n", "\n")
    return output


def type_keys(terminal: int, keys: str) -> None:
    os.write(terminal, keys.encode())
