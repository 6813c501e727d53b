"""Makes games/openings.pgn: balanced opening lines, found by our own walks from the start position.

    python benchmarks/make_openings.py --engine /usr/games/stockfish > games/openings.pgn

A walk goes down a tree. At each position the engine names its best moves at a fixed node count, those
within a margin of the best stay, and the walk takes the one that is most behind its share so far; a
better move has the larger share. So the lines spread by construction, in the order in which they come;
chance decides only between equal shares. The same engine, seed and node count give the same file.
"""

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator

import chess
import chess.engine
import chess.pgn

LENGTHS = (8, 4, 11, 6, 9, 12, 5, 10, 7)  # plies; in this order, so that the first lines differ in length too
BREADTH = 8  # moves asked of the engine at each position
FINAL_NODES_FACTOR = 4  # the position that a game will start from is looked at longer


class Walker:
    """Knows the good moves of every position that a walk has met, and how often each was taken."""

    def __init__(self, engine: chess.engine.SimpleEngine, nodes: int, margin_cp: int, seed: int) -> None:
        self._engine = engine
        self._nodes = nodes
        self._margin_cp = margin_cp
        self._random = random.Random(seed)
        self._shares: dict[str, dict[chess.Move, float]] = {}
        self._taken: Counter[tuple[str, chess.Move]] = Counter()

    def walk(self, plies: int) -> chess.Board:
        board = chess.Board()
        for _ in range(plies):
            key = board.epd()
            if key not in self._shares:
                self._shares[key] = self._shares_of(board)
            shares = self._shares[key]
            move = min(shares, key=lambda move: (self._taken[key, move] + 0.5) / shares[move])
            self._taken[key, move] += 1
            board.push(move)
        return board

    def final_score_cp(self, board: chess.Board) -> int:
        return self._analyse(board, self._nodes * FINAL_NODES_FACTOR, 1)[0][1]

    def _shares_of(self, board: chess.Board) -> dict[chess.Move, float]:
        scored = self._analyse(board, self._nodes, BREADTH)
        best = max(score for _, score in scored)
        good = [(move, best - score) for move, score in scored if best - score <= self._margin_cp]
        self._random.shuffle(good)  # equal shares are served in this order
        return {move: math.exp(-loss / self._margin_cp) for move, loss in good}

    def _analyse(self, board: chess.Board, nodes: int, breadth: int) -> list[tuple[chess.Move, int]]:
        """The best moves with their centipawns for the side to move, each search from an empty hash."""
        infos = self._engine.analyse(
            board,
            chess.engine.Limit(nodes=nodes),
            multipv=min(breadth, board.legal_moves.count()),
            game=object(),
        )
        return [(info["pv"][0], info["score"].relative.score(mate_score=100_000)) for info in infos]


def balanced_lines(walker: Walker, count: int, final_cp: int) -> Iterator[tuple[chess.Board, int]]:
    """Lines that end in different positions, none reached by another line, each balanced."""
    seen: set[str] = set()
    while len(seen) < count:
        board = walker.walk(LENGTHS[len(seen) % len(LENGTHS)])
        if board.epd() in seen or board.is_game_over(claim_draw=True):
            continue
        score_cp = walker.final_score_cp(board)
        if abs(score_cp) <= final_cp:
            seen.add(board.epd())
            yield board, score_cp


def pgn_text(board: chess.Board, number: int) -> str:
    game = chess.pgn.Game.from_board(board)
    game.headers["Event"] = "Heatmap Engine opening suite"
    game.headers["Round"] = str(number)
    game.headers["Result"] = "*"
    return f"{game}\n\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Print a suite of balanced opening lines as PGN.")
    parser.add_argument("--engine", default="stockfish", help="a UCI engine's command")
    parser.add_argument("--count", type=int, default=720)
    parser.add_argument("--nodes", type=int, default=30_000, help="per position of a walk")
    parser.add_argument(
        "--margin-cp", type=int, default=25, help="how much worse than the best a move may be"
    )
    parser.add_argument("--final-cp", type=int, default=40, help="how far from equal a line may end")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with chess.engine.SimpleEngine.popen_uci(options.engine) as engine:
        engine.configure({"Threads": 1, "Hash": 8})
        walker = Walker(engine, options.nodes, options.margin_cp, options.seed)
        for number, (board, score_cp) in enumerate(
            balanced_lines(walker, options.count, options.final_cp), 1
        ):
            sys.stdout.write(pgn_text(board, number))
            sys.stderr.write(f"\r{number} of {options.count} lines, the last at {score_cp:+d} cp ")
    sys.stderr.write("\n")


if __name__ == "__main__":
    main()
