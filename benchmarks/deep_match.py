"""A match of the deep search against itself with other weights or fewer techniques, at fixed nodes a move.

    python benchmarks/deep_match.py --games 400 --nodes 5000 --second-without reductions
    python benchmarks/deep_match.py --first-weights new.json --second-weights old.json

Each opening is played twice with colours changed. Fixed nodes make the games the same on every machine, and
leave aside what a technique costs in time. Prints wins, draws and losses of the first side, Elo and its 95 %.
"""

import argparse
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from games.openings import Opening, load_openings
from heatmap_engine.deep import EVERY_TECHNIQUE, DeepLimits, DeepSearch
from heatmap_engine.heat_weights import CMHM2, DeepWeights, load_weights

DECIDED = 1200  # both sides agree for this many units, on four plies running
MOST_PLIES = 300


@dataclass(frozen=True)
class Side:
    weights: DeepWeights
    techniques: tuple[str, ...]
    nodes: int

    def search(self) -> DeepSearch:
        return DeepSearch(self.weights, hash_mib=8, techniques=self.techniques)


def play(opening: Opening, white: tuple[DeepSearch, int], black: tuple[DeepSearch, int]) -> float:
    """White's points."""
    board = opening.board()
    for searcher, _ in (white, black):
        searcher.clear()
    decided = 0
    while board.ply() < MOST_PLIES:
        outcome = board.outcome(claim_draw=True)
        if outcome is not None:
            return {True: 1.0, False: 0.0, None: 0.5}[outcome.winner]
        searcher, nodes = white if board.turn else black
        found = searcher.search(board, DeepLimits(nodes=nodes))
        value = found.value if board.turn else -found.value
        decided = decided + (1 if value > 0 else -1) if abs(value) >= DECIDED and decided * value >= 0 else 0
        if abs(decided) == 4:
            return float(decided > 0)
        board.push(found.move)
    return 0.5


def play_pairs(first: Side, second: Side, numbers: range) -> list[float]:
    """The first side's points in each pair of games, 0 to 2."""
    openings = load_openings()
    one, two = (first.search(), first.nodes), (second.search(), second.nodes)
    return [
        play(openings[i % len(openings)], one, two) + 1 - play(openings[i % len(openings)], two, one)
        for i in numbers
    ]


def elo(share: float) -> float:
    share = min(max(share, 1e-3), 1 - 1e-3)
    return -400 * math.log10(1 / share - 1)


def report(pairs: list[float]) -> str:
    """Elo with 95 %, from the spread of pairs: two games of one opening are not independent."""
    mean = sum(pairs) / len(pairs) / 2
    spread = math.sqrt(sum((pair / 2 - mean) ** 2 for pair in pairs) / max(1, len(pairs) - 1) / len(pairs))
    low, high = elo(mean - 1.96 * spread), elo(mean + 1.96 * spread)
    counts = [sum(pair == points / 2 for pair in pairs) for points in range(5)]
    strength = f"Elo {elo(mean):+.0f} ({low:+.0f} to {high:+.0f})"
    return f"{2 * len(pairs)} games, pairs {counts}, {mean:.1%}, {strength}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--second-nodes", type=int)
    for side in ("first", "second"):
        parser.add_argument(f"--{side}-weights")
        parser.add_argument(f"--{side}-without", action="append", default=[], choices=EVERY_TECHNIQUE)
    args = parser.parse_args()

    def side(name: str, nodes: int) -> Side:
        path, without = getattr(args, f"{name}_weights"), getattr(args, f"{name}_without")
        weights = load_weights(path) if path else CMHM2.scaled(8)
        return Side(weights, tuple(t for t in EVERY_TECHNIQUE if t not in without), nodes)

    first, second = side("first", args.nodes), side("second", args.second_nodes or args.nodes)
    batch = 10
    with ProcessPoolExecutor(args.workers) as pool:
        jobs = [
            pool.submit(play_pairs, first, second, range(start, start + batch))
            for start in range(0, args.games // 2, batch)
        ]
        print(report([pair for job in jobs for pair in job.result()]))  # noqa: T201 - a script prints


if __name__ == "__main__":
    main()
