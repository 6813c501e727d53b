"""The deep search on Stockfish's own scale: games against its limited strength, on a clock.

    python benchmarks/deep_ladder.py --elo 2000 2400 --games 40 --clock 8+0.08
    python benchmarks/deep_ladder.py --elo 2400 --games 40 --nodes 400000

With nodes there is no clock: the deep search has so many a move, and Stockfish a quarter of a second, for
which a busy machine matters less. One process each, hash 64 MiB and 1 MiB, openings from the suite with
colours changed. Prints the score and the Elo that it stands for against each level; a loss on time is shown.
"""

import argparse
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import chess.engine
from deep_match import elo, report

from games.openings import load_openings

Engines = dict[chess.Color, chess.engine.SimpleEngine]
POINTS = {True: 1.0, False: 0.0, None: 0.5}
DEEP = Path(sysconfig.get_path("scripts")) / "heatmap-engine-uci"


def play_without_clock(
    opening: chess.Board, engines: Engines, deep: chess.Color, nodes: int, game: int
) -> tuple[float, str]:
    """White's points, and why."""
    board = opening.copy()
    limits = {deep: chess.engine.Limit(nodes=nodes), not deep: chess.engine.Limit(time=0.25)}
    while (outcome := board.outcome(claim_draw=True)) is None:
        played = engines[board.turn].play(board, limits[board.turn], game=game)
        assert played.move is not None
        board.push(played.move)
    return POINTS[outcome.winner], outcome.termination.name


def play(opening: chess.Board, engines: Engines, clock: tuple[float, float], game: int) -> tuple[float, str]:
    """White's points, and why."""
    board = opening.copy()
    left = {chess.WHITE: clock[0], chess.BLACK: clock[0]}
    while True:
        outcome = board.outcome(claim_draw=True)
        if outcome is not None:
            return POINTS[outcome.winner], outcome.termination.name
        limit = chess.engine.Limit(
            white_clock=left[True], black_clock=left[False], white_inc=clock[1], black_inc=clock[1]
        )
        started = time.monotonic()
        played = engines[board.turn].play(board, limit, game=game)
        left[board.turn] -= time.monotonic() - started
        if left[board.turn] < 0:
            return float(not board.turn), f"{'white' if board.turn else 'black'} lost on time"
        left[board.turn] += clock[1]
        assert played.move is not None
        board.push(played.move)


def play_pairs(args: argparse.Namespace, level: int, numbers: range) -> tuple[list[float], list[str]]:
    openings = load_openings()
    seconds, increment = (float(part) for part in args.clock.split("+"))
    pairs, faults = [], []
    with (
        chess.engine.SimpleEngine.popen_uci(str(DEEP)) as deep,
        chess.engine.SimpleEngine.popen_uci(args.stockfish) as other,
    ):
        deep.configure({"Mode": "deep", "Hash": 64, "QTable": "<none>"})
        other.configure({"UCI_LimitStrength": True, "UCI_Elo": level, "Hash": 1, "Move Overhead": 200})
        for number in numbers:
            points = 0.0
            for color in chess.COLORS:
                opening = openings[(args.skip + number) % len(openings)].board()
                engines, game = {color: deep, not color: other}, 2 * number + color
                if args.nodes:
                    result, why = play_without_clock(opening, engines, color, args.nodes, game)
                else:
                    result, why = play(opening, engines, (seconds, increment), game)
                points += result if color else 1 - result
                if "time" in why:
                    faults.append(f"{why}, deep was {'white' if color else 'black'}")
            pairs.append(points)
    return pairs, faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elo", type=int, nargs="+", default=[2000])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--clock", default="8+0.08")
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    args = parser.parse_args()
    for level in args.elo:
        with ThreadPoolExecutor(args.workers) as pool:
            jobs = [
                pool.submit(play_pairs, args, level, range(start, args.games // 2, args.workers))
                for start in range(args.workers)
            ]
            results = [job.result() for job in jobs]
        pairs = [pair for found, _ in results for pair in found]
        about = level + elo(sum(pairs) / len(pairs) / 2)
        faults = [fault for _, found in results for fault in found]
        print(f"Stockfish {level}: {report(pairs)}; so about {about:.0f}", *faults, sep="\n  ", flush=True)  # noqa: T201 - a script prints


if __name__ == "__main__":
    main()
