"""How fast moves are picked, as ratios within this one run.

    python benchmarks/search_speed.py [TABLE]

Needs Debian's `stockfish`. TABLE is a table of a million entries, made there if it is missing (a minute or
two), or in a temporary folder. The positions with the table are taken from the real games among the tests.
It prints and never fails; what was measured is recorded in `benchmarks/records/measurements.md`.
"""

import random
import sys
import tempfile
import threading
import time
from pathlib import Path

import chess
import chess.pgn
import numpy as np
from foundation import KIWIPETE, Stockfish, report, seconds

import heatmap_engine as he
from games.chess.openings import load_openings
from heatmap_engine.classic.entries import entries_of
from heatmap_engine.classic.search import search
from heatmap_engine.classic.settings import ClassicSettings
from heatmap_engine.kernel.board.packed import PackedPosition
from heatmap_engine.kernel.classic.patterns import PATTERN_COUNT, PatternTable
from heatmap_engine.kernel.classic.tree import Tree
from heatmap_engine.memory.tables import open_table

GAMES = Path(__file__).parents[1] / "tests" / "heatmap_engine" / "learning" / "games.pgn"
ENTRIES = 1_000_000
ROUNDS = 5
POSITIONS = (
    ("start position", chess.STARTING_FEN),
    ("Kiwipete", KIWIPETE),
    ("Ruy Lopez", "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"),
    ("castled middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"),
    ("open attack", "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1"),
    ("closed centre", "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1"),
    ("rook endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    ("queens and kings", "8/8/3k4/8/2q5/8/5Q2/4K3 w - - 0 1"),
)


def moves_visited_against_stockfish(stockfish: Stockfish) -> None:
    for name, fen in POSITIONS:
        board = chess.Board(fen)
        depth = 4 if he.perft(board, 1) > 30 else 5
        nodes = he.perft(board, depth)
        ours = theirs = 0.0
        with he.Engine(mode="classic") as engine:
            for _ in range(ROUNDS):
                picks = [engine.pick_move(board) for _ in range(10)]
                ours = max(ours, sum(p.moves_visited for p in picks) / sum(p.seconds for p in picks))
                theirs = max(theirs, nodes / seconds(lambda: stockfish.perft(fen, depth)))  # noqa: B023
        speeds = f"{ours / 1e6:.0f} against {theirs / 1e6:.0f} million moves/s"
        parts = f"{speeds}, {picks[0].seconds * 1e3:.1f} ms a pick"
        report(f"pick_move against perft: {name}", f"{ours / theirs:.2f} x", parts)


def make_table(path: Path) -> None:
    """Record what is searched in games of random moves, until there are enough entries."""
    openings, rng = load_openings(), random.Random(4)
    with open_table(path, ClassicSettings()) as table:
        while len(table) < ENTRIES:
            board = rng.choice(openings).board()
            entries = {}
            while any(board.legal_moves) and len(board.move_stack) < 80:
                entries.update(entries_of(search(board, ClassicSettings())))
                board.push(rng.choice(list(board.legal_moves)))
            table.record(entries)


def real_positions(number: int) -> list[chess.Board]:
    boards = []
    with GAMES.open() as games:
        while game := chess.pgn.read_game(games):
            board = game.board()
            for move in game.mainline_moves():
                boards.append(board.copy())
                board.push(move)
    return random.Random(1).sample(boards, number)


def table_against_none(path: Path) -> None:
    boards = real_positions(200)
    with he.Engine(mode="classic") as bare, he.Engine(path, mode="classic") as remembering:
        without = with_table = 0.0
        for board in boards:
            bare.pick_move(board)
            without += bare.pick_move(board).seconds
            with_table += remembering.pick_move(board).seconds
        entries = len(remembering.table) if remembering.table is not None else 0
    parts = f"{with_table / 200 * 1e3:.2f} against {without / 200 * 1e3:.2f} ms; {entries} entries"
    report("pick with table and recording, against none", f"{with_table / without:.2f} x", parts)


def patterns_against_none() -> None:
    """With all patterns there are, each worth something; the best of some rounds in turn."""
    boards = real_positions(60)
    worth = np.random.default_rng(1).normal(0, 5, PATTERN_COUNT)
    tables = {"with": PatternTable(worth), "without": None}
    best = dict.fromkeys(tables, float("inf"))
    for _ in range(ROUNDS):
        for name, patterns in tables.items():
            began = time.process_time()
            for board in boards:
                search(board, ClassicSettings(), patterns=patterns)
            best[name] = min(best[name], time.process_time() - began)
    parts = f"{best['with'] / 60 * 1e3:.2f} against {best['without'] / 60 * 1e3:.2f} ms a pick"
    report("pick with patterns, against none", f"{best['with'] / best['without']:.2f} x", parts)


def keys_per_second() -> None:
    tree = Tree(PackedPosition(chess.Board(KIWIPETE)), [], 2, 1, 1, he.CMHM2.table)
    while tree.expand(10_000):
        pass
    best = min(seconds(lambda: tree.leaf_keys(0, tree.leaves)) for _ in range(ROUNDS))
    report("keys of a tree's leaves", f"{tree.leaves / best / 1e6:.1f}", "million a second, as str")


def time_to_stop() -> None:
    waits = []
    with he.Engine(mode="classic") as engine:
        for attempt in range(40):
            thread = threading.Thread(
                target=engine.pick_move, args=(POSITIONS[attempt % 5][1], he.Limits(seconds=60))
            )
            thread.start()
            time.sleep(0.003 + 0.01 * attempt)
            waits.append(seconds(lambda: (engine.stop(), thread.join())))  # noqa: B023 - called at once
    waits.sort()
    parts = f"median {waits[20] * 1e3:.1f} ms of 40 stops while it deepens"
    report("stop to answer, worst", f"{waits[-1] * 1e3:.1f} ms", parts)


def main() -> None:
    stockfish = Stockfish()
    moves_visited_against_stockfish(stockfish)
    stockfish.close()
    patterns_against_none()
    keys_per_second()
    time_to_stop()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "million.table"
        if not path.exists():
            make_table(path)
        table_against_none(path)


if __name__ == "__main__":
    main()
