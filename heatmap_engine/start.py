"""The first moments of a process, in which its modules are imported: Ctrl-C ends it without a traceback.

A KeyboardInterrupt could come up in any line of any module, where nobody expects it.
"""

import os
import signal
from types import FrameType

# The exit code of a command that Ctrl-C has stopped, as shells count: 128 and the signal's number.
STOPPED = 130


def end_on_ctrl_c() -> None:
    """Until `begin`, Ctrl-C ends the process at once; where somebody else hears it, nothing changes."""
    _replace(signal.default_int_handler, _end)


def begin() -> None:
    """All is imported: Ctrl-C is a KeyboardInterrupt again."""
    _replace(_end, signal.default_int_handler)


def _replace(old: object, new: "signal._HANDLER") -> None:
    if signal.getsignal(signal.SIGINT) is not old:
        return
    try:  # noqa: SIM105 as little as possible is imported before the signal is heard
        signal.signal(signal.SIGINT, new)
    except ValueError:  # not in the main thread, which is the one that signals reach
        pass


def _end(_number: int, _frame: FrameType | None) -> None:
    # Nothing was begun, so that nothing has to be put in order.
    os.write(2, b"\nstopped\n")
    os._exit(STOPPED)
