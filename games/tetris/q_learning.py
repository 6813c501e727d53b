"""A run of Q-learning in a folder of its own.

| file              | holds                                                                     |
|-------------------|---------------------------------------------------------------------------|
| `q.json`          | the settings; written last, so that a folder with it is a run              |
| `rounds.jsonl`    | a line for each round, with a look at the network every so often           |
| `state.npz`       | the network and Adam's memory after the last round                        |
| `network-10.json` | the network after a round at which it was looked at                        |
| `best.json`       | the best of these                                                         |

All chances of a round come from the seed and its number, and it begins with an empty memory: a run that was
killed goes on with the round in which it was, and comes to the same as one that was not.
"""

import io
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from games.durable import BusyFolder, locked, put_in_place, write_at_once
from games.lines import LineFile
from games.run_folders import obstacle_to_new
from games.tetris.errors import InvalidRun
from games.tetris.game import Game
from games.tetris.learning import Learner
from games.tetris.network import Network, QPlayer
from games.tetris.network_file import new_network, save_network
from games.tetris.playing import play_games
from games.tetris.q_settings import QSettings
from games.tetris.survival import Survival
from qtable.json_input import MISSHAPEN, InvalidJson, parse_json_object, read_text

_SETTINGS, _STATE = "q.json", "state.npz"
_LEAST_STEP = 0.01
_LOOK_SEED = 7


@dataclass(frozen=True, slots=True)
class Round:
    """What a round came to."""

    number: int
    error: float
    """How far values and targets lay apart on average, before errors were cut off."""
    games: int
    deaths: int
    lines: int
    """Of the games of training that ended."""
    epsilon: float
    seconds: float
    """Of the processor, from the beginning of the run; looks are not counted."""
    look: Survival | None = None

    def to_json(self) -> str:
        data = {name: getattr(self, name) for name in _FIELDS}
        look = self.look and [self.look.games, self.look.deaths, self.look.lines, self.look.pieces]
        return json.dumps({**data, "look": look})

    @classmethod
    def from_json(cls, text: str) -> Self:
        try:
            data = parse_json_object(text)
            look = data.pop("look")
            if {*data} != {*_FIELDS} or not all(isinstance(value, int | float) for value in data.values()):
                raise ValueError(f"got {text[:80]!r}")
            return cls(**data, look=look and Survival(*map(int, look)))
        except MISSHAPEN as error:
            raise InvalidRun(f"expected a line of a round: {error}") from error


_FIELDS = ("number", "error", "games", "deaths", "lines", "epsilon", "seconds")


