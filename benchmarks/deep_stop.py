"""From `stop` to `bestmove` in deep mode, through the pipes of a GUI: the goal is 10 ms.

    python benchmarks/deep_stop.py --times 100

Middlegames are searched without limits and stopped after 0.05 to 0.5 s, with each number of threads and of
lines. Prints the median, the 90th percentile and the worst, in ms, and what `isready` takes meanwhile: this
is what the machine and the pipes cost alone.
"""

import argparse
import random
import statistics
import subprocess
import sysconfig
import time
from pathlib import Path

POSITIONS = Path(__file__).with_name("middlegames.txt").read_text().splitlines()


class Engine:
    """The installed command, spoken to line by line."""

    def __init__(self, *options: str) -> None:
        command = str(Path(sysconfig.get_path("scripts")) / "heatmap-engine-uci")
        self._process = subprocess.Popen(
            [command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        for option in ("QTable value <none>", *options):
            self.send(f"setoption name {option}")
        self.ms_to("isready", "readyok")

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def ms_to(self, line: str, answer: str) -> float:
        assert self._process.stdout is not None
        started = time.perf_counter()
        self.send(line)
        while not self._process.stdout.readline().startswith(answer):
            pass
        return 1e3 * (time.perf_counter() - started)

    def close(self) -> None:
        self.send("quit")
        self._process.wait()


def measured(threads: int, lines: int, times: int) -> tuple[list[float], list[float]]:
    engine, source = Engine(f"Threads value {threads}", f"MultiPV value {lines}"), random.Random(1)
    stops, readies = [], []
    for _ in range(times):
        engine.send(f"position fen {source.choice(POSITIONS)}")
        engine.send("go infinite")
        time.sleep(source.uniform(0.05, 0.25))
        readies.append(engine.ms_to("isready", "readyok"))
        time.sleep(source.uniform(0.0, 0.25))
        stops.append(engine.ms_to("stop", "bestmove"))
    engine.close()
    return stops, readies


def shown(times: list[float]) -> str:
    return f"{statistics.median(times):.1f} {sorted(times)[int(0.9 * len(times))]:.1f} {max(times):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=100)
    args = parser.parse_args()
    for threads, lines in ((1, 1), (2, 1), (1, 4)):
        stops, readies = measured(threads, lines, args.times)
        print(  # noqa: T201 - a script prints
            f"{threads} threads, {lines} lines: stop {shown(stops)} ms, isready {shown(readies)} ms"
        )


if __name__ == "__main__":
    main()
