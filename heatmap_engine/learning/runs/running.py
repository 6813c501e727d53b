"""Playing a run on, from whatever is done of it to its end or until it is asked to stop."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path

import chess

from games.chess.journal import LearnedGame
from games.chess.record import GameRecord
from heatmap_engine.errors import InvalidRun
from heatmap_engine.learning.batch import Tally, run_batch
from heatmap_engine.learning.runs.checkpoints import Marks
from heatmap_engine.learning.runs.config import RunConfig
from heatmap_engine.learning.runs.folder import FolderRecorder, RunFolder, journal_of_run
from heatmap_engine.learning.runs.measurement import RunMeasurement
from heatmap_engine.learning.runs.summary import RunSummary
from heatmap_engine.learning.selfplay import SelfPlayGame
from heatmap_engine.memory.game_results import learner_of
from heatmap_engine.memory.lesson import Learned
from heatmap_engine.memory.tables import open_table
from heatmap_engine.workers.pool import Pool
from qtable import QTable
from qtable.errors import DuplicateJournalLine, TableBusy
from qtable.pruning import Limits, prune

# A run waits for another writer of its table so long, asking again every second.
_PATIENCE_S = 600
_WRITE_TIMEOUT_S = 1.0
_SECONDS_AN_HOUR = 3600.0
# Of a table that is held at a size so much stays when it is full. Which entries are worth least is asked of
# all of them, which would take too long after each game.
_KEPT_WHEN_FULL = 0.8


def open_run_table(config: RunConfig, *, must_exist: bool) -> QTable:
    """The table of a run, to be written; it must hold values of the run's settings."""
    path = Path(config.table)
    if must_exist and not path.exists():
        raise InvalidRun(f"the table of the run is gone: expected it at {path}; --table says where it is now")
    return open_table(path, config.search, timeout_s=_WRITE_TIMEOUT_S)


def place_of_line(game: int, lines: int) -> int:
    """With which of a run's lines the game of this number begins; after the last comes the first again."""
    return (game - 1) % lines


