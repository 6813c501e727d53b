"""Games of self-play per second, learning included, and the memory of the writer and of its workers.

    python benchmarks/selfplay_speed.py [--entries 1000000] [--games 200] [--rounds 3] [--table FILE]

First self-play fills a table with so many entries (about 130 games for a million), unless FILE has them.
Every measured run then learns, with default settings, into a copy of it: with one worker, in turns with two.
Speed is taken between the first and the last game recorded, so that starting processes does not count. Memory
is what /proc says is resident, sampled all the time, and shown for each quarter of a run: it should be flat.
For the memory of a long run: --rounds 1 --games 2000.
"""

import argparse
import json
import os
import statistics
import subprocess
import sysconfig
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click

from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.memory.tables import open_table
from qtable import QTable

_COMMAND = Path(sysconfig.get_path("scripts")) / "heatmap-engine"
_GAMES_OF_A_FILLING = 50
_SAMPLES_EVERY_S = 0.1
_QUARTERS = 4


def fill(path: Path, entries: int, folder: Path) -> None:
    """Learn into a table until it has so many entries."""
    with open_table(path, ClassicSettings()) as table:
        while len(table) < entries:
            run = folder / f"filling-{len(table)}"
            words = [
                "--games",
                str(_GAMES_OF_A_FILLING),
                "--run",
                run,
                "--table",
                path,
                "--checkpoints",
                "none",
            ]
            subprocess.run([_COMMAND, "selfplay", *words], check=True, stdout=subprocess.DEVNULL)


class Memory:
    """Samples what a process and its children have resident, in MiB, until it is closed."""

    def __init__(self, process: int) -> None:
        self.quarter = 0
        self.largest: dict[tuple[str, int], float] = defaultdict(float)
        self._process = process
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample_on)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()

    def _sample_on(self) -> None:
        while not self._ended.wait(_SAMPLES_EVERY_S):
            self._note("writer", resident_mib(self._process))
            for worker in workers_of(self._process):
                self._note("worker", resident_mib(worker))

    def _note(self, who: str, mib: float) -> None:
        place = who, self.quarter
        self.largest[place] = max(self.largest[place], mib)

    def of(self, who: str) -> str:
        return ", ".join(f"{self.largest[who, quarter]:.0f}" for quarter in range(_QUARTERS))


def resident_mib(process: int) -> float:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0  # it has ended
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def workers_of(process: int) -> Iterator[int]:
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        for child in children:
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                yield int(child)
    except OSError:
        return  # it has ended


def games_per_second(table: Path, folder: Path, workers: int, games: int, seed: int) -> tuple[float, Memory]:
    """One run on a copy of the table."""
    copy, run = folder / f"copy-{workers}-{seed}", folder / f"run-{workers}-{seed}"
    with QTable(table, readonly=True) as original:
        original.backup(copy)
    words = ["--games", games, "--workers", workers, "--seed", seed, "--table", copy, "--run", run, "--json"]
    process = subprocess.Popen(
        [_COMMAND, "selfplay", "--checkpoints", "none", *map(str, words)], stdout=subprocess.PIPE
    )
    memory = Memory(process.pid)
    seconds = []
    assert process.stdout is not None
    for line in process.stdout:
        measured = json.loads(line)
        if "game" in measured:
            memory.quarter = min(_QUARTERS - 1, len(seconds) * _QUARTERS // games)
            seconds.append(measured["seconds"])
    memory.close()
    assert process.wait() == 0
    copy.unlink()
    return (len(seconds) - 1) / (seconds[-1] - seconds[0]), memory


def compare(table: Path, folder: Path, games: int, rounds: int) -> None:
    speeds = defaultdict(list)
    for seed in range(rounds):
        for workers in (1, 2):
            speed, memory = games_per_second(table, folder, workers, games, seed)
            speeds[workers].append(speed)
            shown = f"worker {memory.of('worker')}; writer {memory.of('writer')}"
            if workers == 1:
                shown = f"the one process {memory.of('writer')}"
            click.echo(f"{workers} workers: {speed:.2f} games/s; MiB by quarters of the run: {shown}")
    one, two = (statistics.median(speeds[workers]) for workers in (1, 2))
    click.echo(f"median: 1 worker {one:.2f} games/s, 2 workers {two:.2f} games/s, ratio {two / one:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--table", type=Path, help="filled if it is not there, and kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = options.table or folder / "filled.table"
        fill(table, options.entries, folder)
        with QTable(table, readonly=True) as filled:
            click.echo(f"a table of {len(filled):,} entries, {filled.file_bytes() / 1e6:.0f} MB")
        compare(table, folder, options.games, options.rounds)


if __name__ == "__main__":
    main()
