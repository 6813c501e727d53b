"""Copies of a run's table on the way, from which `curve` plays; a file is named by the games learned."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from heatmap_engine.errors import InvalidSettings
from qtable import QTable

_FIRST_OF_DOUBLING = 100
_NAME = re.compile(r"games-(\d+)\.table")


@dataclass(frozen=True, slots=True)
class Marks:
    """After how many games of the run a copy is made: after 100, 200, 400, … or after the given ones."""

    doubling: bool
    given: frozenset[int] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Self:
        """`doubling`, `none`, or numbers of games with commas between."""
        if text in ("doubling", "none"):
            return cls(text == "doubling")
        try:
            given = frozenset(int(number) for number in text.split(","))
        except ValueError:
            given = frozenset({0})
        if min(given) < 1:
            raise InvalidSettings(
                f"checkpoints must be doubling, none or numbers of games such as 50,500, got {text!r:.80}"
            )
        return cls(False, given)

    def __contains__(self, games: int) -> bool:
        times, rest = divmod(games, _FIRST_OF_DOUBLING)
        is_doubled = rest == 0 and times > 0 and times & (times - 1) == 0
        return games in self.given or (self.doubling and is_doubled)


class Checkpoints:
    """The copies in a folder. Each is written under another name first: what has its name is whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[tuple[int, Path]]:
        """Games learned, and the copy of the table as it was then; the fewest games first."""
        found = ((_NAME.fullmatch(path.name), path) for path in self._folder.glob("*.table"))
        return iter(sorted((int(match[1]), path) for match, path in found if match))

    def make(self, table: QTable, games: int) -> None:
        """Copy the table, unless there is a copy for so many games."""
        path = self._folder / f"games-{games:06}.table"
        if not path.exists():
            self._folder.mkdir(exist_ok=True)
            table.backup(path)

    def sweep(self) -> None:
        """Remove what a killed process has left of an unfinished copy."""
        for rest in self._folder.glob(".qtable-*"):
            shutil.rmtree(rest)
