"""`td` and `results`: play, then fit the weights to what followed each position of the last rounds' games."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from games.openings import Opening
from heatmap_engine.errors import InvalidRun
from heatmap_engine.learning.results_fit import (
    Data,
    Floats,
    Sample,
    as_vector,
    as_weights,
    fit,
    joined,
    loss,
    read_samples,
    samples_of,
    seen_samples_of,
)
from heatmap_engine.learning.tuning.folder import TuneFolder, sorted_lines
from heatmap_engine.learning.tuning.method import Learned, openings_to_learn
from heatmap_engine.learning.tuning.players import Player
from heatmap_engine.learning.tuning.sources import source_tasks
from heatmap_engine.learning.tuning.starts import UNLEARNED
from heatmap_engine.learning.tuning.tasks import (
    ENTRIES,
    GAMES,
    Line,
    SelfPlayGame,
    Task,
    game_of_line,
    places_of,
)

# One game of so many is never learned from: how much its result surprises judges the weights.
_HELD_BACK = 10
# A trace of 1 is the result alone.
_RESULT = 1.0
# Each position counts as so much of a game of its own. All of a game share its result; values foreseen on the
# way differ, and are less noisy. docs/tuning.md has the figures.
_INDEPENDENT = 0.2
_INDEPENDENT_OF_RESULTS = 0.05
_MOST_TEXTS = 16_384


@dataclass(frozen=True)
class _Round:
    """The positions of a round, to learn from and held back."""

    training: Data
    judging: Data


class Fitting:
    """Plays with the weights of the round before, or looks through the games of others."""

    def __init__(self, folder: TuneFolder) -> None:
        self._folder = folder
        self._config = folder.config
        self._openings = openings_to_learn(self._config.seed)
        self._rounds: dict[int, _Round] = {}

    def count(self) -> int | None:
        return self._config.games if self._config.source is None else None

    def tasks(self, round_number: int) -> Iterator[Task]:
        if self._config.source is not None:
            return source_tasks(self._config.source)
        player = Player(f"after {round_number - 1}", self._folder.weights(round_number - 1))
        return (self._game(round_number, number, player) for number in range(self._config.games))

    def _game(self, round_number: int, number: int, player: Player) -> Task:
        config = self._config
        return SelfPlayGame(
            round_number,
            number,
            self._opening(round_number, number),
            player,
            config.nodes,
            config.random_plies,
            config.seed,
            self._look_again(round_number),
        )

    def _opening(self, round_number: int, number: int) -> Opening:
        return self._openings[((round_number - 1) * self._config.games + number) % len(self._openings)]

    def learn(self, round_number: int) -> Learned:
        first = max(1, round_number - self._config.kept + 1)
        rounds = range(first, round_number + 1)
        self._rounds = {number: self._rounds.get(number) or self._read(number) for number in rounds}
        training = joined([part.training for part in self._rounds.values()])
        judging = joined([part.judging for part in self._rounds.values()])
        if not len(training.results):
            source = self._config.source or "the games"
            raise InvalidRun(f"expected quiet positions to learn from, got none from {source}")
        before = self._folder.weights(round_number - 1)
        vector = fit(
            training,
            as_vector(before),
            independent=_INDEPENDENT if self._trace(round_number) < _RESULT else _INDEPENDENT_OF_RESULTS,
            expected=self._expected(first),
        )
        figures = {
            "positions": len(training.results),
            "loss before": _loss(judging, as_vector(before)),
            "loss": _loss(judging, vector),
        }
        return Learned(as_weights("", vector, training, {}), figures)

    def _expected(self, first: int) -> Floats | None:
        """What was learned before the first game of the fit: the weights that played it."""
        has_learned = first > 1 or self._config.start not in UNLEARNED
        return as_vector(self._folder.weights(first - 1)) if has_learned else None

    def _trace(self, round_number: int) -> float:
        """Results alone teach where the players' own values are not to be trusted yet."""
        is_unlearned = round_number == 1 and self._config.start in UNLEARNED
        return _RESULT if self._config.method == "results" or is_unlearned else self._config.trace

    def _look_again(self, round_number: int) -> int:
        """The nodes of another search from each leaf; none where results alone teach."""
        return self._config.look_again if self._trace(round_number) < _RESULT else 0

    def _read(self, round_number: int) -> _Round:
        """The positions of a round's games; those held back always with their results alone."""
        trace, only_seen = self._trace(round_number), self._look_again(round_number) > 0
        training, judging = _Positions(), _Positions()
        for line in sorted_lines(self._folder.round(round_number)):
            for number, samples in _samples(line, trace, only_seen):
                is_held_back = number % _HELD_BACK == _HELD_BACK - 1
                (judging if is_held_back else training).add(samples)
        return _Round(training.data(), judging.data())


class _Positions:
    """Positions as features as soon as there are some: texts take ten times the memory."""

    def __init__(self) -> None:
        self._parts: list[Data] = []
        self._samples: list[Sample] = []

    def add(self, samples: Iterable[Sample]) -> None:
        self._samples += samples
        if len(self._samples) > _MOST_TEXTS:
            self._count()

    def _count(self) -> None:
        self._parts.append(read_samples(self._samples))
        self._samples = []

    def data(self) -> Data:
        self._count()
        return joined(self._parts)


def _samples(line: Line, trace: float, only_seen: bool) -> Iterator[tuple[int, list[Sample]]]:
    """Numbers of games or entries with the positions to take from them, whatever they came from."""
    if "known" in line:
        for place, (fen, expected) in enumerate(line["known"], line["number"] * ENTRIES):
            yield place, [Sample(fen, expected)]
        return
    lines = line.get("read", [line])
    first = line["number"] * GAMES if "read" in line else line["number"]
    for number, game in enumerate(map(game_of_line, lines), first):
        is_held_back = number % _HELD_BACK == _HELD_BACK - 1
        if only_seen and not is_held_back:
            yield number, [*seen_samples_of(game, trace)]
        else:
            its_trace = _RESULT if is_held_back else trace
            yield number, [*samples_of(game, its_trace)][places_of(number)]


def _loss(data: Data, vector: Floats) -> float | None:
    return round(loss(data, vector), 5) if len(data.results) else None