class QFolder:
    """The files of one run."""

    def __init__(self, path: Path, settings: QSettings) -> None:
        self.path = path
        self.settings = settings
        self._rounds = LineFile(path / "rounds.jsonl")

    @classmethod
    def create(cls, path: Path, settings: QSettings) -> Self:
        """A new run in a folder that is not there yet, or empty."""
        if obstacle := obstacle_to_new(path, _SETTINGS):
            raise InvalidRun(obstacle)
        path.mkdir(parents=True, exist_ok=True)
        folder = cls(path, settings)
        folder.save()
        return folder

    @classmethod
    def open(cls, path: Path) -> Self:
        """The run in this folder; raises InvalidRun if there is none."""
        try:
            return cls(path, QSettings.from_json(read_text(path / _SETTINGS)))
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidRun(f"expected the folder of a run, got {path}, without {_SETTINGS}") from None
        except (InvalidRun, InvalidJson) as error:
            raise InvalidRun(f"{path / _SETTINGS}: {error}") from error

    def save(self) -> None:
        """Write the settings as they are now."""
        write_at_once(self.path / _SETTINGS, self.settings.to_json())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While the block runs, no other process goes on with this run."""
        try:
            with locked(self.path / "run.lock"):
                self._rounds.repair()
                yield
        except BusyFolder:
            raise InvalidRun(f"another process is going on with the run in {self.path}") from None

    def rounds(self) -> list[Round]:
        """The rounds that are written down, each once: after a kill one may be there twice."""
        found: dict[int, Round] = {}
        for text in self._rounds:
            one = Round.from_json(text)
            found.setdefault(one.number, one)
        return [found[number] for number in sorted(found)]

    def add_round(self, one: Round) -> None:
        self._rounds.append(one.to_json())

    def network_path(self, number: int) -> Path:
        return self.path / f"network-{number}.json"

    @property
    def best_path(self) -> Path:
        return self.path / "best.json"

    def save_state(self, number: int, seconds: float, network: Network, learner: Learner) -> None:
        """What the next round goes on with."""
        mean, square = learner.moments
        counts = np.array([number, learner.steps], dtype=np.int64)
        content = io.BytesIO()
        np.savez(
            content, counts=counts, seconds=np.float64(seconds), mean=mean, square=square, **network.arrays
        )
        draft = self.path / f".{_STATE}.draft"
        draft.write_bytes(content.getvalue())
        put_in_place(draft, self.path / _STATE)

    def state(self) -> dict[str, Any] | None:
        """What the last round left; None before the first."""
        path = self.path / _STATE
        if not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as data:
                return {name: data[name] for name in data.files}
        except (OSError, *MISSHAPEN) as error:
            raise InvalidRun(f"{path}: expected the state after a round: {error}") from error


def is_q_run(path: Path) -> bool:
    """Whether the folder is one of such a run."""
    return (path / _SETTINGS).exists()


class QRun:
    """A run that goes on in this process, the only one that writes into its folder; it must be locked."""

    def __init__(self, folder: QFolder) -> None:
        self._folder = folder
        self._settings = folder.settings
        self._network = new_network(self._settings.width, self._settings.seed)
        self._seconds = 0.0
        self.done = 0
        self._moments: tuple[Any, Any, int] | None = None
        if (state := folder.state()) is not None:
            self._restore(state)

    def _restore(self, state: dict[str, Any]) -> None:
        try:
            self._network.set_arrays(
                state["first"], state["first_bias"], state["second"], float(state["second_bias"])
            )
            self.done, steps = (int(count) for count in state["counts"])
            self._moments = state["mean"], state["square"], steps
            self._seconds = float(state["seconds"])
        except MISSHAPEN as error:
            raise InvalidRun(
                f"{self._folder.path}: expected the state after a round: {error!r:.200}"
            ) from error

    def go_on(
        self,
        should_stop: Callable[[], bool] = lambda: False,
        when_done: Callable[[Round], None] = lambda one: None,
    ) -> bool:
        """Round after round; whether all are done."""
        while self.done < self._settings.rounds:
            if should_stop():
                return False
            when_done(self._round(self.done + 1))
        return True

    def _round(self, number: int) -> Round:
        settings = self._settings
        begin = time.process_time()
        learner = self._learner(number)
        epsilon = settings.epsilon_of(number)
        found = learner.play_round(
            Game(settings.setting().rules, settings.pieces, 0),
            _seed(settings.seed, number),
            settings.round_pieces,
            epsilon,
            settings.max_lines,
            settings.target_every,
            settings.learn_every,
        )
        mean, square = learner.moments
        self._moments = mean, square, learner.steps
        self._seconds += time.process_time() - begin
        is_looked_at = number % settings.look_every == 0 or number == settings.rounds
        look = self._look(number) if is_looked_at else None
        games, deaths, lines = (int(found[name]) for name in ("games", "deaths", "lines"))
        one = Round(number, found["error"], games, deaths, lines, epsilon, round(self._seconds, 2), look)
        self._folder.add_round(one)
        self._folder.save_state(number, self._seconds, self._network, learner)
        self.done = number
        return one

    def _learner(self, number: int) -> Learner:
        settings = self._settings
        reward = settings.rewards()
        left = 1 - (number - 1) / settings.rounds
        learner = Learner(
            self._network,
            memory=settings.memory,
            reward=[settings.scale * value for value in reward.vector],
            deep=reward.is_deep,
            reward_base=settings.base,
            death=settings.death,
            discount=settings.discount,
            step=settings.step * max(left, _LEAST_STEP),
            l2=settings.l2,
            batch=settings.batch,
            recent_share=settings.recent_share,
            recent=settings.recent,
            most_error=settings.most_error,
            most_target=settings.most_target,
            most_gradient=settings.most_gradient,
        )
        if self._moments is not None:
            learner.set_moments(*self._moments)
        return learner

    def _look(self, number: int) -> Survival:
        """Let the network play, and keep it; the best of all is kept under a name of its own."""
        settings = self._settings
        look = play_games(QPlayer(self._network), settings.setting(), settings.look_games, _LOOK_SEED)
        earlier = [one.look for one in self._folder.rounds() if one.look is not None and one.number < number]
        provenance = {
            "method": "q",
            "round": number,
            "pieces": number * settings.round_pieces,
            "cpu seconds": round(self._seconds, 1),
            "look": look.as_json(),
            "settings": json.loads(settings.to_json()),
        }
        save_network(self._folder.network_path(number), self._network, provenance)
        if all(_points(look) >= _points(other) for other in earlier):
            save_network(self._folder.best_path, self._network, provenance)
        return look


def _points(look: Survival) -> float:
    """Lines for each death, counted as if one more had died."""
    return look.lines / (look.deaths + 1)


def _seed(*words: int) -> int:
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])
