"""The deep search over fixed positions: its signature, its speed, and its speed against our own perft.

    python benchmarks/deep_bench.py --depth 12 --threads 1
    python benchmarks/deep_bench.py --depth 12 --middlegame --record benchmarks/records/deep_bench.jsonl
    python benchmarks/deep_bench.py --depth 16 --threads 2 --against-one 2

The signature is the number of nodes at one thread: it changes with any change of search or evaluation. The
ratio holds moves played a second against the moves a second that perft makes in the same run, so that a busy
machine weighs on both. `--middlegame` searches the positions of `middlegames.txt` too, and prints each one's
processor time to the depth. `--against-one` says how much faster than one thread several reach the depth in
the middlegames, by the clock on the wall: it wants an idle machine. `--record` appends the figures and the
commit to a file, as a line of JSON.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from statistics import geometric_mean

import chess

from heatmap_engine.board.perft import perft
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.deep.weights import DeepWeights, learned_weights, load_weights
from heatmap_engine.limits import Limits
from heatmap_engine.uci.bench import POSITIONS

PERFT_DEPTH = 5
MIDDLEGAMES = Path(__file__).with_name("middlegames.txt")


@dataclass(frozen=True)
class Figures:
    """What searching a set of positions to a depth took."""

    nodes: int
    busy_s: float
    position_ms: tuple[float, ...]
    """Processor time for each position: on a busy machine the clock on the wall says nothing."""

    @property
    def speed(self) -> float:
        """Nodes a second of processor time: for each core, however many threads there are."""
        return self.nodes / self.busy_s


def searched(search: DeepSearch, fens: Sequence[str], depth: int) -> Figures:
    """Each position from an empty table; emptying it is not counted, which is a fifth of a short search."""
    nodes, busy, times = 0, 0.0, []
    for fen in fens:
        search.clear()
        started = time.process_time()
        nodes += search.search(fen, Limits(depth=depth)).nodes
        spent = time.process_time() - started
        busy += spent
        times.append(round(1000 * spent, 1))
    return Figures(nodes, round(busy, 4), tuple(times))


def times_as_fast(weights: DeepWeights, fens: Sequence[str], depth: int, threads: int, rounds: int) -> str:
    """The time of one thread to a depth divided by that of several, which differs from run to run."""
    one, several = (DeepSearch(weights, hash_mib=64, threads=count) for count in (1, threads))
    ones, ratios, several_s = 0.0, [], 0.0
    for fen in fens:
        for _ in range(rounds):
            alone, together = (seconds_to(search, fen, depth) for search in (one, several))
            ones, several_s = ones + alone, several_s + together
            ratios.append(alone / together)
    return (
        f"{threads} threads reach depth {depth} in {len(fens)} middlegames, {rounds} times each, "
        f"{ones / several_s:.2f} times as fast as one; geometric mean {geometric_mean(ratios):.2f}"
    )


def seconds_to(search: DeepSearch, fen: str, depth: int) -> float:
    search.clear()
    return search.search(fen, Limits(depth=depth)).seconds


def perft_speed() -> float:
    """Moves that perft makes in a second; it plays the inner ones and counts the last ply."""
    started = time.process_time()
    sequences = sum(perft(chess.STARTING_FEN, depth) for depth in range(1, PERFT_DEPTH))
    perft(chess.STARTING_FEN, PERFT_DEPTH)
    return sequences / (time.process_time() - started)


def commit() -> str:
    """The commit of this folder, with a + where files differ from it."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    folder = Path(__file__).parent
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def record(path: Path, args: argparse.Namespace, figures: dict[str, Figures], ratio: float) -> None:
    line = {
        "date": str(date.today()),
        "commit": commit(),
        "machine": f"{platform.machine()}, CPython {platform.python_version()}",
        "depth": args.depth,
        "threads": args.threads,
        "perft_ratio": round(ratio, 4),
        **{
            name: {**asdict(found), "nodes_per_second": round(found.speed)} for name, found in figures.items()
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", help="a file; the engine's own without it")
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--middlegame", action="store_true", help="search the middlegames too")
    parser.add_argument("--against-one", type=int, metavar="ROUNDS", help="only time threads against one")
    parser.add_argument("--record", type=Path, metavar="FILE", help="append the figures as a line of JSON")
    args = parser.parse_args()
    weights = load_weights(args.weights) if args.weights else learned_weights()
    middlegames = tuple(MIDDLEGAMES.read_text(encoding="utf-8").splitlines())
    if args.against_one:
        compared = times_as_fast(weights, middlegames, args.depth, args.threads, args.against_one)
        sys.stdout.write(compared + "\n")
        return
    search = DeepSearch(weights, hash_mib=16, threads=args.threads)
    sets: dict[str, tuple[str, ...]] = {"bench": POSITIONS}
    if args.middlegame:
        sets["middlegame"] = middlegames
    figures = {name: searched(search, fens, args.depth) for name, fens in sets.items()}
    ratio = figures["bench"].speed / perft_speed()
    lines = [f"signature {figures['bench'].nodes}, {ratio:.3f} x perft"]
    for name, found in figures.items():
        lines += [
            f"{name}: {found.speed / 1e6:.2f} million nodes per second of processor time; "
            f"{found.busy_s:.2f} s for depth {args.depth} on {len(sets[name])} positions, each in ms:",
            "  " + " ".join(f"{spent:.0f}" for spent in found.position_ms),
        ]
    sys.stdout.write("\n".join(lines) + "\n")
    if args.record:
        record(args.record, args, figures, ratio)


if __name__ == "__main__":
    main()
