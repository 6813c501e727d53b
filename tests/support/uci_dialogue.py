"""A conversation over UCI, with a session in this process or with the installed command in one of its own."""

import os
import queue
import subprocess
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import console

from heatmap_engine.uci.loop import run
from heatmap_engine.uci.wire import Output

HEATMAP_ENGINE_UCI = Path(sysconfig.get_path("scripts")) / "heatmap-engine-uci"

# Only a hanging engine waits so long: no test depends on how fast anything is.
_HANGS_AFTER_S = 60


class Dialogue:
    """What we say and what comes back, line by line."""

    def __init__(self, to_engine: BinaryIO, from_engine: BinaryIO) -> None:
        self._to_engine = to_engine
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.transcript: list[str] = []

        def read() -> None:
            with from_engine:
                for line in from_engine:
                    self._lines.put(line.decode().rstrip("\n"))
            self._lines.put(None)

        self._reader = threading.Thread(target=read)
        self._reader.start()

    def send(self, *lines: str) -> None:
        for line in lines:
            self.transcript.append(f"> {line:.200}")
        self._to_engine.write("".join(f"{line}\n" for line in lines).encode())
        self._to_engine.flush()

    def until(self, start: str) -> list[str]:
        """The lines up to the first that begins so, which is the last of them."""
        found = []
        while True:
            line = self._next(start)
            assert line is not None, f"ended before {start!r}: {self.transcript[-30:]}"
            found.append(line)
            if line.startswith(start):
                return found

    def _next(self, wanted: str) -> str | None:
        try:
            line = self._lines.get(timeout=_HANGS_AFTER_S)
        except queue.Empty:
            raise AssertionError(f"hangs before {wanted!r}: {self.transcript[-30:]}") from None
        if line is None:
            self._lines.put(None)  # the end stays the end, however often it is asked for
        else:
            self.transcript.append(line)
        return line

    def ask(self, *lines: str) -> list[str]:
        """All that comes until the engine has dealt with these lines."""
        self.send(*lines, "isready")
        return self.until("readyok")[:-1]

    def go(self, *lines: str) -> list[str]:
        """All that comes up to `bestmove`."""
        self.send(*lines)
        return self.until("bestmove")

    def end(self) -> list[str]:
        """Close the input; all that still comes."""
        if not self._to_engine.closed:
            self._to_engine.close()
        found = []
        while (line := self._next("the end")) is not None:
            found.append(line)
        self._reader.join()
        return found


@contextmanager
def in_process(table: str | Path = "<none>", *options: str) -> Iterator[Dialogue]:
    """A session in this process; `options` as in `setoption name …`."""
    read_commands, write_commands = os.pipe()
    read_answers, write_answers = os.pipe()

    def speak() -> None:
        with os.fdopen(read_commands, "rb") as commands, os.fdopen(write_answers, "wb") as answers:
            run(commands, Output(answers))

    engine = threading.Thread(target=speak)
    engine.start()
    dialogue = Dialogue(os.fdopen(write_commands, "wb"), os.fdopen(read_answers, "rb"))
    try:
        dialogue.send(f"setoption name QTable value {table}")
        dialogue.send(*(f"setoption name {option}" for option in options))
        yield dialogue
    finally:
        dialogue.end()
        engine.join()


@contextmanager
def process(
    *command: str | Path, home: Path, stderr: str = ""
) -> Iterator[tuple[Dialogue, "subprocess.Popen[bytes]"]]:
    """The installed command, whose user's data are below `home`; what it says on stderr must be `stderr`."""
    engine = subprocess.Popen(
        [*(command or (HEATMAP_ENGINE_UCI,))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=console.environment(XDG_DATA_HOME=str(home)),
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    assert engine.stderr is not None
    dialogue = Dialogue(engine.stdin, engine.stdout)
    try:
        yield dialogue, engine
    finally:
        dialogue.end()
        with engine.stderr as errors:
            said = errors.read().decode()
        engine.wait()
    assert said == stderr


def move_of(lines: list[str]) -> str:
    """The move of `bestmove`, the last of these lines."""
    return lines[-1].split()[1]


def field(line: str, name: str) -> str:
    """The word after `name` in a line of info."""
    words = line.split()
    return words[words.index(name) + 1]


def line_of(line: str) -> list[str]:
    """The moves after `pv`."""
    words = line.split()
    return words[words.index("pv") + 1 :]


def scored(lines: list[str]) -> list[str]:
    """The lines of info that have a score and a line of moves."""
    return [line for line in lines if line.startswith("info depth") and " score " in line and " pv " in line]
