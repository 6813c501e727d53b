"""`td` and `results`: play, then fit the weights to what the last rounds' positions came to be worth."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from games.chess.openings import Opening
from heatmap_engine.errors import InvalidRun
from heatmap_engine.tuning.folder import TuneFolder, sorted_lines, well_formed
from heatmap_engine.tuning.method import RoundOutcome, openings_to_learn
from heatmap_engine.tuning.players import TuneSide
from heatmap_engine.tuning.results_fit import (
    Data,
    Floats,
    Sample,
    as_vector,
    as_weights,
    fit,
    loss,
    read_samples,
    samples_of,
)
from heatmap_engine.tuning.starts import UNLEARNED
from heatmap_engine.tuning.tasks import (
    ENTRIES,
    GAMES,
    Line,
    LoneKingGame,
    SelfPlayGame,
    TuneTask,
    game_of_line,
    places_of,
)
from heatmap_engine.tuning.training_data import source_tasks

# One game of so many is never learned from: how much its result surprises judges the weights.
_HELD_BACK = 10
# A trace of 1 is the result alone.
_RESULT = 1.0
# Mates against a lone king lie deep: so many times the nodes of a move.
_DEEPER = 4
# Each position counts as so much of a game of its own: all of a game share its result, but each has a search.
_INDEPENDENT = 1.0
_INDEPENDENT_OF_RESULTS = 0.05


@dataclass(frozen=True)
class _Games:
    """The positions of some rounds, to learn from and held back."""

    training: Data
    judging: Data
    independent: Floats
    """How much of a game of its own each position to learn from counts."""


class Fitting:
    """Plays with the weights of the round before, or looks through the games of others."""

    def __init__(self, folder: TuneFolder) -> None:
        self._folder = folder
        self._config = folder.config
        self._openings = openings_to_learn(self._config.seed)

    def count(self) -> int | None:
        return self._config.games + self._config.lone if self._config.source is None else None

    def tasks(self, round_number: int) -> Iterator[TuneTask]:
        if self._config.source is not None:
            return source_tasks(self._config.source)
        player = TuneSide(f"after {round_number - 1}", self._folder.weights(round_number - 1))
        games = (self._game(round_number, number, player) for number in range(self._config.games))
        return chain(games, self._lone_kings(round_number, player))

    def _lone_kings(self, round_number: int, player: TuneSide) -> Iterator[TuneTask]:
        config = self._config
        for number in range(config.games, config.games + config.lone):
            yield LoneKingGame(round_number, number, player, _DEEPER * config.nodes, config.seed)

    def _game(self, round_number: int, number: int, player: TuneSide) -> TuneTask:
        config = self._config
        return SelfPlayGame(
            round_number,
            number,
            self._opening(round_number, number),
            player,
            config.nodes,
            config.random_plies,
            config.seed,
            config.epsilon,
        )

    def _opening(self, round_number: int, number: int) -> Opening:
        return self._openings[((round_number - 1) * self._config.games + number) % len(self._openings)]

    def learn(self, round_number: int) -> RoundOutcome:
        first = max(1, round_number - self._config.kept + 1)
        games = self._read(range(first, round_number + 1))
        training, judging = games.training, games.judging
        if not len(training.results):
            source = self._config.source or "the games"
            raise InvalidRun(f"expected quiet positions to learn from, got none from {source}")
        before = self._folder.weights(round_number - 1)
        vector = fit(
            training,
            as_vector(before),
            independent=games.independent,
            expected=self._expected(first),
        )
        figures = {
            "positions": len(training.results),
            "loss before": _loss(judging, as_vector(before)),
            "loss": _loss(judging, vector),
        }
        return RoundOutcome(as_weights("", vector, training, {}), figures)

    def _expected(self, first: int) -> Floats | None:
        """What was learned before the first game of the fit: the weights that played it."""
        has_learned = first > 1 or self._config.start not in UNLEARNED
        return as_vector(self._folder.weights(first - 1)) if has_learned else None

    def _trace(self, round_number: int) -> float:
        """Results alone teach where the players' own values are not to be trusted yet."""
        is_unlearned = round_number == 1 and self._config.start in UNLEARNED
        return _RESULT if self._config.method == "results" or is_unlearned else self._config.trace

    def _read(self, rounds: range) -> _Games:
        """The positions of these rounds' games; those held back always with their results alone.

        They are read anew for each fit: features take most of the memory, and are there only once.
        """
        training: list[Sample] = []
        judging: list[Sample] = []
        shares: list[Floats] = []
        for number in rounds:
            before = len(training)
            self._read_round(number, training, judging)
            shares.append(np.full(len(training) - before, self._independent(number), dtype=np.float32))
        return _Games(read_samples(training), read_samples(judging), np.concatenate(shares))

    def _read_round(self, round_number: int, training: list[Sample], judging: list[Sample]) -> None:
        trace = self._trace(round_number)
        file = self._folder.round(round_number)
        with well_formed(file.path):
            for line in sorted_lines(file):
                if "lone" in line:
                    training.extend(Sample(fen, expected) for fen, expected in line["lone"])
                    continue
                for number, samples in _samples(line, trace):
                    (judging if _is_held_back(number) else training).extend(samples)

    def _independent(self, round_number: int) -> float:
        return _INDEPENDENT if self._trace(round_number) < _RESULT else _INDEPENDENT_OF_RESULTS


def _samples(line: Line, trace: float) -> Iterator[tuple[int, list[Sample]]]:
    """Numbers of games or entries with the positions to take from them, whatever they came from."""
    if "known" in line:
        for place, (fen, expected) in enumerate(line["known"], line["number"] * ENTRIES):
            yield place, [Sample(fen, expected)]
        return
    lines = line.get("read", [line])
    first = line["number"] * GAMES if "read" in line else line["number"]
    for number, game in enumerate(map(game_of_line, lines), first):
        its_trace = _RESULT if _is_held_back(number) else trace
        samples = [*samples_of(game, its_trace)]
        yield number, samples[places_of(number)] if its_trace == _RESULT else samples


def _is_held_back(number: int) -> bool:
    return number % _HELD_BACK == _HELD_BACK - 1


def _loss(data: Data, vector: Floats) -> float | None:
    return round(loss(data, vector), 5) if len(data.results) else None
