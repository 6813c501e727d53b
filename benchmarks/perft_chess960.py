"""Counts the move sequences from all 960 starts of Chess960, and holds them against Stockfish's.

    python benchmarks/perft_chess960.py --depth 5

Needs Debian's `stockfish`. Where a count differs it says for which first moves, and ends with 1.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence

import chess

from heatmap_engine.board.perft import perft_divide

STOCKFISH = "/usr/games/stockfish"
STARTS = 960
TELL_EVERY = 96


class Stockfish:
    """One process that counts."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [STOCKFISH], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._in.write("setoption name UCI_Chess960 value true\n")

    def divide(self, fen: str, depth: int) -> dict[str, int]:
        self._in.write(f"position fen {fen}\ngo perft {depth}\n")
        counts: dict[str, int] = {}
        for line in self._out:
            name, _, count = line.strip().partition(": ")
            if name == "Nodes searched":
                return counts
            if count.isdigit():
                counts[name] = int(count)
        raise EOFError(f"Stockfish ended while it counted {fen}")

    def quit(self) -> None:
        self._in.write("quit\n")
        self._process.wait()


def differences(ours: dict[str, int], theirs: dict[str, int]) -> list[str]:
    return [
        f"  {move}: ours {ours.get(move)}, Stockfish's {theirs.get(move)}"
        for move in sorted(ours.keys() | theirs.keys())
        if ours.get(move) != theirs.get(move)
    ]


def tell(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def compare(depth: int, starts: Sequence[int]) -> int:
    """Compare these starts, tell how it goes, and say how many differ."""
    stockfish = Stockfish()
    wrong = total = 0
    own_s = their_s = 0.0
    for done, number in enumerate(starts, 1):
        board = chess.Board.from_chess960_pos(number)
        began = time.perf_counter()
        ours = perft_divide(board, depth)
        own_s += time.perf_counter() - began
        began = time.perf_counter()
        theirs = stockfish.divide(board.fen(), depth)
        their_s += time.perf_counter() - began
        total += sum(ours.values())
        if found := differences(ours, theirs):
            wrong += 1
            tell(f"start {number}, {board.fen()}", *found)
        if done % TELL_EVERY == 0 or done == len(starts):
            tell(
                f"{done} starts, {total:,} sequences of {depth} moves, {wrong} starts differ; "
                f"ours {own_s:.0f} s, Stockfish {their_s:.0f} s"
            )
    stockfish.quit()
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, help="the number of the first start")
    parser.add_argument("--count", type=int, default=STARTS)
    given = parser.parse_args()
    starts = range(given.first, min(given.first + given.count, STARTS))
    sys.exit(1 if compare(given.depth, starts) else 0)


if __name__ == "__main__":
    main()
