"""Breeding rows of numbers for a game, generation after generation; the pool of workers is handed in."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from games.evolution import Doubles, noise_at
from games.evolution_folder import EvolutionFolder, Generation


@dataclass(frozen=True, slots=True)
class EvolutionTask:
    """A row to be tried; it says all that its outcome depends on."""

    key: str
    generation: int
    number: int
    row: tuple[float, ...]
    seed: int
    """For the chances of the game; the same for all candidates of a generation, another for each look."""
    game: Mapping[str, Any]

    @property
    def place(self) -> str:
        return f"generation {self.generation}, {self.key}"


class TaskPool(Protocol):
    """Who does the tasks; a context manager that lets its workers go.

    The work gives a Line with "points" for a task. Anything else that a pool gives says that it gave up.
    """

    def __enter__(self) -> Any: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None: ...

    def results(self, tasks: Iterable[EvolutionTask]) -> Iterator[tuple[EvolutionTask, Any]]: ...


@dataclass(frozen=True, slots=True)
class Doing:
    """Where a run is."""

    generation: int
    done: int
    of: int


@dataclass(slots=True)
class EvolutionRun:
    """A run that goes on in this process, the only one that writes into its folder; it must be locked."""

    folder: EvolutionFolder
    weights_text: Callable[[tuple[float, ...], int], str]
    """A generation's result as the game's file of weights; the number is the generation's."""
    when_done: Callable[[Doing], None] = lambda doing: None
    should_stop: Callable[[], bool] = lambda: False
    """Once it says so, only what is running is finished."""
    report: Callable[[str], None] = lambda message: None
    is_stopped: bool = False
    given_up: int = 0
    """Tasks that their workers did not survive; they are tried again when the run goes on."""

    def go_on(
        self, pool: TaskPool, when_bred: Callable[[Generation], None] = lambda generation: None
    ) -> bool:
        """Breed generation after generation; whether that is all done."""
        done = len(self.folder.generations())
        with pool:
            for number in range(done + 1, self.folder.settings.generations + 1):
                if not self._bred(number, pool):
                    return False
                when_bred(self.folder.generations()[-1])
        return True

    def _bred(self, number: int, pool: TaskPool) -> bool:
        """Try a generation's candidates and look at its result; False if some of that is missing."""
        settings = self.folder.settings
        candidates = self._candidates(number)
        if not self._do([self._task(number, place, row) for place, row in enumerate(candidates)], pool):
            return False
        lines = self.folder.lines(number)
        points = np.array([lines[f"candidate {place}"]["points"] for place in range(len(candidates))])
        kept = settings.breeding.kept(candidates, points)
        if not self._do([self._look(number, place, kept[0]) for place in range(settings.looks)], pool):
            return False
        text = self.weights_text(_plain(kept[0]), number)
        self.folder.save_generation(number, kept, points, text)
        return True

    def _candidates(self, number: int) -> Doubles:
        """The same ones whenever this is asked: from the seed, the generation and what the last one left."""
        settings = self.folder.settings
        noise = noise_at(number, settings.noise, settings.decay)
        rng = np.random.default_rng([settings.seed, number])
        return settings.breeding.candidates(self.folder.kept(number - 1), noise, rng)

    def _task(self, generation: int, number: int, row: Doubles) -> EvolutionTask:
        seed = _seed(self.folder.settings.seed, generation, 0)
        game = self.folder.settings.game
        return EvolutionTask(f"candidate {number}", generation, number, _plain(row), seed, game)

    def _look(self, generation: int, number: int, row: Doubles) -> EvolutionTask:
        seed = _seed(self.folder.settings.seed, generation, 1 + number)
        return EvolutionTask(
            f"look {number}", generation, number, _plain(row), seed, self.folder.settings.game
        )

    def _do(self, tasks: list[EvolutionTask], pool: TaskPool) -> bool:
        """Do the tasks whose lines are missing; whether all are there now."""
        if not tasks:
            return True
        generation = tasks[0].generation
        file = self.folder.lines_file(generation)
        keys = {*self.folder.lines(generation)}
        total = self.folder.settings.candidates + self.folder.settings.looks
        given_up = self.given_up
        for task, line in pool.results(self._missing(tasks, keys)):
            if not isinstance(line, dict):
                self.given_up += 1
                self.report(f"{task.place} was given up: {line}")
                continue
            file.append(json.dumps({"key": task.key, **line}))
            keys.add(task.key)
            self.when_done(Doing(generation, len(keys), total))
        return not self.is_stopped and self.given_up == given_up

    def _missing(self, tasks: list[EvolutionTask], keys: set[str]) -> Iterator[EvolutionTask]:
        for task in [task for task in tasks if task.key not in keys]:
            if self.should_stop():
                self.is_stopped = True
                return
            yield task


def _plain(row: Doubles) -> tuple[float, ...]:
    return tuple(float(number) for number in row)


def _seed(*words: int) -> int:
    """A number that differs wherever one of these does."""
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])
