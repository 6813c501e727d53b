"""`td` and `results`: play, then fit the weights to what followed each position of the last rounds' games."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from games.openings import Opening
from heatmap_engine.learning.deep_games import DeepGame
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
)
from heatmap_engine.learning.tuning.folder import TuneFolder, lines_of
from heatmap_engine.learning.tuning.method import Learned, openings_to_learn
from heatmap_engine.learning.tuning.players import Player
from heatmap_engine.learning.tuning.sources import CHUNK, chunks_of
from heatmap_engine.learning.tuning.starts import UNLEARNED
from heatmap_engine.learning.tuning.tasks import GamesOfOthers, Line, SelfPlayGame, Task, game_of_line

# One game of so many is never learned from: how much its result surprises judges the weights.
_HELD_BACK = 10
# Of a game every third position: neighbours share most of what they show.
_STRIDE = 3
# A trace of 1 is the result alone.
_RESULT = 1.0
# Each position counts as so much of a game of its own. All of a game share its result; values foreseen on the way
# differ, and are less noisy. docs/tuning.md has the figures.
_INDEPENDENT = 0.2
_INDEPENDENT_OF_RESULTS = 0.05


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
        player = Player(f"after {round_number - 1}", self._folder.weights(round_number - 1))
        if self._config.source is not None:
            return (
                GamesOfOthers(number, records, player)
                for number, records in enumerate(chunks_of(self._config.source))
            )
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
        )

    def _opening(self, round_number: int, number: int) -> Opening:
        return self._openings[((round_number - 1) * self._config.games + number) % len(self._openings)]

    def learn(self, round_number: int, lines: Iterable[Line]) -> Learned:
        first = max(1, round_number - self._config.kept + 1)
        self._rounds[round_number] = self._read(round_number, lines)
        for number in range(first, round_number):
            if number not in self._rounds:
                self._rounds[number] = self._read(number, lines_of(self._folder.round(number)))
        self._rounds = {number: self._rounds[number] for number in range(first, round_number + 1)}
        training = joined([part.training for part in self._rounds.values()])
        judging = joined([part.judging for part in self._rounds.values()])
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

    def _read(self, round_number: int, lines: Iterable[Line]) -> _Round:
        """The positions of a round's games; those held back always with their results alone."""
        trace = self._trace(round_number)
        training: list[Sample] = []
        judging: list[Sample] = []
        for number, game in _games(lines):
            is_held_back = number % _HELD_BACK == _HELD_BACK - 1
            into, its_trace = (judging, _RESULT) if is_held_back else (training, trace)
            into += [*samples_of(game, its_trace)][number % _STRIDE :: _STRIDE]
        return _Round(read_samples(training), read_samples(judging))


def _games(lines: Iterable[Line]) -> Iterator[tuple[int, DeepGame]]:
    """The games with their numbers, whatever they came from."""
    for line in lines:
        if "read" in line:
            yield from enumerate(map(game_of_line, line["read"]), line["number"] * CHUNK)
        else:
            yield line["number"], game_of_line(line)


def _loss(data: Data, vector: Floats) -> float | None:
    return round(loss(data, vector), 5) if len(data.results) else None
