"""A batch of games: where tasks come from, who works on them, and the one who writes.

What a batch has done is in the table and nowhere else: the journal names every game whose changes are in
it. So a batch that was stopped or killed is simply run again.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Protocol, TypeVar

from heatmap_engine.engines.mode import mode_of_meaning
from heatmap_engine.memory.lesson import Learned, record_lesson
from heatmap_engine.workers.pool import Lost, Pool
from qtable import QTable


class GameTask(Protocol):
    """What a worker makes a finished game of."""

    @property
    def place(self) -> str:
        """Which game it is, in the user's words."""
        ...


AnyGameTask = TypeVar("AnyGameTask", bound=GameTask)
Record = Callable[[Learned, QTable], bool]


@dataclass(slots=True)
class Tally:
    """What a batch has come to so far."""

    learned: int = 0
    elsewhere: int = 0
    """Games that another process has learned meanwhile: their changes were thrown away."""
    lost: int = 0
    """Games that ended the processes that tried them."""
    positions: int = 0
    """Positions of the learned games at which a move was picked again."""
    recorded: int = 0
    """Entries recorded, added up over the games."""
    seconds: float = 0.0

    def add(self, other: "Tally") -> None:
        """Count what another run has come to as well."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))

    @property
    def games_per_second(self) -> float:
        return self.learned / self.seconds if self.seconds else 0.0


def run_batch(
    tasks: Iterable[AnyGameTask],
    pool: Pool[AnyGameTask, Learned],
    table: QTable,
    when_done: Callable[[AnyGameTask], None] = lambda task: None,
    report: Callable[[str], None] = lambda message: None,
    record: Record = record_lesson,
) -> Tally:
    """Have `pool` do the tasks and write what they come to into `table`, each game in one transaction.

    `report` hears of what went wrong. `record` writes a game, and says whether it was new to the table.
    """
    tally = Tally()
    begin = time.monotonic()
    everywhere = mode_of_meaning(table.settings).generalizer(table)
    with pool:
        for task, outcome in pool.results(tasks):
            if isinstance(outcome, Lost):
                tally.lost += 1
                report(f"{task.place} was given up: it ended its workers ({outcome.how})")
            elif _is_written(outcome, table, tally, record):
                pool.recorded(outcome.changes)
                everywhere.game_recorded()
            tally.seconds = time.monotonic() - begin
            when_done(task)
    everywhere.finish()
    return tally


def _is_written(game: Learned, table: QTable, tally: Tally, record: Record) -> bool:
    if not record(game, table):
        tally.elsewhere += 1
        return False
    tally.learned += 1
    tally.positions += len(game.game.record.moves)
    tally.recorded += len(game.changes)
    return True
