"""Learn the deep search's weights from results: play against itself, fit, play again with what was learned.

    python benchmarks/learn_heat_weights.py FOLDER --rounds 3 --games 2000 --nodes 3000 --workers 2

Each round leaves `round-N.samples` (a line is a FEN and the result) and `round-N.json` (the weights after it)
in the folder; a round that is there is not played again. The first round plays with cmhm2. A fit uses the
positions of all rounds but the first `--forget`.
"""

import argparse
import math
import random
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from games.openings import load_openings
from heatmap_engine.deep import DeepSearch
from heatmap_engine.heat_weights import CMHM2, DeepWeights, load_weights, save_weights
from heatmap_engine.learning.deep_games import Sample, play_deep_game, sampled
from heatmap_engine.learning.results_fit import as_vector, as_weights, best_scale, fit, loss, read_samples

SHARE = 0.4  # of a game's quiet positions
INDEPENDENT = 0.2  # each position counts as so much of a game
HELD_BACK = 20  # one game in so many judges the fit


def play_games(weights: DeepWeights, first: int, count: int, nodes: int, seed: int) -> list[list[Sample]]:
    """Games `first` to `first + count`, the same ones for the same seed."""
    openings = load_openings()
    search = DeepSearch(weights, hash_mib=2)
    played = []
    for number in range(first, first + count):
        rng = random.Random(f"{seed} {number}")
        board = openings[number % len(openings)].board()
        samples, _ = play_deep_game(search, board, nodes, rng.randint(0, 6), rng)
        played.append(list(sampled(samples, SHARE, rng)))
    return played


def play_round(weights: DeepWeights, args: argparse.Namespace, number: int, path: Path) -> None:
    batch = 25
    end = time.monotonic() + 60 * args.minutes
    with ProcessPoolExecutor(args.workers) as pool, path.with_suffix(".part").open("w") as out:
        jobs = [
            pool.submit(play_games, weights, first, batch, args.nodes, args.seed + number)
            for first in range(0, args.games, batch)
        ]
        for job in jobs:
            for game in job.result():
                out.write("".join(f"{sample.fen};{sample.result}\n" for sample in game) + "\n")
            if time.monotonic() > end:
                pool.shutdown(cancel_futures=True)
                break
    path.with_suffix(".part").rename(path)


def read_round(path: Path) -> list[list[Sample]]:
    return [
        [Sample(line.split(";")[0], float(line.split(";")[1])) for line in game.strip().splitlines()]
        for game in path.read_text().split("\n\n")
        if game.strip()
    ]


def fit_round(games: list[list[Sample]], start: DeepWeights, name: str, played: str) -> DeepWeights:
    training = read_samples([s for i, game in enumerate(games) if i % HELD_BACK for s in game])
    judging = read_samples([s for i, game in enumerate(games) if i % HELD_BACK == 0 for s in game])
    before = as_vector(start)
    before = before * np.float32(best_scale(training, before))
    vector = fit(training, before, independent=INDEPENDENT)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    provenance = {
        "method": "results",
        "command": played,
        "games": len(games),
        "positions": len(training.results),
        "loss before": round(loss(judging, before), 5),
        "loss after": round(loss(judging, vector), 5),
        "started from": start.name,
        "commit": commit.stdout.strip(),
    }
    return as_weights(name, vector, training, provenance)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--nodes", type=int, default=3000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="end a round early, fit what is there"
    )
    parser.add_argument("--forget", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    weights = CMHM2.scaled(8)  # a pawn's move counts about as much as results say; the first fit measures it
    games: list[list[Sample]] = []
    for number in range(1, args.rounds + 1):
        samples, saved = (args.folder / f"round-{number}.{kind}" for kind in ("samples", "json"))
        if not samples.exists():
            play_round(weights, args, number, samples)
        if number > args.forget:
            games += read_round(samples)
        if not saved.exists():
            played = f"{args.nodes} nodes a move, seed {args.seed}, rounds {args.forget + 1} to {number}"
            save_weights(saved, fit_round(games or read_round(samples), weights, f"results {number}", played))
        weights = load_weights(saved)
        worth = [round(worth) for worth in weights.worth]
        print(f"{dict(weights.provenance)}, worth {worth}", flush=True)  # noqa: T201 - a script prints


if __name__ == "__main__":
    main()
