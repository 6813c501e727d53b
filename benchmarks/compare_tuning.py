"""Methods of `heatmap-engine tune` compared at equal cost: the same start, nodes and processor time for each.

    python benchmarks/compare_tuning.py --cpu-seconds 3600 --start cmhm2 --nodes 2000 --folder compared

Each method goes on, round after round, until its games and fits have taken so many seconds of processor time;
then its last checkpoint plays the start and, as a common opponent, the weights of the package. A round that
goes over the budget counts, and the table says what was spent. Folders that are there already are gone on
with: a larger budget adds to what was done. Prints a row for each method.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from heatmap_engine.tuning.config import METHODS, MOST_MATCH_GAMES, SPSA, TuneConfig
from heatmap_engine.tuning.folder import TuneFolder, is_tuning
from heatmap_engine.tuning.measurement import MatchResult, TuneMeasurement
from heatmap_engine.tuning.method import openings_to_measure
from heatmap_engine.tuning.players import Searches, TuneSide, play_pair
from heatmap_engine.tuning.pool import tuning_pool
from heatmap_engine.tuning.running import TuneRun
from heatmap_engine.tuning.session import TuneSession
from heatmap_engine.tuning.starts import starting_weights

MOST_ROUNDS = 10_000
LEARNERS = tuple(method for method in METHODS if method != SPSA)  # which learns no weights


def learned(path: Path, config: TuneConfig, cpu_seconds: float, workers: int) -> TuneFolder:
    """The run, gone on with until it has spent its budget."""
    start = starting_weights(config.start)
    folder = TuneFolder.open(path) if is_tuning(path) else TuneFolder.create(path, config, start)
    if folder.config != config:
        raise SystemExit(f"{path} holds a run with other settings: expected {config}, got {folder.config}")
    with folder.locked():
        run = TuneRun(folder)

        def is_spent() -> bool:
            return bool(run.measurements) and run.measurements[-1].cpu_seconds >= cpu_seconds

        if not is_spent():
            run.go_on(TuneSession(tuning_pool(workers), should_stop=is_spent))
    return folder


def play_pairs(first: TuneSide, second: TuneSide, nodes: int, numbers: range) -> list[float]:
    openings, searches = openings_to_measure(0), Searches()
    return [
        play_pair(searches, first, second, openings[i % len(openings)], (nodes, nodes), f"{i}")
        for i in numbers
    ]


def match(first: TuneSide, second: TuneSide, nodes: int, pairs: int, workers: int) -> MatchResult:
    with ProcessPoolExecutor(workers) as pool:
        jobs = [
            pool.submit(play_pairs, first, second, nodes, range(start, min(start + 5, pairs)))
            for start in range(0, pairs, 5)
        ]
        return MatchResult.of(points for job in jobs for points in job.result())


def shown(result: MatchResult) -> str:
    strength = result.strength
    if strength.elo is None or strength.elo_low is None or strength.elo_high is None:
        ends = "" if strength.elo is None else f", Elo {strength.elo:+.0f}"
        return f"{result.pentanomial.score:.1%}{ends}"
    return f"{strength.elo:+.0f} ({strength.elo_low:+.0f} to {strength.elo_high:+.0f})"


def row(method: str, last: TuneMeasurement, cells: list[str]) -> str:
    loss = "-" if last.loss is None else f"{last.loss:.5f}"
    numbers = [f"{last.round}", f"{last.games:,}", f"{last.cpu_seconds:,.0f}", loss]
    return f"| {' | '.join([method, *numbers, *cells])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--methods", nargs="+", default=LEARNERS, choices=LEARNERS)
    parser.add_argument("--cpu-seconds", type=float, default=40.0)
    parser.add_argument("--start", default="cmhm2")
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--games", type=int, default=100, help="of a round of td and results")
    parser.add_argument("--candidates", type=int, default=16, help="of a round of cem and ga")
    parser.add_argument("--pairs", type=int, default=4, help="of each candidate")
    parser.add_argument("--match-games", type=int, default=40, help="of each of the two matches at the end")
    parser.add_argument("--match-nodes", type=int, help="the same as --nodes unless given")
    parser.add_argument("--opponent", default="package", help="cmhm2, zeros, package or a file")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    nodes = args.match_nodes or args.nodes
    if args.match_games > MOST_MATCH_GAMES:
        parser.error(f"expected at most {MOST_MATCH_GAMES} match games, got {args.match_games}")
    opponents = [
        TuneSide(name, starting_weights(name)) for name in dict.fromkeys((args.start, args.opponent))
    ]
    rows = []
    for method in args.methods:
        begin = time.monotonic()
        config = TuneConfig(
            method=method,
            start=args.start,
            rounds=MOST_ROUNDS,
            nodes=args.nodes,
            games=args.games,
            candidates=args.candidates,
            pairs=args.pairs,
            match_games=0,
            seed=args.seed,
        )
        folder = learned(args.folder / method, config, args.cpu_seconds, args.workers)
        last = [*folder.measurements()][-1]
        player = TuneSide(method, folder.weights(last.round))
        pairs = args.match_games // 2
        cells = [shown(match(player, other, nodes, pairs, args.workers)) for other in opponents]
        rows.append(row(method, last, cells))
        print(f"{method}: {time.monotonic() - begin:.0f} s", flush=True)  # noqa: T201 - a script prints
    names = " | ".join(f"Elo against {other.name}" for other in opponents)
    print(f"\n| method | rounds | games | CPU s | loss | {names} |")  # noqa: T201
    print("|---" * (5 + len(opponents)) + "|")  # noqa: T201
    print("\n".join(rows))  # noqa: T201


if __name__ == "__main__":
    main()
