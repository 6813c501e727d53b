"""A tuning run's folder: what it is set up to do, what was played, and what was learned.

| file                      | holds                                                                      |
|---------------------------|----------------------------------------------------------------------------|
| `tune.json`               | the settings of the run; written last, so that a folder with it is a run    |
| `start.json`              | the weights that it began with                                             |
| `games/round-0001.jsonl`  | what became of the tasks of a round: a line for each game or pair of games  |
| `state-1.json`            | what `cem`, `ga` and `spsa` go on with after a round                           |
| `weights-1.json`          | the weights after a round; written last of all that a round has learned     |
| `matches.jsonl`           | a line for each pair of games that measured a checkpoint                    |
| `measurements.jsonl`      | a line of numbers for each checkpoint                                      |
| `tune.log`                | when it began, stopped and went on, and what went wrong                     |

Each line has a key, and a task whose key is there is not done again: so a run that was killed goes on
exactly where it was.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from games.durable import BusyFolder, locked, sync, write_at_once
from games.lines import LineFile
from games.run_folders import obstacle_to_new
from heatmap_engine.deep.weights import DeepWeights, load_weights, save_weights, weights_as_text
from heatmap_engine.errors import InvalidRun
from heatmap_engine.tuning.config import TuneConfig
from heatmap_engine.tuning.measurement import TuneMeasurement
from heatmap_engine.tuning.tasks import Line
from qtable.json_input import MISSHAPEN, InvalidJson, open_regular, parse_json, parse_json_object, read_text

_CONFIG, _START = "tune.json", "start.json"


class TuneFolder:
    """The files of one tuning run."""

    def __init__(self, path: Path, config: TuneConfig) -> None:
        self.path = path
        self.config = config
        self.matches = LineFile(path / "matches.jsonl")
        self._measurements = LineFile(path / "measurements.jsonl")
        self._log = LineFile(path / "tune.log")

    @classmethod
    def create(cls, path: Path, config: TuneConfig, start: DeepWeights) -> Self:
        """A new run in a folder that is not there yet, or empty."""
        if obstacle := obstacle_to_new(path, _CONFIG):
            raise InvalidRun(obstacle)
        (path / "games").mkdir(parents=True, exist_ok=True)
        save_weights(path / _START, start)
        folder = cls(path, config)
        folder.save()
        return folder

    @classmethod
    def open(cls, path: Path) -> Self:
        """The run in this folder; raises InvalidRun if there is none."""
        try:
            return cls(path, TuneConfig.from_json(read_text(path / _CONFIG)))
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidRun(
                f"expected the folder of a tuning run, got {path}, which has no {_CONFIG}"
            ) from None
        except (InvalidRun, InvalidJson) as error:
            raise InvalidRun(f"{path / _CONFIG}: {error}") from error

    def save(self) -> None:
        """Write the settings as they are now."""
        write_at_once(self.path / _CONFIG, self.config.to_json())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While the block runs, no other process goes on with this run; half-written lines are cut off."""
        try:
            with locked(self.path / "tune.lock"):
                for file in (self.matches, self._measurements, self._log, *self._rounds()):
                    file.repair()
                yield
        except BusyFolder:
            raise InvalidRun(f"another process is going on with the run in {self.path}") from None

    def _rounds(self) -> Iterator[LineFile]:
        return map(LineFile, sorted((self.path / "games").glob("*.jsonl")))

    def round(self, number: int) -> LineFile:
        """What became of the tasks of a round."""
        return LineFile(self.path / "games" / f"round-{number:04}.jsonl")

    def weights_path(self, number: int) -> Path:
        """The checkpoint after a round; 0 are the weights that the run began with."""
        return self.path / (f"weights-{number}.json" if number else _START)

    def weights(self, number: int) -> DeepWeights:
        return load_weights(self.weights_path(number))

    def has_weights(self, number: int) -> bool:
        return self.weights_path(number).exists()

    def save_weights(self, number: int, weights: DeepWeights) -> None:
        """Once a checkpoint is there, so are the games behind it, even after a power cut."""
        games = self.round(number).path
        if games.exists():
            sync(games)
        write_at_once(self.weights_path(number), weights_as_text(weights))

    def state(self, number: int) -> Any:
        """What the method goes on with after a round; raises InvalidRun if it cannot be read."""
        path = self.path / f"state-{number}.json"
        try:
            return parse_json(read_text(path))
        except InvalidJson as error:
            raise InvalidRun(f"{path}: expected the state after a round: {error}") from error

    def save_state(self, number: int, state: Any) -> None:
        write_at_once(self.path / f"state-{number}.json", json.dumps(state) + "\n")

    def measurements(self) -> Iterator[TuneMeasurement]:
        """What was measured, checkpoint after checkpoint."""
        return map(TuneMeasurement.from_json, self._measurements)

    def add_measurement(self, measurement: TuneMeasurement) -> None:
        self._measurements.append(measurement.to_json())

    def log(self, message: str) -> None:
        """Write a line with the time into the run's log."""
        self._log.append(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {message}")


def lines_of(file: LineFile) -> Iterator[Line]:
    """What became of tasks; raises InvalidRun for a line that does not say so."""
    return (_line(text, file.path) for text in file)


def _line(text: str | bytes, path: Path) -> Line:
    with well_formed(path):
        line = parse_json_object(text if isinstance(text, str) else text.decode())
        if {"key": str, "games": int, "number": int} != {
            name: type(line[name]) for name in ("key", "games", "number")
        } or not isinstance(line["seconds"], int | float):
            raise ValueError(f"got {line!r:.80}")
        return line


@contextmanager
def well_formed(path: Path) -> Iterator[None]:
    """While lines of this file are taken apart: raises InvalidRun where they are of another shape."""
    try:
        yield
    except MISSHAPEN as error:
        raise InvalidRun(f"{path}: expected lines of what became of tasks: {error!r:.200}") from error


def sorted_lines(file: LineFile) -> Iterator[Line]:
    """The lines by their numbers and not by when they ended, on which sums of floats would depend.

    One at a time: all lines of a round may be more than fits into memory.
    """
    if not file.path.exists():
        return
    with open(file.path, "rb", opener=open_regular) as stream:
        places = [
            (_line(text, file.path)["number"], stream.tell() - len(text))
            for text in iter(stream.readline, b"")
        ]
        for _, place in sorted(places):
            stream.seek(place)
            yield _line(stream.readline(), file.path)


def add_line(file: LineFile, line: Line) -> None:
    file.append(json.dumps(line))


def is_tuning(path: Path) -> bool:
    """Whether the folder is one of a tuning run."""
    return (path / _CONFIG).exists()
