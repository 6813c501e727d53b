"""The learning curve of a run: its checkpoints, one after the other, against the untrained engine.

Each checkpoint plays two matches: on the lines that its games began with, which are few after few games, and
on lines of our suite that are none of the run's. The matches lie in the run's folder below `curve/`; what was
played is not played again.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from games.chess.openings import Opening, load_openings
from heatmap_engine.engines.mode import mode_named
from heatmap_engine.errors import MatchError
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.running import open_run_table, place_of_line
from heatmap_engine.match.folder import MatchFolder
from heatmap_engine.match.plan import MatchPlan
from heatmap_engine.match.standing import MatchStanding
from heatmap_engine.players.game_loop import Ends
from heatmap_engine.players.pace import Pace
from heatmap_engine.players.sides import OurSide

SEEN, UNSEEN = "seen", "unseen"
_NAME = re.compile(rf"games-(\d+)-({SEEN}|{UNSEEN})")


@dataclass(frozen=True, slots=True)
class Point:
    """A match of the curve: the checkpoint after so many games, on lines that these saw or that none saw."""

    games_learned: int
    part: str
    folder: MatchFolder

    def as_json(self, standing: MatchStanding) -> dict[str, Any]:
        """All figures of the match, with its place on the curve."""
        return {"games_learned": self.games_learned, "part": self.part, **standing.as_json()}


class Curve:
    """The matches of a run's checkpoints; made in the run's folder, or gone on with."""

    def __init__(self, run: RunFolder, games: int) -> None:
        self._run = run
        self._games = games
        self._openings = run.openings()
        self._unseen = _unseen(self._openings)

    def points(self) -> Iterator[Point]:
        """The matches in the order in which they are to be played."""
        numbers = self._numbers()
        for games_learned, table in self._run.checkpoints:
            yield from self._points_of(numbers[:games_learned], games_learned, table)

    def points_now(self) -> Iterator[Point]:
        """The matches of the run's table as it is, which nobody may write to until they are played."""
        numbers = self._numbers()
        yield from self._points_of(numbers, len(numbers), Path(self._run.config.table))

    def _numbers(self) -> list[int]:
        """The numbers of the run's games, in the order in which they were learned."""
        return [measurement.game for measurement in self._run.measurements()]

    def _points_of(self, numbers: Sequence[int], games_learned: int, table: Path) -> Iterator[Point]:
        parts = {SEEN: self._seen(numbers), UNSEEN: self._unseen}
        for part, lines in parts.items():
            if lines:
                yield Point(games_learned, part, self._folder(games_learned, table, part, lines))

    def _seen(self, games: Sequence[int]) -> Sequence[Opening]:
        """The lines that the games with these numbers began with, in the run's order."""
        places = {place_of_line(game, len(self._openings)) for game in games}
        return [self._openings[place] for place in sorted(places)]

    def _folder(self, games_learned: int, table: Path, part: str, lines: Sequence[Opening]) -> MatchFolder:
        path = self._run.path / "curve" / f"games-{games_learned:06}-{part}"
        if not (path / "match.json").exists():
            return MatchFolder.create(path, self._plan(games_learned, table, part, lines))
        folder = MatchFolder.open(path)
        if {*folder.plan.lines} != {*lines}:
            raise MatchError(
                f"expected the match in {path} to be one on the {len(lines)} lines of this point, got one on "
                f"{len(folder.plan.lines)}: remove that folder to play it anew"
            )
        side = self._plan(games_learned, table, part, lines).first  # the run's folder may have been moved
        folder.change(replace(folder.plan, first=side, games=max(self._games, folder.plan.games)))
        return folder

    def _plan(self, games_learned: int, table: Path, part: str, lines: Sequence[Opening]) -> MatchPlan:
        config = self._run.config
        return MatchPlan(
            _side(f"after {games_learned} games", table.resolve(), config),
            _side("untrained", None, config),
            self._games,
            openings=part,
            lines=tuple(lines),
            ends=Ends(config.max_plies),
            # The same for each checkpoint, so that all of them play the same unseen openings.
            seed=config.seed,
        )


def points_so_far(run: RunFolder) -> list[Point]:
    """The matches that were begun, the fewest games first."""
    found = [
        Point(int(name[1]), name[2], MatchFolder.open(path))
        for path in sorted((run.path / "curve").glob("games-*"))
        if (name := _NAME.fullmatch(path.name)) and (path / "match.json").exists()
    ]
    return sorted(found, key=lambda point: point.games_learned)


def latest_points(run: RunFolder) -> list[Point]:
    """The matches after the most games that were measured so far, as far as they were played."""
    found = points_so_far(run)
    latest = max((point.games_learned for point in found), default=0)
    return [point for point in found if point.games_learned == latest]


def make_last_checkpoint(run: RunFolder) -> None:
    """Copy the table as it is now, unless there is a checkpoint for so many games or the run goes on."""
    games = sum(1 for _ in run.measurements())
    if games not in dict(run.checkpoints):
        with run.locked(), open_run_table(run.config, must_exist=True) as table:
            run.checkpoints.make(table, games)


def _side(name: str, table: Path | None, config: RunConfig) -> OurSide:
    """Limited by effort also where the run's games were by time: a match is then the same on any machine."""
    mode = mode_named(config.mode)
    pace = Pace(nodes=config.nodes) if mode.plays_by_nodes else Pace()
    return OurSide(name, table, config.mode, config.played_with, pace=pace)


def _unseen(openings: Sequence[Opening]) -> Sequence[Opening]:
    """The lines of our suite whose end no line of the run passes or ends at."""
    met = {epd for opening in openings for epd in _positions(opening)}
    return [line for line in load_openings() if line.board().epd() not in met]


def _positions(opening: Opening) -> Iterator[str]:
    board = opening.board()
    yield board.epd()
    while board.move_stack:
        board.pop()
        yield board.epd()
