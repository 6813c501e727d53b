"""How fast positions are counted and scored, as ratios within this one run.

    python benchmarks/foundation.py

Needs Debian's `stockfish`. Everything is measured several times in turns and the best of each counts, so
that what else the machine does falls on both sides of a ratio. It prints and never fails; what was measured
is recorded in `benchmarks/records/measurements.md`.
"""

import random
import subprocess
import sys
import time
import timeit
from collections.abc import Callable

import chess

import heatmap_engine as he
from heatmap_engine import reference
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.classic import heat as kernel

STOCKFISH = "/usr/games/stockfish"
ROUNDS = 7
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PERFT_CASES = (("start position", chess.STARTING_FEN, 6), ("Kiwipete", KIWIPETE, 5))


def report(name: str, ratio: str, parts: str) -> None:
    print(f"{name:50} {ratio:>9}   {parts}", flush=True)  # noqa: T201 - a script prints


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def per_call(work: Callable[[], object], calls: int) -> float:
    return min(timeit.repeat(work, number=calls, repeat=ROUNDS)) / calls


class Stockfish:
    """One running Stockfish, so that its start is not measured."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([STOCKFISH], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("isready", "readyok")

    def ask(self, command: str, end: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith(end):
                return line
        raise RuntimeError(f"stockfish ended after {command!r}")

    def perft(self, fen: str, depth: int) -> int:
        return int(self.ask(f"position fen {fen}\ngo perft {depth}", "Nodes searched:").split()[-1])

    def close(self) -> None:
        self.process.communicate("quit\n")


def perft_against_stockfish(stockfish: Stockfish) -> dict[str, float]:
    """Stockfish's nodes per second on each case."""
    speeds = {}
    for name, fen, depth in PERFT_CASES:
        board = chess.Board(fen)
        nodes = he.perft(board, depth)
        assert stockfish.perft(fen, depth) == nodes
        ours = theirs = float("inf")
        for _ in range(ROUNDS):
            ours = min(ours, seconds(lambda: he.perft(board, depth)))  # noqa: B023 - called at once
            theirs = min(theirs, seconds(lambda: stockfish.perft(fen, depth)))  # noqa: B023
        speeds[name] = nodes / theirs
        parts = f"{nodes / ours / 1e6:.0f} against {nodes / theirs / 1e6:.0f} million nodes/s"
        report(f"perft {depth} of {name} / Stockfish", f"{theirs / ours:.2f}", parts)
    return speeds


def score_against_reference() -> None:
    board = chess.Board()
    position, table = PackedPosition(board), he.CMHM2.table
    specified = per_call(lambda: reference.score(board, 1), 20)
    called = per_call(lambda: he.score(board, 1), 20_000)
    counted = per_call(lambda: kernel.score(position, 1, table), 20_000)
    parts = f"{specified * 1e6:.0f} against {called * 1e6:.2f} µs"
    report("score(board, 1) / specification, start position", f"{specified / called:.0f}", parts)
    parts = f"{(called - counted) * 1e6:.2f} µs beyond the kernel's {counted * 1e6:.2f} µs"
    report("score(board, 1) / kernel alone", f"{called / counted:.2f}", parts)


def scoring_against_stockfish(speeds: dict[str, float]) -> None:
    """Legal moves visited by the kernel per second of scoring, to the nodes that Stockfish's perft counts."""
    for name, fen, _ in PERFT_CASES:
        position, table = PackedPosition(chess.Board(fen)), he.CMHM2.table
        moves = he.perft(fen, 1) + he.perft(fen, 2)
        speed = moves / per_call(lambda: kernel.score(position, 1, table), 5_000)  # noqa: B023 - called at once
        parts = f"{speed / 1e6:.0f} million moves/s"
        report(f"scoring {name} at depth 1 / Stockfish's perft", f"{speed / speeds[name]:.2f}", parts)


def different_boards(count: int) -> list[chess.Board]:
    rng = random.Random(2)
    found: dict[str, chess.Board] = {}
    while len(found) < count:
        board = chess.Board()
        for _ in range(rng.randint(4, 100)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        found[board.epd()] = board
    return list(found.values())


def threads_against_one() -> None:
    boards = different_boards(10_000)
    for depth in (1, 2):
        one = two = float("inf")
        for _ in range(ROUNDS if depth == 1 else 3):
            one = min(one, seconds(lambda: he.score_many(boards, depth)))  # noqa: B023 - called at once
            two = min(two, seconds(lambda: he.score_many(boards, depth, threads=2)))  # noqa: B023
        parts = f"{one * 1e3:.0f} against {two * 1e3:.0f} ms"
        report(f"score_many of 10,000 at depth {depth}, 2 threads / 1", f"{one / two:.2f}", parts)


def imports() -> None:
    statements = ("import chess, numpy", "import heatmap_engine", "from heatmap_engine import score")
    best = dict.fromkeys(("pass", *statements), float("inf"))
    for _ in range(2 * ROUNDS):
        for statement, so_far in best.items():
            spent = seconds(lambda: subprocess.run([sys.executable, "-c", statement], check=True))  # noqa: B023
            best[statement] = min(so_far, spent)
    base = best["import chess, numpy"] - best["pass"]
    for statement in statements[1:]:
        spent = best[statement] - best["pass"]
        parts = f"{spent * 1e3:.0f} against {base * 1e3:.0f} ms"
        report(f"{statement} / import chess, numpy", f"{spent / base:.2f}", parts)


def main() -> None:
    stockfish = Stockfish()
    try:
        speeds = perft_against_stockfish(stockfish)
    finally:
        stockfish.close()
    score_against_reference()
    scoring_against_stockfish(speeds)
    threads_against_one()
    imports()


if __name__ == "__main__":
    main()
