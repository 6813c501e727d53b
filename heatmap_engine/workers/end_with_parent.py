"""Processes that the system ends together with the one that started them, however that one ends.

A worker's pipe ends with its writer, and an engine's input with its worker, but one that is busy or does not
care would go on, beside whoever has taken up the run or match again. Only Linux can do this.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
# Looked up here, because after a fork as little as possible may be done.
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def end_with_parent(parent: int) -> None:
    """Have this process killed when its parent ends, strictly: when the thread does that has started it.

    `parent` is the id of the process that should be the parent; if it has ended before, so does this one.
    """
    if _prctl is None:
        return
    _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
