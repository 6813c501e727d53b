"""Doing tasks with a pool and writing down what becomes of each, once."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from games.lines import LineFile
from heatmap_engine.tuning.folder import add_line, lines_of
from heatmap_engine.tuning.tasks import Line, TuneTask
from heatmap_engine.workers.pool import Lost, Pool

TunePool: TypeAlias = Pool[TuneTask, Line]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is: what it does in which round, and how far that is."""

    round: int
    doing: str
    done: int = 0
    of: int | None = None


@dataclass(slots=True)
class TuneSession:
    """A pool, and whom to tell; once `should_stop` says so, only what is running is finished."""

    pool: TunePool
    when_done: Callable[[Progress], None] = lambda progress: None
    should_stop: Callable[[], bool] = lambda: False
    report: Callable[[str], None] = lambda message: None
    is_stopped: bool = False
    lost: int = 0
    """Tasks that ended the processes which tried them; they are tried again when the run goes on."""

    def do(self, tasks: Iterable[TuneTask], file: LineFile, progress: Progress) -> bool:
        """Do the tasks that the file does not have; whether it has all of them now.

        The file has no other tasks' lines with keys of these.
        """
        keys = {line["key"] for line in lines_of(file)}
        missing = self._missing(tasks, keys, progress)
        lost_before = self.lost
        for task, line in self.pool.results(missing):
            if isinstance(line, Lost):
                self.lost += 1
                self.report(f"{task.place} was given up: it ended its workers ({line.how})")
                continue
            add_line(file, line)
            keys.add(task.key)
            progress = replace(progress, done=progress.done + 1)
            self.when_done(progress)
        return not self.is_stopped and self.lost == lost_before

    def _missing(self, tasks: Iterable[TuneTask], keys: set[str], progress: Progress) -> Iterator[TuneTask]:
        for task in tasks:
            if task.key in keys:
                continue
            if self.should_stop():
                self.is_stopped = True
                return
            yield task
