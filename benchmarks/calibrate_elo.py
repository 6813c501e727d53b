"""The levels of `UCI_Elo`, measured: games against Stockfish's own levels, and between neighbouring levels.

    python benchmarks/calibrate_elo.py --games 60 --most-nodes 10000
    python benchmarks/calibrate_elo.py --games 400 --write heatmap_engine/strength_levels.json

Each step of the ladder below is a pair of settings. It plays `--games` games against each of the two levels
of Stockfish that lie nearest to where it is thought to be, and as many against the step before it, each
opening with both colours. All results together give each step the Elo that makes them most likely, Stockfish
being what it says, and the error from the curvature there: 95 % is 1.96 times that. A step that came out no
stronger than one before it is left out of the table. No game has a clock: steps have their nodes, Stockfish
a depth beyond which its level does not look.
"""

import argparse
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from random import Random

import chess
import chess.engine
import numpy as np

from games.chess.openings import load_openings
from heatmap_engine.deep.levels import FORMAT, Level
from heatmap_engine.deep.limited_search import LimitedSearch
from heatmap_engine.deep.weights import learned_weights

# Nodes and temperature, the weakest first, which must only ever get stronger; and about how strong each is,
# which says what levels of Stockfish it meets and where the fit begins.
LADDER = (
    (400, 140.0, 1000),
    (500, 90.0, 1080),
    (800, 50.0, 1200),
    (1_500, 25.0, 1500),
    (3_000, 12.0, 1750),
    (10_000, 6.0, 2050),
    (30_000, 3.0, 2200),
    (100_000, 0.0, 2350),
    (400_000, 0.0, 2500),
)
STOCKFISH_LEVELS = (1350, 1500, 1700, 1900, 2100, 2300, 2500)
_MOST_PLIES = 300
_PER_ELO = math.log(10) / 400

Player = Callable[[chess.Board], chess.Move]


@dataclass(frozen=True)
class Pairing:
    """A step of the ladder against another one, or against Stockfish at a level."""

    step: int
    other: int
    is_stockfish: bool


@dataclass(frozen=True)
class Outcome:
    pairing: Pairing
    points: float
    games: int


def ours(step: int, seed: str) -> Player:
    nodes, temperature, _ = LADDER[step]
    search = LimitedSearch(learned_weights(), Level(0, nodes, temperature), Random(seed))
    return lambda board: search.search(board).move


def stockfish(engine: chess.engine.SimpleEngine, elo: int) -> Player:
    """Its level picks its move at a shallow depth; to look deeper changes nothing and takes time."""
    level = (max(elo - 1346.6, 0.0) / 143.4) ** (1 / 0.806)  # as its versions that begin at 1350 count
    engine.configure({"UCI_LimitStrength": True, "UCI_Elo": elo, "Hash": 1})
    limit = chess.engine.Limit(depth=2 + math.ceil(level))

    def move(board: chess.Board) -> chess.Move:
        found = engine.play(board, limit).move
        assert found is not None
        return found

    return move


def play(board: chess.Board, white: Player, black: Player) -> float:
    """White's points; a game that does not end is a draw."""
    while board.ply() < _MOST_PLIES:
        outcome = board.outcome(claim_draw=True)
        if outcome is not None:
            return {True: 1.0, False: 0.0, None: 0.5}[outcome.winner]
        board.push((white if board.turn else black)(board))
    return 0.5


