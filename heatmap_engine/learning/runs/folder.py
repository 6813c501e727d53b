"""A run's folder: what it is set up to do, and what its games came to.

| file                 | holds                                                                        |
|----------------------|------------------------------------------------------------------------------|
| `run.json`           | the settings of the run; written last, so that a folder with it is a run      |
| `openings.pgn`       | the lines that its games begin with                                          |
| `games.pgn`          | the games, with evaluations                                                  |
| `journal.jsonl`      | the run's lines of the table's journal                                       |
| `measurements.jsonl` | one line of numbers for each game                                            |
| `checkpoints/`       | copies of the table on the way                                               |
| `run.log`            | when it began, stopped and went on, and what went wrong                      |

The truth is in the table's journal, which is written together with what a game has changed. A game that
is missing in the files here, because the process was killed in between, is added from there.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from games.chess.archive import Archive
from games.chess.journal import LearnedGame, learned_games
from games.chess.openings import Opening, load_openings, openings_as_pgn
from games.durable import BusyFolder, locked, write_at_once
from games.lines import LineFile
from games.run_folders import obstacle_to_new
from heatmap_engine.errors import InvalidRun
from heatmap_engine.learning.runs.checkpoints import Checkpoints
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.measurement import RunMeasurement
from qtable import JournalLine, QTable
from qtable.json_input import MISSHAPEN, InvalidJson, parse_json, read_text

_CONFIG, _OPENINGS = "run.json", "openings.pgn"


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path = path
        self.config = config
        self.checkpoints = Checkpoints(path / "checkpoints")
        self._measurements = LineFile(path / "measurements.jsonl")
        self._journal = LineFile(path / "journal.jsonl")
        self._log = LineFile(path / "run.log")
        self._openings: Sequence[Opening] | None = None

    @classmethod
    def create(cls, path: Path, config: RunConfig, openings: Sequence[Opening]) -> Self:
        """A new run in a folder that is not there yet, or empty."""
        cls.require_new(path)
        path.mkdir(parents=True, exist_ok=True)
        text = openings_as_pgn(openings, "Openings of a self-play run")
        (path / _OPENINGS).write_text(text, encoding="utf-8")
        folder = cls(path, config)
        folder._openings = openings
        folder.save()
        return folder

    @staticmethod
    def require_new(path: Path) -> None:
        """Raise InvalidRun unless a new run may have this folder; nothing is written."""
        if obstacle := obstacle_to_new(path, _CONFIG):
            raise InvalidRun(obstacle)

    @classmethod
    def open(cls, path: Path) -> Self:
        """The run in this folder; raises InvalidRun if there is none."""
        try:
            return cls(path, RunConfig.from_json(read_text(path / _CONFIG)))
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidRun(f"expected the folder of a run, got {path}, which has no {_CONFIG}") from None
        except (InvalidRun, InvalidJson) as error:
            raise InvalidRun(f"{path / _CONFIG}: {error}") from error

    def openings(self) -> Sequence[Opening]:
        """The lines that the run's games begin with; read once."""
        if self._openings is None:
            self._openings = load_openings(self.path / _OPENINGS)
        return self._openings

    def save(self) -> None:
        """Write the settings as they are now."""
        write_at_once(self.path / _CONFIG, self.config.to_json())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While the block runs, no other process goes on with this run."""
        try:
            with locked(self.path / "run.lock"):
                yield
        except BusyFolder:
            raise InvalidRun(f"another process is going on with the run in {self.path}") from None

    @property
    def games_pgn(self) -> Path:
        return self.path / "games.pgn"

    def measurements(self) -> Iterator[RunMeasurement]:
        """What was measured, in the order in which the games were recorded."""
        return map(RunMeasurement.from_json, self._measurements)

    def log(self, message: str) -> None:
        """Write a line with the time into the run's log."""
        self._log.append(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {message}")

    def recorder(self) -> "FolderRecorder":
        """Makes the files whole, and ready to be appended to."""
        for file in (self._measurements, self._journal, self._log):
            file.repair()
        self.checkpoints.sweep()
        return FolderRecorder(Archive(self.games_pgn), self._journal, self._measurements)


class FolderRecorder:
    """Adds games that the table has learned to the files of a run, each to each file once."""

    def __init__(self, archive: Archive, journal: LineFile, measurements: LineFile) -> None:
        self._archive = archive
        self._journal = journal
        self._measurements = measurements
        self._in_journal = {*_texts_named("journal", journal)}
        self._measured = {*_texts_named("id", measurements)}

    def has(self, game_id: str) -> bool:
        """Whether every file has this game."""
        return game_id in self._measured and game_id in self._in_journal and game_id in self._archive

    def add(self, learned: LearnedGame) -> RunMeasurement:
        """Write the game to those files that lack it; the measurements come last."""
        line = learned.to_line()
        measurement = RunMeasurement.of(learned)
        if line.id not in self._archive:
            self._archive.append(learned.record)
        if line.id not in self._in_journal:
            self._in_journal.add(line.id)
            self._journal.append(
                json.dumps({"journal": line.id, "line": line.text, "added": line.added}, ensure_ascii=False)
            )
        if line.id not in self._measured:
            self._measured.add(line.id)
            self._measurements.append(measurement.to_json())
        return measurement


def _texts_named(name: str, file: LineFile) -> Iterator[str]:
    """The field of this name in each line; raises InvalidRun for a line that has none."""
    for line in file:
        try:
            yield str(parse_json(line)[name])
        except MISSHAPEN as error:
            raise InvalidRun(f"{file.path}: expected lines with {name!r}, got {line[:80]!r}") from error


def journal_of_run(table: QTable, run: str) -> Iterator[JournalLine]:
    """The journal's lines of one run, in the order of learning, not taken apart, which takes long."""
    mark = f'"run":{json.dumps(run, ensure_ascii=False)}'  # in a text its quotes would have backslashes
    return (line for line in table.journal() if mark in line.text)


def games_of_run(table: QTable, run: str) -> Iterator[LearnedGame]:
    """The games of one run that a table has learned, in that order."""
    return learned_games(journal_of_run(table, run))
