"""The folder of a run that breeds rows of numbers for a game: its settings, and what became of candidates.

| file                           | holds                                                                    |
|--------------------------------|--------------------------------------------------------------------------|
| `evolution.json`               | the settings; written last, so that a folder with it is a run             |
| `generations/0001.jsonl`       | a line for each candidate that was tried, and for each look at the result |
| `state-1.json`                 | what a generation leaves to the next one, and how its candidates did      |
| `weights-1.json`               | the result of a generation, as the game writes it                         |
| `run.log`                      | when it began, stopped and went on                                        |

A candidate whose line is there is not tried again, and all chances come from the seed: a run that was killed
goes on where it was, and comes to the same as one that was not.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np

from games.durable import BusyFolder, locked, sync, write_at_once
from games.evolution import METHODS, CrossEntropy, Doubles, Genetic
from games.lines import LineFile
from games.run_folders import obstacle_to_new
from qtable.json_input import MISSHAPEN, InvalidJson, parse_json_object, read_text

_SETTINGS = "evolution.json"
_VERSION = 1

Line: TypeAlias = dict[str, Any]
"""What became of a task, as plain data; a game's own figures stand beside the points."""


class EvolutionError(Exception):
    """A run that cannot begin or go on; the message is fit to be shown to a user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionSettings:
    """What a run is set up to do: decided when it begins, kept in its folder."""

    method: str
    start: tuple[float, ...]
    """The row that it begins with."""
    game: Mapping[str, Any] = field(default_factory=dict)
    """The game's own settings, as plain data; they travel with every task."""
    generations: int = 30
    candidates: int = 100
    """Of each generation."""
    best: float = 0.1
    """The share of the candidates that the next generation comes from."""
    deviation: float = 1.0
    """cem: how far the first candidates lie apart."""
    noise: float = 1.0
    """How much further they lie apart than what was learned; ga: how far a number mutates."""
    decay: float = 0.9
    """What a generation leaves of the noise to the next."""
    looks: int = 0
    """Each generation's result is tried so many times more, to be measured."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise EvolutionError(f"expected a method of {', '.join(METHODS)}, got {self.method!r:.80}")
        _require("start", self.start, len(self.start) >= 1, "at least one number")
        _require("start", self.start, bool(np.isfinite(self.start).all()), "finite numbers")
        _require("generations", self.generations, self.generations >= 1, "at least 1")
        _require("candidates", self.candidates, self.candidates >= 2, "at least 2")
        _require("best", self.best, 0 < self.best <= 1, "above 0 and at most 1")
        _require("best", self.best, self.survivors < self.candidates, "less than all candidates")
        _require("deviation", self.deviation, 0 < self.deviation < np.inf, "above 0")
        _require("noise", self.noise, 0 <= self.noise < np.inf, "at least 0")
        _require("decay", self.decay, 0 < self.decay <= 1, "above 0 and at most 1")
        _require("looks", self.looks, self.looks >= 0, "at least 0")
        _require("seed", self.seed, self.seed >= 0, "at least 0")

    @property
    def survivors(self) -> int:
        return max(1, round(self.best * self.candidates))

    @property
    def breeding(self) -> CrossEntropy | Genetic:
        if self.method == "cem":
            return CrossEntropy(self.candidates, self.survivors, learns_deviations=True)
        return Genetic(self.candidates, self.survivors)

    def to_json(self) -> str:
        return json.dumps({"version": _VERSION, **asdict(self)}, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The settings that were written; raises EvolutionError for anything else."""
        try:
            data = parse_json_object(text)
            if data.pop("version", None) != _VERSION or {*data} != {item.name for item in fields(cls)}:
                raise ValueError(f"got {text[:80]!r}")
            return cls(**{**data, "start": tuple(float(number) for number in data["start"])})
        except MISSHAPEN as error:
            raise EvolutionError(f"expected the settings of a run: {error}") from error


def _require(name: str, value: object, holds: bool, expected: str) -> None:
    if not holds:
        raise EvolutionError(f"{name} must be {expected}, got {value!r:.80}")


@dataclass(frozen=True, slots=True)
class Generation:
    """What a generation came to."""

    number: int
    row: tuple[float, ...]
    """Its result."""
    mean: float
    best: float
    """Points of the candidates on average, and of the best one."""
    seconds: float
    """Of the processor, for its candidates and looks."""
    looks: tuple[Line, ...]
    """What became of the looks at the result."""

    @property
    def points(self) -> float | None:
        """Of the result, on average; None if nobody looked."""
        return sum(look["points"] for look in self.looks) / len(self.looks) if self.looks else None


