"""Ctrl-C in the first moments of a question is heard as any later one."""

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import console
import pytest

from heatmap_engine.cli.interruptible import now_or_on_ctrl_c


def test_ctrl_c_as_soon_as_the_question_is_asked_stops_it() -> None:
    """It fell between the start of the thread and the block that heard it: the search went on to its end."""
    for delay_ms in (0.0, 0.0, 0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 50.0):
        stopped = threading.Event()

        def ask(delay_ms: float = delay_ms, stopped: threading.Event = stopped) -> bool:
            time.sleep(delay_ms / 1000)
            os.kill(os.getpid(), signal.SIGINT)
            return stopped.wait(10)

        assert now_or_on_ctrl_c(ask, stopped.set)


def test_stop_that_comes_before_the_search_is_said_again() -> None:
    """An engine's stop ends the search that is running, and is forgotten by the one that begins after it."""
    engine = {"stop": threading.Event()}

    def ask() -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        stop = engine["stop"] = threading.Event()
        return stop.wait(10)

    assert now_or_on_ctrl_c(ask, lambda: engine["stop"].set())


def test_ctrl_c_means_what_it_did_when_the_answer_is_there() -> None:
    def fail() -> None:
        raise OSError("no answer")

    before = signal.getsignal(signal.SIGINT)
    assert now_or_on_ctrl_c(lambda: 5, lambda: None) == 5
    with pytest.raises(OSError, match="no answer"):
        now_or_on_ctrl_c(fail, lambda: None)
    assert signal.getsignal(signal.SIGINT) is before


def test_what_waits_for_the_other_end_of_a_pipe_is_ended_by_ctrl_c_pressed_again(tmp_path: Path) -> None:
    """It could be ended by nothing but a kill."""
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen(
        [console.HEATMAP_ENGINE, "annotate", tmp_path / "pipe"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's `&` has it ignored
    )
    writer = _opened_for_writing(tmp_path / "pipe", process)  # and nothing comes
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    os.close(writer)
    assert (process.returncode, process.communicate()) == (130, (b"", b"\nstopped\n"))


def _opened_for_writing(pipe: Path, reader: "subprocess.Popen[bytes]") -> int:
    """The pipe, as soon as the process reads from it."""
    while reader.poll() is None:
        with suppress(OSError):
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.01)
    raise AssertionError(reader.communicate())
