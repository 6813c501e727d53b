"""A match of the deep search against itself with other weights or fewer techniques, at fixed nodes a move.

    python benchmarks/deep_match.py --games 400 --nodes 5000 --second-without reductions
    python benchmarks/deep_match.py --first-weights new.json --second-weights old.json

Weights are the package's unless others are named. Each opening is played twice with colours changed. Fixed
nodes make the games the same on every machine, and leave aside what a technique costs in time. Prints the
number of pairs by points, the score of the first side, Elo and its 95 %.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from games.chess.openings import load_openings
from heatmap_engine.deep.search import EVERY_TECHNIQUE
from heatmap_engine.deep.weights import learned_weights, load_weights
from heatmap_engine.tuning.measurement import MatchResult
from heatmap_engine.tuning.players import Searches, TuneSide, play_pair


@dataclass(frozen=True)
class Side:
    player: TuneSide
    nodes: int


def play_pairs(first: Side, second: Side, numbers: range) -> list[float]:
    """The first side's points in each pair of games, 0 to 2."""
    openings, searches = load_openings(), Searches()
    nodes = first.nodes, second.nodes
    return [
        play_pair(searches, first.player, second.player, openings[i % len(openings)], nodes, f"{i}")
        for i in numbers
    ]


def report(pairs: list[float]) -> str:
    """Elo with 95 %, from the spread of pairs: two games of one opening are not independent."""
    result = MatchResult.of(pairs)
    elo, low, high = (
        "none" if value is None else f"{value:+.0f}"
        for value in (result.strength.elo, result.strength.elo_low, result.strength.elo_high)
    )
    counts, score = [*result.pentanomial.counts], result.pentanomial.score
    return f"{result.games} games, pairs {counts}, {score:.1%}, Elo {elo} ({low} to {high})"


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
        weights = load_weights(path) if path else learned_weights()
        techniques = tuple(t for t in EVERY_TECHNIQUE if t not in without)
        return Side(TuneSide(name, weights, techniques), nodes)

    first, second = side("first", args.nodes), side("second", args.second_nodes or args.nodes)
    batch, pairs, most = 10, args.games // 2, len(load_openings())
    if pairs > most:
        parser.error(f"expected at most {2 * most} games, got {args.games}: more would be the same again")
    with ProcessPoolExecutor(args.workers) as pool:
        jobs = [
            pool.submit(play_pairs, first, second, range(start, min(start + batch, pairs)))
            for start in range(0, pairs, batch)
        ]
        print(report([pair for job in jobs for pair in job.result()]))  # noqa: T201 - a script prints


if __name__ == "__main__":
    main()
