"""How strong a checkpoint is: paired games at fixed nodes against the start and against the one before."""

from collections.abc import Iterator

from heatmap_engine.tuning.folder import TuneFolder, lines_of, well_formed
from heatmap_engine.tuning.measurement import MatchResult, TuneMeasurement
from heatmap_engine.tuning.method import openings_to_measure
from heatmap_engine.tuning.players import TuneSide
from heatmap_engine.tuning.tasks import Line, Pair, TuneTask

_START = 0


class Measuring:
    """The matches of a run's checkpoints, which teach nothing."""

    def __init__(self, folder: TuneFolder) -> None:
        self._folder = folder
        self._config = folder.config
        self._openings = openings_to_measure(self._config.seed)

    def count(self, checkpoint: int) -> int:
        """How many pairs the checkpoint's matches have."""
        return len(self._opponents(checkpoint)) * self._config.match_games // 2

    def tasks(self, checkpoint: int) -> Iterator[TuneTask]:
        first = self._player(checkpoint)
        for other in self._opponents(checkpoint):
            second = self._player(other)
            for number in range(self._config.match_games // 2):
                opening = self._openings[number % len(self._openings)]
                match = _name(checkpoint, other)
                yield Pair(match, number, opening, first, second, self._config.nodes, self._config.seed)

    def _opponents(self, checkpoint: int) -> list[int]:
        if not self._config.match_games:
            return []
        return [_START] if checkpoint == 1 else [_START, checkpoint - 1]

    def _player(self, checkpoint: int) -> TuneSide:
        return TuneSide(f"after {checkpoint}", self._folder.weights(checkpoint))

    def measurement(self, checkpoint: int) -> TuneMeasurement:
        """What the checkpoint's games and matches came to, once they are played."""
        lines = [*lines_of(self._folder.matches)]
        learned = self._folder.weights(checkpoint).provenance
        with well_formed(self._folder.matches.path):
            return TuneMeasurement(
                round=checkpoint,
                games=learned["games"],
                cpu_seconds=learned["cpu seconds"],
                positions=learned.get("positions"),
                loss_before=learned.get("loss before"),
                loss=learned.get("loss"),
                match_games=sum(line["games"] for line in lines),
                match_cpu_seconds=round(sum(line["seconds"] for line in lines), 2),
                against_start=_result(lines, _name(checkpoint, _START)),
                against_last=_result(lines, _name(checkpoint, checkpoint - 1)),
            )


def _name(checkpoint: int, other: int) -> str:
    return f"checkpoint {checkpoint} against {other or 'start'}"


def _result(lines: list[Line], match: str) -> MatchResult | None:
    points = [line["points"] for line in lines if line["match"] == match]
    return MatchResult.of(points) if points else None
