"""`spsa`: tune the constants of the search, by matches between players on opposite sides of where they are.

Iterations follow one another, because each begins where the one before ended; the pairs of one are played at
the same time. Between iterations constants have fractions. Players and checkpoints have whole ones.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from heatmap_engine.deep.constants import RANGES, SearchConstants
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.errors import InvalidRun, shown
from heatmap_engine.tuning.config import TuneConfig
from heatmap_engine.tuning.folder import TuneFolder, lines_of, well_formed
from heatmap_engine.tuning.method import RoundOutcome, openings_to_learn
from heatmap_engine.tuning.players import TuneSide
from heatmap_engine.tuning.spsa import Point, Signs, Spsa, signs_of
from heatmap_engine.tuning.tasks import Pair, TuneTask


class Perturbing:
    """Rounds of so many iterations. The weights of the evaluation stay those of the start."""

    def __init__(self, folder: TuneFolder) -> None:
        self._folder = folder
        self._config: TuneConfig = folder.config
        self._rule = Spsa(self._config.gain, self._config.delay, self._config.spread)
        self._start = folder.weights(0)
        self._openings = openings_to_learn(self._config.seed)

    def count(self, round_number: int) -> int | None:
        return self._config.iterations * self._config.pairs

    def batches(self, round_number: int) -> Iterator[Iterator[TuneTask]]:
        point = self._point_after(round_number - 1)
        for iteration in self._iterations(round_number):
            yield self._pairs(iteration, point)
            point = self._moved(point, iteration, self._points(round_number))

    def learn(self, round_number: int) -> RoundOutcome:
        point = self._point_after(round_number - 1)
        points = self._points(round_number)
        for iteration in self._iterations(round_number):
            point = self._moved(point, iteration, points)
        figures = {"iterations": round_number * self._config.iterations}
        return RoundOutcome(self._weights(point), figures, state=_by_name(point))

    def _iterations(self, round_number: int) -> range:
        """The iterations of a round, counted from 1 through the whole run."""
        before = (round_number - 1) * self._config.iterations
        return range(before + 1, before + self._config.iterations + 1)

    def _match(self, iteration: int) -> str:
        """What a round's lines call an iteration: by its number in the round."""
        return f"iteration {(iteration - 1) % self._config.iterations + 1}"

    def _pairs(self, iteration: int, point: Point) -> Iterator[TuneTask]:
        config, match = self._config, self._match(iteration)
        plus, minus = (
            TuneSide(f"iteration {iteration} {name}", self._weights(end))
            for name, end in zip(("plus", "minus"), self._ends(iteration, point), strict=True)
        )
        for number in range(config.pairs):
            opening = self._openings[((iteration - 1) * config.pairs + number) % len(self._openings)]
            yield Pair(match, number, opening, plus, minus, config.nodes, config.seed)

    def _ends(self, iteration: int, point: Point) -> tuple[Point, Point]:
        return self._rule.ends(point, self._signs(iteration), iteration)

    def _signs(self, iteration: int) -> Signs:
        return signs_of(self._config.seed, iteration, [*RANGES])

    def _moved(self, point: Point, iteration: int, points: Mapping[str, float]) -> Point:
        """Where an iteration leads to; a constant that both players had alike stays where it is."""
        plus, minus = (_constants(end) for end in self._ends(iteration, point))
        signs = tuple(
            sign if plus.values[name] != minus.values[name] else 0
            for name, sign in zip(RANGES, self._signs(iteration), strict=True)
        )
        score = points[self._match(iteration)] / self._config.pairs - 1
        return _within_limits(self._rule.moved(point, signs, score, iteration))

    def _points(self, round_number: int) -> Mapping[str, float]:
        """What plus has made in the iterations of a round that are played."""
        points: defaultdict[str, float] = defaultdict(float)
        file = self._folder.round(round_number)
        with well_formed(file.path):
            for line in lines_of(file):
                points[line["match"]] += line["points"]
        return points

    def _weights(self, point: Point) -> DeepWeights:
        return replace(self._start, search=_constants(point))

    def _point_after(self, round_number: int) -> Point:
        """Where the constants are after a round; raises InvalidRun if its state does not say so."""
        if round_number == 0:
            return _point(self._start.search.values)
        state = self._folder.state(round_number)
        place = f"{self._folder.path}: state {round_number}"
        if not isinstance(state, dict) or set(state) != set(RANGES):
            raise InvalidRun(
                f"{place}: expected the {len(RANGES)} constants of the search, got {shown(state)}"
            )
        for name, value in state.items():
            allowed = RANGES[name]
            if type(value) not in (int, float) or not allowed.least <= value <= allowed.most:
                raise InvalidRun(
                    f"{place}: expected {name} from {allowed.least} to {allowed.most}, got {shown(value)}"
                )
        return _point(state)


def _point(values: Mapping[str, float]) -> Point:
    """Constants in their steps."""
    return tuple(values[name] / allowed.step for name, allowed in RANGES.items())


def _by_name(point: Point) -> dict[str, float]:
    """Constants by their names, within their limits."""
    return {
        name: max(allowed.least, min(allowed.most, number * allowed.step))
        for (name, allowed), number in zip(RANGES.items(), point, strict=True)
    }


def _within_limits(point: Point) -> Point:
    return _point(_by_name(point))


def _constants(point: Point) -> SearchConstants:
    """The nearest constants to play with."""
    return SearchConstants({name: round(value) for name, value in _by_name(point).items()})
