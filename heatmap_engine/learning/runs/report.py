"""What a run has come to so far, as a whole and part by part; reads its folder, never its table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.measurement import RunMeasurement
from heatmap_engine.learning.runs.summary import RunSummary


@dataclass(frozen=True, slots=True)
class RunPart:
    """Games that were recorded one after the other, the first and the last with them.

    These count the recorded games: parts lie side by side though games end out of turn.
    """

    first: int
    last: int
    summary: RunSummary
    games_per_hour: float | None


@dataclass(frozen=True, slots=True)
class RunReport:
    """The whole run, and its parts in order."""

    whole: RunSummary
    parts: tuple[RunPart, ...]


def report_on_run(folder: RunFolder, most_parts: int) -> RunReport:
    """At most so many parts of nearly the same number of games."""
    measurements = [*folder.measurements()]
    return RunReport(RunSummary.of(measurements), tuple(_parts(measurements, most_parts)))


def _parts(measurements: Sequence[RunMeasurement], most_parts: int) -> Iterator[RunPart]:
    number = min(most_parts, len(measurements))
    begun = 0.0
    for part in range(number):
        start, stop = (len(measurements) * edge // number for edge in (part, part + 1))
        summary = RunSummary.of(measurements[start:stop])
        yield RunPart(start + 1, stop, summary, summary.games_per_hour(begun))
        begun = summary.seconds
