"""The learning curve of a run: its checkpoints, one after the other, against the untrained engine.

Each checkpoint plays two matches: on the openings that the run began with, and on lines of our suite that it
never saw. They lie in the run's folder below `curve/`; what was played is not played again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from games.openings import Opening, load_openings
from heatmap_engine.learning.match.folder import MatchFolder
from heatmap_engine.learning.match.plan import Plan
from heatmap_engine.learning.match.sides import OurSide
from heatmap_engine.learning.match.standing import Standing
from heatmap_engine.learning.playing import Ends
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.folder import RunFolder
from heatmap_engine.learning.runs.running import open_run_table

SEEN, UNSEEN = "seen", "unseen"


@dataclass(frozen=True, slots=True)
class Point:
    """A match of the curve: the checkpoint after so many games, on lines that the run saw, or did not see."""

    games_learned: int
    part: str
    folder: MatchFolder

    def as_json(self, standing: Standing) -> dict[str, Any]:
        """All figures of the match, with its place on the curve."""
        return {"games_learned": self.games_learned, "part": self.part, **standing.as_json()}


class Curve:
    """The matches of a run's checkpoints; made in the run's folder, or gone on with."""

    def __init__(self, run: RunFolder, games: int) -> None:
        self._run = run
        self._games = games
        self._parts = {part: lines for part, lines in _lines(run) if lines}

    def points(self) -> Iterator[Point]:
        """The matches in the order in which they are to be played."""
        for games_learned, table in self._run.checkpoints:
            for part, lines in self._parts.items():
                yield Point(games_learned, part, self._folder(games_learned, table, part, lines))

    def _folder(self, games_learned: int, table: Path, part: str, lines: Sequence[Opening]) -> MatchFolder:
        path = self._run.path / "curve" / f"games-{games_learned:06}-{part}"
        if not (path / "match.json").exists():
            return MatchFolder.create(path, self._plan(games_learned, table, part, lines))
        folder = MatchFolder.open(path)
        side = self._plan(games_learned, table, part, lines).first  # the run's folder may have been moved
        folder.change(replace(folder.plan, first=side, games=max(self._games, folder.plan.games)))
        return folder

    def _plan(self, games_learned: int, table: Path, part: str, lines: Sequence[Opening]) -> Plan:
        config = self._run.config
        return Plan(
            _side(f"after {games_learned} games", table.resolve(), config),
            _side("untrained", None, config),
            self._games,
            openings=part,
            lines=tuple(lines),
            ends=Ends(config.max_plies),
            # The same for each checkpoint, so that all of them play the same openings.
            seed=config.seed,
        )


def make_last_checkpoint(run: RunFolder) -> None:
    """Copy the table as it is now, unless there is a checkpoint for so many games or the run goes on."""
    games = sum(1 for _ in run.measurements())
    if games not in dict(run.checkpoints):
        with run.locked(), open_run_table(run.config, must_exist=True) as table:
            run.checkpoints.make(table, games)


def _side(name: str, table: Path | None, config: RunConfig) -> OurSide:
    return OurSide(name, table, config.plies, config.tactical_plies, config.heat_depth, config.weights)


def _lines(run: RunFolder) -> Iterator[tuple[str, Sequence[Opening]]]:
    seen = run.openings()
    known = {opening.board().fen() for opening in seen}
    yield SEEN, seen
    yield UNSEEN, [line for line in load_openings() if line.board().fen() not in known]
