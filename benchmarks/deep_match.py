"""A match of the deep search against itself with other weights or fewer techniques, at fixed nodes a move.

    python benchmarks/deep_match.py --games 400 --nodes 5000 --second-without reductions
    python benchmarks/deep_match.py --first-weights new.json --second-weights old.json
    python benchmarks/deep_match.py --sprt 0 10 --games 1400 --nodes 100000 --second-without multi-cut

Weights are the package's unless others are named. Each opening is played twice with colours changed. Fixed
nodes make the games the same on every machine, and leave aside what a technique costs in time. Prints the
number of pairs by points, the score of the first side, Elo and its 95 %; with --sprt after every ten pairs,
until one of the two hypotheses is accepted. Pairs are judged in their order, so that the verdict is the same
with any number of workers.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from games.chess.openings import load_openings
from heatmap_engine.deep.search import EVERY_TECHNIQUE
from heatmap_engine.deep.weights import learned_weights, load_weights
from heatmap_engine.match.sprt import Sprt
from heatmap_engine.tuning.measurement import MatchResult
from heatmap_engine.tuning.players import Searches, TuneSide, play_pair

_BATCH = 10


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


def in_order(first: Side, second: Side, numbers: range, workers: int) -> Iterator[list[float]]:
    """The points of all pairs, so many at a time; who stops asking stops all but what is begun or next."""
    batches = [numbers[start : start + _BATCH] for start in range(0, len(numbers), _BATCH)]
    with ProcessPoolExecutor(workers) as pool:
        jobs = [pool.submit(play_pairs, first, second, batch) for batch in batches]
        try:
            for job in jobs:
                yield job.result()
        finally:
            pool.shutdown(cancel_futures=True)


def judged(batches: Iterator[list[float]], test: Sprt) -> Iterator[str]:
    """A line after each batch, until the test has an answer."""
    pairs: list[float] = []
    for batch in batches:
        pairs += batch
        result = MatchResult.of(pairs).pentanomial
        accepted = test.accepts(result)
        words = f"LLR {test.llr(result):.2f} of {test.lower:.2f} to {test.upper:.2f}"
        yield f"{report(pairs)}, {words}" + (f": {accepted} accepted" if accepted else "")
        if accepted:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--second-nodes", type=int)
    parser.add_argument("--first-line", type=int, default=0)  # so many openings are left out
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"))
    for which in ("first", "second"):
        parser.add_argument(f"--{which}-weights")
        parser.add_argument(f"--{which}-without", action="append", default=[], choices=EVERY_TECHNIQUE)
    args = parser.parse_args()

    def side(name: str, nodes: int) -> Side:
        path, without = getattr(args, f"{name}_weights"), getattr(args, f"{name}_without")
        weights = load_weights(path) if path else learned_weights()
        techniques = tuple(t for t in EVERY_TECHNIQUE if t not in without)
        return Side(TuneSide(name, weights, techniques), nodes)

    first, second = side("first", args.nodes), side("second", args.second_nodes or args.nodes)
    pairs, most = args.games // 2, len(load_openings()) - args.first_line
    if args.first_line < 0:
        parser.error(f"expected a line from 0 on, got {args.first_line}")
    if pairs > most:
        parser.error(f"expected at most {2 * most} games, got {args.games}: more would be the same again")
    batches = in_order(first, second, range(args.first_line, args.first_line + pairs), args.workers)
    lines = (
        judged(batches, Sprt(*args.sprt))
        if args.sprt
        else [report([pair for each in batches for pair in each])]
    )
    for line in lines:
        print(line, flush=True)  # noqa: T201 - a script prints


if __name__ == "__main__":
    main()
