"""A match's folder: what is to be played, and the games that were.

| file           | holds                                                                          |
|----------------|--------------------------------------------------------------------------------|
| `match.json`   | the plan; written last, so that a folder with it is a match                     |
| `openings.pgn` | the lines to begin from, as they were when the match began                      |
| `games.pgn`    | the games; this is the truth, and a match that goes on counts them              |
| `results.json` | the standing, made anew from the games after each of them                       |
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from games.chess.archive import Archive
from games.chess.openings import load_openings, openings_as_pgn
from games.chess.record import GameRecord
from games.durable import BusyFolder, locked, write_at_once
from games.run_folders import obstacle_to_new
from heatmap_engine.errors import MatchError
from heatmap_engine.match.plan import MatchPlan
from heatmap_engine.match.standing import MatchStanding
from qtable.json_input import MISSHAPEN, InvalidJson, parse_json_object, read_text

_PLAN, _OPENINGS, _GAMES, _RESULTS = "match.json", "openings.pgn", "games.pgn", "results.json"


class MatchFolder:
    """The files of one match."""

    def __init__(self, path: Path, plan: MatchPlan) -> None:
        self.path = path
        self.plan = plan
        self._archive = Archive(path / _GAMES)

    @classmethod
    def create(cls, path: Path, plan: MatchPlan) -> Self:
        """A new match in a folder that is not there yet, or empty."""
        if obstacle := obstacle_to_new(path, _PLAN, "match"):
            raise MatchError(obstacle)
        path.mkdir(parents=True, exist_ok=True)
        (path / _OPENINGS).write_text(openings_as_pgn(plan.lines, "Openings of a match"), encoding="utf-8")
        _write_plan(path, plan)
        return cls(path, plan)

    @classmethod
    def open(cls, path: Path) -> Self:
        """The match in this folder; raises MatchError if there is none."""
        try:
            data = parse_json_object(read_text(path / _PLAN))
        except (FileNotFoundError, NotADirectoryError):
            raise MatchError(f"expected the folder of a match, got {path}, which has no {_PLAN}") from None
        except InvalidJson as error:
            raise MatchError(f"{path / _PLAN}: expected the plan of a match as JSON: {error}") from error
        lines = load_openings(path / _OPENINGS)
        try:
            return cls(path, MatchPlan.of_json(data, lines))
        except MISSHAPEN as error:
            raise MatchError(f"{path / _PLAN}: expected the plan of a match: {error}") from error

    def change(self, plan: MatchPlan) -> None:
        """Go on by another plan: with more games, or with a table that was moved."""
        if plan != self.plan:
            self.plan = plan
            _write_plan(self.path, plan)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While the block runs, no other process plays this match."""
        try:
            with locked(self.path / "match.lock"):
                yield
        except BusyFolder:
            raise MatchError(f"another process is playing the match in {self.path}") from None

    def games(self) -> Iterator[tuple[int, GameRecord]]:
        """The games that were played, with their numbers."""
        return ((self._number(record), record) for record in self._archive)

    def _number(self, record: GameRecord) -> int:
        if not (record.round.isdecimal() and len(record.round) < 10 and int(record.round) >= 1):
            raise MatchError(
                f"{self.path / _GAMES}: expected the number of a game as its Round, got {record.round!r:.80}"
            )
        return int(record.round) - 1

    def append(self, record: GameRecord) -> None:
        self._archive.append(record)

    def standing(self) -> MatchStanding:
        """How the match stands by its games."""
        standing = MatchStanding(self.plan)
        for number, record in self.games():
            standing.add(number, record)
        return standing

    def write_results(self, standing: MatchStanding) -> None:
        write_at_once(self.path / _RESULTS, json.dumps(standing.as_json(), indent=1) + "\n")


def _write_plan(path: Path, plan: MatchPlan) -> None:
    write_at_once(path / _PLAN, json.dumps(plan.to_json(), indent=1, ensure_ascii=False) + "\n")
