"""Going on with a tuning run, from whatever is done of it to its end or until it is asked to stop."""

import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.tuning.folder import TuneFolder, lines_of
from heatmap_engine.tuning.measurement import TuneMeasurement
from heatmap_engine.tuning.measuring import Measuring
from heatmap_engine.tuning.method import RoundOutcome
from heatmap_engine.tuning.methods import method_of
from heatmap_engine.tuning.session import Progress, TuneSession


class TuneRun:
    """A run that is going on in this process, the only one that writes into its folder."""

    def __init__(self, folder: TuneFolder) -> None:
        self.config = folder.config
        self.measurements = [*folder.measurements()]
        self._folder = folder
        self._method = method_of(folder)
        self._measuring = Measuring(folder)

    @property
    def is_finished(self) -> bool:
        return len(self.measurements) >= self.config.rounds

    def go_on(
        self,
        session: TuneSession,
        when_measured: Callable[[TuneMeasurement], None] = lambda measurement: None,
    ) -> bool:
        """Play, learn and measure, round after round; whether that is all done."""
        with session.pool:
            while not self.is_finished:
                number = len(self.measurements) + 1
                if not (self._is_learned(number, session) and self._is_measured(number, session)):
                    return False
                when_measured(self.measurements[-1])
        return True

    def games_in(self, number: int) -> tuple[int, int] | None:
        """How many games a round plays to learn from, and in matches; None if it learns from others."""
        tasks = self._method.count(number)
        if tasks is None:
            return None
        return tasks * (1 if self.config.is_fit else 2), 2 * self._measuring.count(number)

    def games_before(self, progress: Progress) -> int | None:
        """How many games the whole run has played when it is so far."""
        rounds = [self.games_in(number) for number in range(1, progress.round)]
        now = self.games_in(progress.round)
        if now is None:
            return None
        to_learn, matches = now
        if progress.doing == "games":
            to_learn, matches = to_learn * progress.done // (progress.of or 1), 0
        elif progress.doing == "match":
            matches = 2 * progress.done
        else:
            matches = 0
        return sum(sum(games) for games in rounds if games) + to_learn + matches

    def _is_learned(self, number: int, session: TuneSession) -> bool:
        """Play what a round learns from, and save what it has learned; False if games are missing."""
        if self._folder.has_weights(number):
            return True
        file = self._folder.round(number)
        for tasks in self._method.batches(number):
            progress = Progress(number, "games", sum(1 for _ in file), self._method.count(number))
            if not session.do(tasks, file, progress):
                return False
        session.when_done(Progress(number, "learning"))
        begin = time.process_time()
        learned = self._method.learn(number)
        seconds = time.process_time() - begin
        if learned.state is not None:
            self._folder.save_state(number, learned.state)
        self._folder.save_weights(number, self._signed(number, learned, seconds))
        return True

    def _signed(self, number: int, learned: RoundOutcome, seconds: float) -> DeepWeights:
        """The weights with where they come from."""
        start = self._folder.weights(0)
        costs = [(line["games"], line["seconds"]) for line in lines_of(self._folder.round(number))]
        earlier = self._folder.weights(number - 1).provenance if number > 1 else {}
        provenance = {
            "method": self.config.method,
            "round": number,
            "games": earlier.get("games", 0) + sum(games for games, _ in costs),
            "cpu seconds": round(
                earlier.get("cpu seconds", 0.0) + seconds + sum(cost for _, cost in costs), 2
            ),
            **learned.figures,
            "started from": start.name,
            "settings": self.config.used(),
            **current_version(),
        }
        return replace(learned.weights, name=f"{self.config.method} {number}", provenance=provenance)

    def _is_measured(self, number: int, session: TuneSession) -> bool:
        tasks, count = self._measuring.tasks(number), self._measuring.count(number)
        before = sum(self._measuring.count(earlier) for earlier in range(1, number))
        done = sum(1 for _ in self._folder.matches) - before
        if not session.do(tasks, self._folder.matches, Progress(number, "match", done, count)):
            return False
        measurement = self._measuring.measurement(number)
        self._folder.add_measurement(measurement)
        self.measurements.append(measurement)
        return True


@cache
def current_version() -> dict[str, str]:
    """The package's version, and the commit where it runs from a checkout."""
    found = {"version": version("heatmap-engine")}
    root = Path(__file__).parents[2]
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "rev-parse", "HEAD"]
        commit = subprocess.run(command, capture_output=True, text=True, check=False)
        if commit.returncode == 0:
            found["commit"] = commit.stdout.strip()
    return found
