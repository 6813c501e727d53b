"""How much stronger a run of self-play has made the engine: short matches against the untrained one."""

from collections.abc import Callable, Sequence
from typing import Any

from heatmap_engine.cli.interruptible import warn
from heatmap_engine.cli.match_view import interval_text
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.match.curve import SEEN, Curve, Point, latest_points, points_so_far
from heatmap_engine.match.playing import play_match
from heatmap_engine.match.standing import MatchStanding

Match = tuple[Point, MatchStanding]

# Of each of the two matches; after few games of a run fewer, so that measuring takes less time than learning.
_MOST_GAMES, _FEWEST_GAMES = 100, 4
_SHARE_OF_RUN = 0.25
_OPENINGS = {True: "openings that it has seen", False: "openings that it has not seen"}


class Measuring:
    """Plays the matches of a run when it is told to, and knows the outcome of the last ones."""

    def __init__(self, folder: RunFolder, workers: int, should_stop: Callable[[], bool]) -> None:
        self._folder = folder
        self._workers = workers
        self._should_stop = should_stop
        self.matches = last_matches(folder)

    def measure(self, games_learned: int) -> None:
        """Play both matches on the table as it is; who stops them finds them begun the next time."""
        games = min(_MOST_GAMES, max(_FEWEST_GAMES, 2 * round(_SHARE_OF_RUN * games_learned / 2)))
        played: list[Match] = []
        for point in Curve(self._folder, games).points_now():
            standing = play_match(point.folder, self._workers, report=warn, should_stop=self._should_stop)
            if not standing.is_over:
                return
            played.append((point, standing))
        self.matches = played

    def line(self) -> str | None:
        return strength_line(self.matches)


def last_matches(folder: RunFolder) -> list[Match]:
    """The last matches of a run that were finished."""
    return _finished(latest_points(folder))


def matches_so_far(folder: RunFolder) -> list[Match]:
    """All matches of a run that were finished, the fewest games first."""
    return _finished(points_so_far(folder))


def _finished(points: Sequence[Point]) -> list[Match]:
    found = [(point, point.folder.standing()) for point in points]
    return [(point, standing) for point, standing in found if standing.is_over]


def strength_line(matches: Sequence[Match]) -> str | None:
    """How much stronger the engine has become, on openings that it has not seen and on those that it has."""
    if not matches:
        return None
    ranked = sorted(matches, key=lambda match: match[0].part == SEEN)
    return f"after {ranked[0][0].games_learned:,} games, against the untrained engine: " + "; ".join(
        _of_match(*match) for match in ranked
    )


def _of_match(point: Point, standing: MatchStanding) -> str:
    strength = standing.strength
    elo = "not defined" if strength.elo is None else f"{strength.elo:+.0f}"
    results = f"{standing.wins}-{standing.draws}-{standing.losses}"
    openings = _OPENINGS[point.part == SEEN]
    return f"Elo {elo} ({interval_text(strength)}) on {openings} (won-drawn-lost {results})"


def strength_json(matches: Sequence[Match]) -> list[dict[str, Any]]:
    return [point.as_json(standing) for point, standing in matches]
