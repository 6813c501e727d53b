"""Real processes that use a table: started from a script, or forked with fewer rights."""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

_NOBODY = 65534


def start_python(script: str, *arguments: str | Path) -> subprocess.Popen[str]:
    """A new Python process that runs `script`; its output is to be read line by line."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run_python(script: str, *arguments: str | Path) -> str:
    """What a new Python process that runs `script` writes; it must succeed."""
    with start_python(script, *arguments) as process:
        output, _ = process.communicate()
    assert process.returncode == 0
    return output


def in_fork(action: Callable[[], object], *, without_rights: bool = False) -> str:
    """What `action` returns, or the error it raises, as text, when a forked child runs it.

    A child `without_rights` is an ordinary user: the superuser may write to whatever is read-only.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if without_rights and os.getuid() == 0:
                os.setgroups([])
                os.setgid(_NOBODY)
                os.setuid(_NOBODY)
            os.write(writer, _outcome(action).encode())
            code = 0
        finally:
            os._exit(code)  # the test runner's own end is not for the child to reach
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read().decode()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return text


def _outcome(action: Callable[[], object]) -> str:
    try:
        return str(action())
    except Exception as error:  # whatever it is, the parent's assertion shows it
        known = type(error).__module__.startswith("qtable")
        return f"{type(error).__name__}: {error}" if known else traceback.format_exc()
