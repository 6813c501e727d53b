"""`cem` and `ga`: play candidates against the last checkpoint, and go on from those that scored best.

All candidates of a round play the same openings with the same chances against the same opponent, each opening
with both colours, so that they differ by nothing but their weights.
"""

from collections.abc import Iterator

import numpy as np

from games.evolution import Breeding, Doubles, noise_at
from heatmap_engine.errors import InvalidRun
from heatmap_engine.tuning.config import TuneConfig
from heatmap_engine.tuning.directions import directions, weights_at
from heatmap_engine.tuning.folder import TuneFolder, lines_of, well_formed
from heatmap_engine.tuning.method import RoundOutcome, openings_to_learn
from heatmap_engine.tuning.players import TuneSide
from heatmap_engine.tuning.tasks import Pair, TuneTask


class Matching:
    """Rounds of matches between candidates and the last checkpoint.

    A row of the breeding holds how far a candidate lies from the start in each direction.
    """

    def __init__(self, folder: TuneFolder, breeding: Breeding) -> None:
        self._folder = folder
        self._config: TuneConfig = folder.config
        self._breeding = breeding
        self._start = folder.weights(0)
        self._openings = openings_to_learn(self._config.seed)

    def count(self, round_number: int) -> int | None:
        return self._config.candidates * self._config.pairs

    def batches(self, round_number: int) -> Iterator[Iterator[TuneTask]]:
        yield self._tasks(round_number)

    def _tasks(self, round_number: int) -> Iterator[TuneTask]:
        config = self._config
        opponent = TuneSide(f"after {round_number - 1}", self._folder.weights(round_number - 1))
        for candidate, coefficients in enumerate(self._candidates(round_number)):
            player = TuneSide(
                f"round {round_number} candidate {candidate}", weights_at(self._start, coefficients)
            )
            for number in range(config.pairs):
                place = ((round_number - 1) * config.pairs + number) % len(self._openings)
                seed = config.seed + round_number
                match = f"candidate {candidate}"
                yield Pair(match, number, self._openings[place], player, opponent, config.nodes, seed)

    def learn(self, round_number: int) -> RoundOutcome:
        points = np.zeros(self._config.candidates)
        file = self._folder.round(round_number)
        with well_formed(file.path):
            for line in lines_of(file):
                points[int(line["match"].split()[1])] += line["points"]
        kept = self._breeding.kept(self._candidates(round_number), points)
        return RoundOutcome(weights_at(self._start, kept[0]), state=kept.tolist())

    def _candidates(self, round_number: int) -> Doubles:
        """The same ones whenever this is asked: from the seed, the round and what the last one left."""
        config = self._config
        kept = self._kept(round_number - 1) if round_number > 1 else np.zeros((1, len(directions())))
        rng = np.random.default_rng([config.seed, round_number])
        return self._breeding.candidates(kept, noise_at(round_number, config.noise, config.decay), rng)

    def _kept(self, round_number: int) -> Doubles:
        """The state after a round; raises InvalidRun if it is none."""
        try:
            kept = np.array(self._folder.state(round_number), dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidRun(f"{self._folder.path}: state {round_number} is no numbers: {error}") from error
        if kept.ndim != 2 or not len(kept) or kept.shape[1] != len(directions()):
            raise InvalidRun(f"{self._folder.path}: state {round_number} is of shape {kept.shape}")
        return kept
