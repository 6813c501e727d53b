"""The deep search over fixed positions: its signature, its speed, and its speed against our own perft.

    python benchmarks/deep_bench.py --weights FILE --depth 12 --threads 1

The signature is the number of nodes at one thread: it changes with any change of search or evaluation.
The ratio holds moves played a second against the moves a second that perft makes in the same run, so that
a busy machine weighs on both.
"""

import argparse
import time

import chess

from heatmap_engine.deep import DeepLimits, DeepSearch
from heatmap_engine.heat_weights import CMHM2, load_weights
from heatmap_engine.scoring import perft
from heatmap_engine.uci.bench import POSITIONS

PERFT_DEPTH = 5


def perft_speed() -> float:
    """Moves that perft makes in a second; it plays the inner ones and counts the last ply."""
    started = time.process_time()
    sequences = sum(perft(chess.STARTING_FEN, depth) for depth in range(1, PERFT_DEPTH))
    perft(chess.STARTING_FEN, PERFT_DEPTH)
    return sequences / (time.process_time() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights")
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    weights = load_weights(args.weights) if args.weights else CMHM2.scaled(8)
    search = DeepSearch(weights, hash_mib=16, threads=args.threads)
    nodes = 0
    wall, busy = time.perf_counter(), time.process_time()
    for fen in POSITIONS:
        search.clear()
        nodes += search.search(fen, DeepLimits(depth=args.depth)).nodes
    wall, busy = time.perf_counter() - wall, time.process_time() - busy
    speed = nodes / busy
    lines = [
        f"signature {nodes}",
        f"{speed / 1e6:.2f} million nodes per second of processor time, {speed / perft_speed():.3f} x perft",
        f"{wall:.2f} s for depth {args.depth} on {len(POSITIONS)} positions",
    ]
    print("\n".join(lines))  # noqa: T201 - a script prints


if __name__ == "__main__":
    main()
