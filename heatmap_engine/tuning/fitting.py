"""`td` and `results`: play, then fit the weights to what the last rounds' positions came to be worth."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from games.chess.openings import Opening
from heatmap_engine.deep.net import Net, has_say
from heatmap_engine.errors import InvalidRun
from heatmap_engine.tuning.folder import TuneFolder, sorted_lines, well_formed
from heatmap_engine.tuning.method import RoundOutcome, openings_to_learn
from heatmap_engine.tuning.net_fit import fit_net
from heatmap_engine.tuning.players import TuneSide
from heatmap_engine.tuning.results_fit import (
    UNIT,
    Data,
    Floats,
    Sample,
    as_vector,
    as_weights,
    fit,
    loss,
    read_samples,
    samples_of,
    values,
)
from heatmap_engine.tuning.starts import UNLEARNED
from heatmap_engine.tuning.tasks import (
    Line,
    LoneKingGame,
    SelfPlayGame,
    TuneTask,
    game_of_line,
    places_of,
)
from heatmap_engine.tuning.tasks_of_others import ENTRIES, GAMES
from heatmap_engine.tuning.training_data import source_tasks
from heatmap_engine.tuning.training_games import DeepGame

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
    players: Mapping[str, int]
    """How many games of a table were learned with which weights."""


class Fitting:
    """Plays with the weights of the round before, or looks through the games of others."""

    def __init__(self, folder: TuneFolder) -> None:
        self._folder = folder
        self._config = folder.config
        self._openings = openings_to_learn(self._config.seed)

    def count(self, round_number: int) -> int | None:
        return sum(self._config.games_of(round_number)) if not self._config.sources else None

    def batches(self, round_number: int) -> Iterator[Iterator[TuneTask]]:
        yield self._tasks(round_number)

    def _tasks(self, round_number: int) -> Iterator[TuneTask]:
        if self._config.sources:
            return source_tasks(self._config.sources, self._config.method)
        player = TuneSide(f"after {round_number - 1}", self._folder.weights(round_number - 1))
        count, lone = self._config.games_of(round_number)
        games = (self._game(round_number, number, player) for number in range(count))
        return chain(games, self._lone_kings(round_number, range(count, count + lone), player))

    def _lone_kings(self, round_number: int, numbers: range, player: TuneSide) -> Iterator[TuneTask]:
        config = self._config
        for number in numbers:
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
        before = sum(self._config.games_of(earlier)[0] for earlier in range(1, round_number))
        return self._openings[(before + number) % len(self._openings)]

    def learn(self, round_number: int) -> RoundOutcome:
        first = max(1, round_number - self._config.kept + 1)
        games = self._read(range(first, round_number + 1))
        training, judging = games.training, games.judging
        if not len(training.results):
            source = ", ".join(self._config.sources) or "the games"
            raise InvalidRun(f"expected quiet positions to learn from, got none from {source}")
        before = self._folder.weights(round_number - 1)
        vector = fit(
            training,
            as_vector(before),
            independent=games.independent,
            expected=self._expected(first),
        )
        net = self._net(training, vector)
        figures = {
            "positions": len(training.results),
            "loss before": _loss(judging, as_vector(before), before.net),
            "loss": _loss(judging, vector, net),
            **({"learned games by weights": dict(sorted(games.players.items()))} if games.players else {}),
        }
        weights = as_weights("", vector, training, {})
        return RoundOutcome(replace(weights, search=before.search, net=net), figures)

    def _net(self, training: Data, vector: Floats) -> Net | None:
        """A net for what the features leave unexplained, where there is enough to learn it from."""
        if self._config.method != "td":
            return None
        if np.count_nonzero(has_say(training.sides.inputs)) < self._config.net_from:
            return None
        return fit_net(
            training.sides, values(training, vector), training.results, float(UNIT), self._config.seed
        )

    def _expected(self, first: int) -> Floats | None:
        """What was learned before the first game of the fit: the weights that played it."""
        has_learned = first > 1 or self._config.start not in UNLEARNED
        return as_vector(self._folder.weights(first - 1)) if has_learned else None

    def _trace(self, round_number: int) -> float:
        """Results alone teach where the players' own values are not to be trusted yet."""
        plays = not self._config.sources
        is_unlearned = plays and round_number == 1 and self._config.start in UNLEARNED
        return _RESULT if self._config.method == "results" or is_unlearned else self._config.trace

    def _read(self, rounds: range) -> _Games:
        """The positions of these rounds' games; those held back always with their results alone.

        They are read anew for each fit: features take most of the memory, and are there only once.
        """
        read = _Reading()
        for number in rounds:
            trace, file = self._trace(number), self._folder.round(number)
            with well_formed(file.path):
                for line in sorted_lines(file):
                    read.add(line, trace)
        return read.games()


@dataclass
class _Reading:
    """What is read from lines, one after the other."""

    training: list[Sample] = field(default_factory=list)
    judging: list[Sample] = field(default_factory=list)
    shares: list[Floats] = field(default_factory=list)
    players: Counter[str] = field(default_factory=Counter)

    def games(self) -> _Games:
        shares = np.concatenate(self.shares) if self.shares else np.zeros(0, dtype=np.float32)
        return _Games(read_samples(self.training), read_samples(self.judging), shares, self.players)

    def add(self, line: Line, trace: float) -> None:
        """The positions of a line, whatever it came from."""
        if "lone" in line:
            self._learn([Sample(fen, expected) for fen, expected in line["lone"]], trace)
        elif "known" in line:
            for place, (fen, expected) in enumerate(line["known"], line["number"] * ENTRIES):
                self._take(place, [Sample(fen, expected)], trace)
        elif "learned" in line:
            for number, game in enumerate(line["learned"], line["number"] * GAMES):
                self._add_learned(number, game, trace)
        else:
            lines = line.get("read", [line])
            first = line["number"] * GAMES if "read" in line else line["number"]
            for number, game in enumerate(lines, first):
                self._add_game(number, game_of_line(game), trace)

    def _add_learned(self, number: int, line: Line, trace: float) -> None:
        """A game of a journal. Whoever played it, its values are searches that knew what came later."""
        is_searched = line["searched"]
        self.players[line["weights"] if is_searched else "unknown"] += 1
        if line["says"]:
            self._add_game(number, game_of_line(line), trace if is_searched else _RESULT)
        else:
            self._learn([*samples_of(game_of_line(line), trace)], trace)

    def _add_game(self, number: int, game: DeepGame, trace: float) -> None:
        its_trace = _RESULT if _is_held_back(number) else trace
        samples = [*samples_of(game, its_trace)]
        self._take(number, samples[places_of(number)] if its_trace == _RESULT else samples, trace)

    def _take(self, number: int, samples: list[Sample], trace: float) -> None:
        if _is_held_back(number):
            self.judging.extend(samples)
        else:
            self._learn(samples, trace)

    def _learn(self, samples: list[Sample], trace: float) -> None:
        share = _INDEPENDENT if trace < _RESULT else _INDEPENDENT_OF_RESULTS
        self.training.extend(samples)
        self.shares.append(np.full(len(samples), share, dtype=np.float32))


def _is_held_back(number: int) -> bool:
    return number % _HELD_BACK == _HELD_BACK - 1


def _loss(data: Data, vector: Floats, net: Net | None) -> float | None:
    return round(loss(data, vector, net), 5) if len(data.results) else None
