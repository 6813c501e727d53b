"""Engines of others to measure by: what they are called, what they are worth, and how they start.

On a command line one is written `NAME=RATING=COMMAND`; without a published rating `NAME==COMMAND`. A command
that begins with `xboard:` is one of an engine that speaks that protocol. The engines that Debian 12 has need
no command: `toga2`, or `toga2=2800` with what somebody says that it is worth.
"""

import math
import shlex
from argparse import ArgumentTypeError
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import chess.engine

XBOARD = "xboard:"
DEBIAN = {
    "toga2": "/usr/games/toga2",
    "glaurung": "/usr/games/glaurung",
    "gnuchess": "/usr/games/gnuchess --uci",
    "phalanx": f"{XBOARD}/usr/games/phalanx -b - -l -",
}
# One thread and no book, whatever the option is called.
FAIR = {"Threads": "1", "Number of Threads": "1", "OwnBook": "false"}


@dataclass(frozen=True)
class Yardstick:
    """An engine to measure by; `rating` is the published one, or None if there is none to go by."""

    name: str
    rating: float | None
    command: str

    @classmethod
    def parse(cls, text: str) -> "Yardstick":
        name, rating, command = [*text.split("=", 2), "", ""][:3]
        command = command or DEBIAN.get(name, "")
        try:
            value = float(rating) if rating else None
        except ValueError:
            value = math.nan
        if not name or not command or (value is not None and not math.isfinite(value)):
            raise ArgumentTypeError(
                f"expected NAME=RATING=COMMAND, NAME==COMMAND or one of {', '.join(DEBIAN)}, got {text!r}"
            )
        return cls(name, value, command)

    @classmethod
    def parse_rated(cls, text: str) -> "Yardstick":
        """The same, and it must have a rating and speak UCI."""
        found = cls.parse(text)
        if found.rating is None or found.speaks_xboard:
            raise ArgumentTypeError(f"expected NAME=RATING=COMMAND of a UCI engine, got {text!r}")
        return found

    @property
    def speaks_xboard(self) -> bool:
        return self.command.startswith(XBOARD)

    @property
    def words(self) -> tuple[str, ...]:
        """The command as a process is started with it."""
        return tuple(shlex.split(self.command.removeprefix(XBOARD)))


def running(command: tuple[str, ...]) -> chess.engine.SimpleEngine:
    """The engine's process, which has said `uciok`."""
    return chess.engine.SimpleEngine.popen_uci(list(command), timeout=60)


def known_to(engine: chess.engine.SimpleEngine, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that the engine has."""
    return {name: value for name, value in wanted.items() if name in engine.options}