class Run:
    """A run that is going on in this process, the one writer of its games.

    Making it brings the folder up to what the table's journal says.
    """

    def __init__(
        self,
        folder: RunFolder,
        table: QTable,
        report: Callable[[str], None] = lambda message: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.config = folder.config
        self.summary = RunSummary()
        self.is_stopped = False
        self._folder = folder
        self._table = table
        self._report = report
        self._clock = clock
        self._files = folder.recorder()
        self._marks = Marks.parse(self.config.checkpoints)
        self._done = set[int]()
        for measurement in _restored(folder, table, self._files, report):
            self.summary.add(measurement)
            self._done.add(measurement.game)
        self._seconds_before = self.summary.seconds
        self._begin = clock()
        self._hold_size()  # which a killed process may have owed, as it may a checkpoint
        self._make_checkpoint()

    @property
    def seconds(self) -> float:
        """How long the run has been running, without its pauses."""
        return self._seconds_before + self._clock() - self._begin

    @property
    def is_at_checkpoint(self) -> bool:
        """Whether the last game is one after which a copy of the table is made."""
        return self.summary.games in self._marks

    @property
    def fraction(self) -> float:
        """How much of the run is over, by its games or by its hours."""
        if self.config.games is not None:
            return self.summary.games / self.config.games
        return min(1.0, self.seconds / (self.config.length * _SECONDS_AN_HOUR))

    @property
    def is_finished(self) -> bool:
        return self.fraction >= 1.0

    def play(
        self,
        pool: Pool[SelfPlayGame, Learned],
        when_recorded: Callable[[RunMeasurement], None] = lambda measurement: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> Tally:
        """Play the games that are missing; once `should_stop` says so, only finish those that are running."""

        def record(game: Learned, table: QTable) -> bool:
            measurement = self._recorded(game, table)
            if measurement is not None:
                when_recorded(measurement)
            return measurement is not None

        games = self._games(should_stop)
        return run_batch(games, pool, self._table, report=self._report, record=record)

    def _games(self, should_stop: Callable[[], bool]) -> Iterator[SelfPlayGame]:
        openings = self._folder.openings()
        settings = self.config.play_settings()
        opponents = self.config.opposing_sides
        number = 0
        while not self._is_out_of_games(number):
            number += 1
            if number in self._done:
                continue
            if should_stop():
                self.is_stopped = True
                return
            line = place_of_line(number, len(openings))
            passes = (number - 1) // len(openings)
            # The colours take turns from game to game, and every line meets the other from pass to pass.
            explorer = (line + passes) % 2 == 0
            white, black = self._epsilons(number, explorer)
            today = f"{date.today():%Y.%m.%d}"
            # Each opponent meets every line with both colours before the next one comes.
            opponent = opponents[passes // 2 % len(opponents)] if opponents else None
            yield SelfPlayGame(
                number,
                openings[line],
                white,
                black,
                today,
                settings,
                opponent,
                None if opponent is None else explorer,
            )

    def _is_out_of_games(self, number: int) -> bool:
        if self.config.games is not None:
            return number >= self.config.games
        return self.is_finished

    def _epsilons(self, number: int, explorer: chess.Color) -> tuple[float, float]:
        """The shares of random moves of both sides; by the number, so that a resumed run goes on alike."""
        length = self.config.first_length or self.config.length
        if self.config.games is not None:
            fraction = (number - 1) / max(1, length - 1)
        else:
            fraction = self.seconds / (length * _SECONDS_AN_HOUR)
        epsilon = self.config.epsilon(fraction)
        if self.config.explorers == "both":
            return epsilon, epsilon
        return (epsilon, 0.0) if explorer == chess.WHITE else (0.0, epsilon)

    def _recorded(self, game: Learned, table: QTable) -> RunMeasurement | None:
        """Record a game and its journal line in one transaction, then in the folder's files."""
        learned = self._learned_patiently(game, table)
        if learned is None:
            return None
        measurement = self._files.add(learned)
        self.summary.add(measurement)
        if fault := _fault_of(learned.record):
            self._report(fault)
        self._hold_size()
        self._make_checkpoint()
        return measurement

    def _learned_patiently(self, game: Learned, table: QTable) -> LearnedGame | None:
        deadline = self._clock() + _PATIENCE_S
        has_reported = False
        while True:
            try:
                return self._learned(game, table)
            except TableBusy as error:
                if self._clock() > deadline:
                    raise
                if not has_reported:
                    self._report(f"waiting for another writer: {error}")
                    has_reported = True

    def _learned(self, game: Learned, table: QTable) -> LearnedGame | None:
        """The game as the journal has it now, with what the table has gained; None if it had it before."""
        try:
            with table.transaction():
                before = len(table)
                table.record(game.changes)
                new = len(table) - before
                figures = {
                    "new": new,
                    "changed": len(game.changes) - new,
                    "entries": before + new,
                    "table_bytes": table.file_bytes(),
                    "seconds": round(self.seconds, 3),
                }
                learned = game.with_figures(figures, added=int(time.time())).game
                table.record({}, [learned.to_line()])
        except DuplicateJournalLine:
            return None
        return learned

    def _hold_size(self) -> None:
        """Take entries out of a table that is too full; if another process writes, the next game does it."""
        most = self.config.most_entries
        if most is not None and len(self._table) > most:
            with suppress(TableBusy):
                prune(self._table, Limits(), keep_at_most=int(most * _KEPT_WHEN_FULL))

    def _make_checkpoint(self) -> None:
        if self.is_at_checkpoint:
            self._folder.checkpoints.make(self._table, self.summary.games)


def _fault_of(record: GameRecord) -> str | None:
    """What an opponent did wrong, if that has ended a game, of which then no result counts."""
    learner = learner_of(record)
    if record.result != "*" or learner is None:
        return None
    opponent = record.black if learner == chess.WHITE else record.white
    return f"game {record.round} has no result, because of its opponent {opponent}: {record.termination}"


def _restored(
    folder: RunFolder, table: QTable, files: FolderRecorder, report: Callable[[str], None]
) -> list[RunMeasurement]:
    """All that was measured, after the files have got what only the journal had."""
    in_journal = set()
    for line in journal_of_run(table, folder.config.run):
        if not files.has(line.id):
            files.add(LearnedGame.from_line(line))
        in_journal.add(line.id)
    measurements = [*folder.measurements()]
    if measurements and not in_journal:
        raise InvalidRun(
            f"{table.path} has none of the {len(measurements)} games of the run, so it is not its table; "
            "--table says where that is now"
        )
    missing = sum(measurement.id not in in_journal for measurement in measurements)
    if missing:
        report(
            f"{missing} of the run's games are not in the journal of {table.path}: they were forgotten, or "
            f"the table is an older copy; to learn them again: heatmap-engine learn {folder.games_pgn}"
        )
    return measurements
