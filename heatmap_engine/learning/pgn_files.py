"""Learning from PGN files: the games that the journal does not have, and what became of the others."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from games.chess.errors import SkipReason, UnreadableFile
from games.chess.journal import LearnedGame
from games.chess.reading import PlayableGame, SkippedGame, read_games
from heatmap_engine.engines.mode import ModeSettings
from heatmap_engine.learning.batch import Tally, run_batch
from heatmap_engine.learning.games_to_learn import GameLearner, GameToLearn
from heatmap_engine.learning.pools import pool_for
from qtable import QTable

Progress = Callable[[int, int | None], None]


@dataclass(slots=True)
class FilesSummary:
    """What learning from files came to, in games unless the name says otherwise."""

    tally: Tally = field(default_factory=Tally)
    known: int = 0
    """Passed over, because the table has learned from them before."""
    skipped: Counter[SkipReason] = field(default_factory=Counter)
    """Passed over, because they cannot be played."""
    unreadable: list[str] = field(default_factory=list)
    """The files that could not be read to their end, or in which nothing is a game."""
    is_stopped: bool = False


def learn_files(
    paths: Sequence[str | Path],
    table: QTable,
    settings: ModeSettings,
    workers: int | None = None,
    *,
    cluster: str | None = None,
    force: bool = False,
    progress: Progress = lambda done, total: None,
    report: Callable[[str], None] = lambda message: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> FilesSummary:
    """Learn from the games of PGN files, "-" for standard input; games learned before only if `force`.

    `workers` and `cluster` are `pool_for`'s.

    `progress` hears of games done and of about how many, going by the bytes; `report` of each game that
    cannot be played, and of files that cannot be read. Once `should_stop` says so, only the games that are
    being worked on are finished.
    """
    games = _GamesToLearn(paths, table, settings, force, progress, report, should_stop)
    pool = pool_for(GameLearner, table, settings, workers, cluster, report)
    games.summary.tally = run_batch(games, pool, table, games.is_done, report)
    return games.summary


@dataclass(slots=True)
class _GamesToLearn:
    """The games of the files that there is something to learn from; counts the others."""

    paths: Sequence[str | Path]
    table: QTable
    settings: ModeSettings
    force: bool
    progress: Progress
    report: Callable[[str], None]
    should_stop: Callable[[], bool]
    summary: FilesSummary = field(default_factory=FilesSummary)
    in_work: set[str] = field(default_factory=set)
    bytes_total: int | None = field(init=False)
    bytes_before: int = 0
    position: int = 0
    games_read: int = 0
    games_done: int = 0

    def __post_init__(self) -> None:
        self.bytes_total = _bytes_of(self.paths)

    def __iter__(self) -> Iterator[GameToLearn]:
        for path in self.paths:
            try:
                yield from self._of_file(path)
            except UnreadableFile as error:
                self.summary.unreadable.append(str(path))
                self.report(str(error))
            if self.summary.is_stopped:
                return

    def _of_file(self, path: str | Path) -> Iterator[GameToLearn]:
        number, has_playable = 0, False
        with read_games(path) as reader:
            for game in reader:
                # Asked here and not after the game: with nothing left to do, nothing was stopped.
                if self.should_stop():
                    self.summary.is_stopped = True
                    return
                self.games_read += 1
                number, has_playable = game.number, has_playable or isinstance(game, PlayableGame)
                # Plain files are read ahead of the game, and compressed ones are shorter than their games.
                self.position = self.bytes_before + min(reader.bytes_read, game.resume.offset)
                task = self._task(game, f"{path}: game {game.number}")
                if task is None:
                    self._show_done()
                else:
                    yield task
            self.bytes_before += reader.bytes_read
        if number and not has_playable:
            raise UnreadableFile(f"{path}: expected games in PGN, found none that can be played")

    def _task(self, game: PlayableGame | SkippedGame, place: str) -> GameToLearn | None:
        if isinstance(game, SkippedGame):
            self.summary.skipped[game.reason] += 1
            self.report(f"{place} was skipped, {game.reason}: {game.detail}")
            return None
        game_id = game.record.game_id
        line = self.table.journal_line(game_id)
        if game_id in self.in_work or (line is not None and not self.force):
            self.summary.known += 1
            return None
        self.in_work.add(game_id)
        walks_before = 0 if line is None else LearnedGame.from_line(line).walks
        return GameToLearn(game.record, self.settings, walks_before, place=place)

    def is_done(self, game: GameToLearn) -> None:
        self.in_work.remove(game.record.game_id)
        self._show_done()

    def _show_done(self) -> None:
        self.games_done += 1
        expected = None
        if self.bytes_total is not None:  # as many games in the bytes to come as in those before
            expected = max(self.games_read, self.games_read * self.bytes_total // self.position)
        self.progress(self.games_done, expected)


def _bytes_of(paths: Sequence[str | Path]) -> int | None:
    """The size of all files together; None if one is a stream."""
    total = 0
    for path in paths:
        if str(path) == "-" or not Path(path).is_file():
            return None
        total += Path(path).stat().st_size
    return total