class EvolutionFolder:
    """The files of one run."""

    def __init__(self, path: Path, settings: EvolutionSettings) -> None:
        self.path = path
        self.settings = settings
        self._log = LineFile(path / "run.log")

    @classmethod
    def create(cls, path: Path, settings: EvolutionSettings) -> Self:
        """A new run in a folder that is not there yet, or empty."""
        if obstacle := obstacle_to_new(path, _SETTINGS):
            raise EvolutionError(obstacle)
        (path / "generations").mkdir(parents=True, exist_ok=True)
        folder = cls(path, settings)
        folder.save()
        return folder

    @classmethod
    def open(cls, path: Path) -> Self:
        """The run in this folder; raises EvolutionError if there is none."""
        try:
            return cls(path, EvolutionSettings.from_json(read_text(path / _SETTINGS)))
        except (FileNotFoundError, NotADirectoryError):
            raise EvolutionError(f"expected the folder of a run, got {path}, without {_SETTINGS}") from None
        except (EvolutionError, InvalidJson) as error:
            raise EvolutionError(f"{path / _SETTINGS}: {error}") from error

    def save(self) -> None:
        """Write the settings as they are now."""
        write_at_once(self.path / _SETTINGS, self.settings.to_json())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While the block runs, no other process goes on with this run; half-written lines are cut off."""
        try:
            with locked(self.path / "run.lock"):
                for path in sorted((self.path / "generations").glob("*.jsonl")):
                    LineFile(path).repair()
                self._log.repair()
                yield
        except BusyFolder:
            raise EvolutionError(f"another process is going on with the run in {self.path}") from None

    def weights_path(self, generation: int) -> Path:
        return self.path / f"weights-{generation}.json"

    def state_path(self, generation: int) -> Path:
        return self.path / f"state-{generation}.json"

    def lines_file(self, generation: int) -> LineFile:
        return LineFile(self.path / "generations" / f"{generation:04}.jsonl")

    def lines(self, generation: int) -> dict[str, Line]:
        """What became of a generation's tasks, by their keys; raises EvolutionError for another line."""
        found = {}
        file = self.lines_file(generation)
        for text in file:
            try:
                line = parse_json_object(text)
                float(line["points"])
                float(line["seconds"])
                found[str(line["key"])] = line
            except MISSHAPEN as error:
                raise EvolutionError(f"{file.path}: expected lines of candidates: {error!r:.200}") from error
        return found

    def generations(self) -> list[Generation]:
        """All that are finished."""
        found: list[Generation] = []
        while self.state_path(len(found) + 1).exists():
            found.append(self._generation(len(found) + 1))
        return found

    def _generation(self, number: int) -> Generation:
        state = self._state(number)
        lines = self.lines(number)
        looks = tuple(lines[f"look {place}"] for place in range(self.settings.looks))
        seconds = sum(line["seconds"] for line in lines.values())
        row = tuple(float(value) for value in state["kept"][0])
        return Generation(number, row, state["mean"], state["best"], seconds, looks)

    def kept(self, generation: int) -> Doubles:
        """What a generation left to the next one; what the first one comes from for 0."""
        settings = self.settings
        if generation == 0:
            return settings.breeding.start(np.array(settings.start), settings.deviation)
        kept = np.array(self._state(generation)["kept"], dtype=np.float64)
        if kept.ndim != 2 or kept.shape[1] != len(settings.start) or not np.isfinite(kept).all():
            raise EvolutionError(
                f"{self.state_path(generation)}: expected rows of {len(settings.start)} numbers"
            )
        return kept

    def _state(self, generation: int) -> dict[str, Any]:
        path = self.state_path(generation)
        try:
            state = parse_json_object(read_text(path))
            if len(state["kept"][0]) != len(self.settings.start):
                raise ValueError(f"got rows of {len(state['kept'][0])}")
            float(state["mean"]), float(state["best"])
            return state
        except (FileNotFoundError, *MISSHAPEN) as error:
            raise EvolutionError(f"{path}: expected the state after a generation: {error!r:.200}") from error

    def save_generation(self, number: int, kept: Doubles, points: Doubles, weights: str) -> None:
        """Once its state is there, so is all else of the generation, even after a power cut."""
        if (file := self.lines_file(number).path).exists():
            sync(file)
        write_at_once(self.weights_path(number), weights)
        state = {"kept": kept.tolist(), "mean": float(points.mean()), "best": float(points.max())}
        write_at_once(self.state_path(number), json.dumps(state) + "\n")

    def log(self, message: str) -> None:
        """Write a line with the time into the run's log."""
        self._log.append(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {message}")


def is_evolution(path: Path) -> bool:
    """Whether the folder is one of such a run."""
    return (path / _SETTINGS).exists()
