"""What a run has come to so far, as a whole and part by part; reads its folder, never its table."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.chess.openings import Opening
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.measurement import RunMeasurement
from heatmap_engine.learning.runs.running import place_of_line
from heatmap_engine.learning.runs.summary import RunSummary

# With fewer games an opening's results are luck.
_FEWEST_GAMES = 4


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


@dataclass(frozen=True, slots=True)
class OpeningScore:
    """How the games of a run that began with one opening ended."""

    opening: Opening
    white_wins: int
    draws: int
    black_wins: int

    @property
    def games(self) -> int:
        return self.white_wins + self.draws + self.black_wins

    @property
    def white_share(self) -> float:
        """White's share of the points; two drawn games are counted as well, so that few games say little."""
        return (self.white_wins + self.draws / 2 + 1) / (self.games + 2)


def opening_scores(folder: RunFolder) -> list[OpeningScore]:
    """The openings of at least four games of a run, those first that were best for White."""
    openings = folder.openings()
    results: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for measurement in folder.measurements():
        results[place_of_line(measurement.game, len(openings))][measurement.result] += 1
    scores = [
        OpeningScore(openings[place], found["1-0"], found["1/2-1/2"], found["0-1"])
        for place, found in results.items()
    ]
    enough = [score for score in scores if score.games >= _FEWEST_GAMES]
    return sorted(enough, key=lambda score: -score.white_share)


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