def play_pairs(pairing: Pairing, games: int, seed: int, command: str) -> Outcome:
    openings = load_openings()
    engine = chess.engine.SimpleEngine.popen_uci(command) if pairing.is_stockfish else None
    try:
        points = 0.0
        for number in range(games // 2):
            opening = openings[(seed + 7 * number) % len(openings)]
            name = f"{seed} {pairing} {number}"
            first = ours(pairing.step, name)
            second = stockfish(engine, pairing.other) if engine else ours(pairing.other, f"{name} other")
            points += play(opening.board(), first, second) + 1 - play(opening.board(), second, first)
        return Outcome(pairing, points, games // 2 * 2)
    finally:
        if engine is not None:
            engine.quit()


def pairings(steps: int) -> Iterator[Pairing]:
    for step in range(steps):
        guess = LADDER[step][2]
        for level in sorted(STOCKFISH_LEVELS, key=lambda elo: abs(elo - guess))[:2]:
            yield Pairing(step, level, True)
        if step:
            yield Pairing(step, step - 1, False)


def fitted(outcomes: list[Outcome], steps: int) -> tuple[list[float], list[float]]:
    """The Elo of each step, and its standard error, by Newton's method; each side is given half a point."""
    elo = np.array([guess for *_, guess in LADDER[:steps]], dtype=float)
    for _ in range(50):
        slope, curve = np.zeros(steps), np.zeros((steps, steps))
        for outcome in outcomes:
            add_outcome(outcome, elo, slope, curve)
        elo += np.clip(np.linalg.solve(curve, slope), -200, 200)
    return list(elo), list(np.sqrt(np.diag(np.linalg.inv(curve))))


def add_outcome(outcome: Outcome, elo: np.ndarray, slope: np.ndarray, curve: np.ndarray) -> None:
    pairing, games = outcome.pairing, outcome.games + 1
    other = float(pairing.other) if pairing.is_stockfish else float(elo[pairing.other])
    expected = 1 / (1 + math.exp(-_PER_ELO * (elo[pairing.step] - other)))
    push = _PER_ELO * (outcome.points + 0.5 - games * expected)
    stiff = _PER_ELO**2 * games * expected * (1 - expected)
    slope[pairing.step] += push
    curve[pairing.step, pairing.step] += stiff
    if not pairing.is_stockfish:
        slope[pairing.other] -= push
        curve[pairing.other, pairing.other] += stiff
        curve[pairing.step, pairing.other] -= stiff
        curve[pairing.other, pairing.step] -= stiff


def rows(elo: list[float], error: list[float]) -> list[dict[str, float]]:
    """The table: steps that are stronger than all before them."""
    table: list[dict[str, float]] = []
    for step, (level, spread) in enumerate(zip(elo, error, strict=True)):
        nodes, temperature, _ = LADDER[step]
        if not table or level > table[-1]["elo"] + 1:
            row = {"elo": round(level), "error": round(1.96 * spread), "nodes": nodes}
            table.append({**row, "temperature": temperature})
    return table


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=60, help="of each pairing")
    parser.add_argument("--most-nodes", type=int, default=LADDER[-1][0], help="leave out steps beyond")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    parser.add_argument("--commit", default="", help="for the table's provenance")
    parser.add_argument("--write", type=Path, help="the table's file")
    args = parser.parse_args()
    steps = sum(nodes <= args.most_nodes for nodes, *_ in LADDER)
    outcomes = []
    with ProcessPoolExecutor(args.workers) as pool:
        jobs = [
            pool.submit(play_pairs, pairing, args.games, args.seed, args.stockfish)
            for pairing in pairings(steps)
        ]
        for job in jobs:
            outcome = job.result()
            outcomes.append(outcome)
            against = "Stockfish" if outcome.pairing.is_stockfish else "step"
            write(
                f"step {outcome.pairing.step} against {against} {outcome.pairing.other}: "
                f"{outcome.points:g} of {outcome.games}"
            )
    elo, error = fitted(outcomes, steps)
    for step, (level, spread) in enumerate(zip(elo, error, strict=True)):
        write(f"step {step}: {LADDER[step][:2]}  {level:.0f} +- {1.96 * spread:.0f}")
    if not all(low < high for low, high in itertools.pairwise(elo)):
        write("not monotone: a step that is no stronger than one before it is left out of the table")
    if args.write:
        provenance = {
            "made by": "benchmarks/calibrate_elo.py",
            "games of each pairing": args.games,
            "seed": args.seed,
            "weights": learned_weights().name,
            "version": version("heatmap-engine"),
            "commit": args.commit,
        }
        table = {"format": FORMAT, "provenance": provenance, "levels": rows(elo, error)}
        args.write.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
