"""How fast positions are reported on, as ratios within this one run.

    python benchmarks/report_speed.py [TABLE]

TABLE is a table of a million entries, made there if it is missing (a minute or two), or in a temporary
folder. Each cold question is asked by a process of its own. On a shared machine the seconds of a core say
more than the clock. It prints and never fails.
"""

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import chess
from foundation import report
from search_speed import POSITIONS, make_table

import heatmap_engine as he

ROUNDS = 5
LINES = 1_000

# Times the first question that a process asks a table; opening the table is not part of it.
_COLD = """
import sys, time, heatmap_engine as he
engine = he.Engine(sys.argv[1], readonly=True, record="off", mode="classic")
ask = {"pick": engine.pick_move, "report": engine.report}[sys.argv[2]]
begin = time.perf_counter()
ask(sys.argv[3])
print(time.perf_counter() - begin)
"""


def cold_seconds(table: Path, question: str, fen: str) -> float:
    command = [sys.executable, "-c", _COLD, str(table), question, fen]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def reports_against_picks(table: Path) -> None:
    for name, fen in POSITIONS:
        reports = statistics.median(cold_seconds(table, "report", fen) for _ in range(ROUNDS))
        picks = statistics.median(cold_seconds(table, "pick", fen) for _ in range(ROUNDS))
        allowed = 2 * picks + 0.05
        times = f"{reports * 1e3:.1f} against {picks * 1e3:.1f} ms"
        parts = f"{times}; of 2 picks and 50 ms {reports / allowed:.2f} x"
        report(f"cold report against cold pick_move: {name}", f"{reports / picks:.2f} x", parts)


def lines_of_fens(table: Path) -> None:
    source = random.Random(7)
    fens = []
    while len(fens) < LINES:
        board = chess.Board()
        for _ in range(source.randrange(60)):
            if board.is_game_over():
                break
            board.push(source.choice([*board.legal_moves]))
        fens.append(board.fen())
    command = ["heatmap-engine", "query", "-", "--table", str(table)]
    begin, cpu_before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    answer = subprocess.run(command, check=True, capture_output=True, input="\n".join(fens), text=True)
    taken = time.perf_counter() - begin
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - cpu_before
    assert answer.stdout.count("\n") == LINES
    size = f"{len(answer.stdout) / 1e6:.0f} MB of JSON, {taken:.1f} s with the start, {cpu:.1f} s of a core"
    report("positions a second from standard input, of 100", f"{LINES / taken / 100:.2f} x", size)


def run(path: Path) -> None:
    if not path.exists():
        make_table(path)
    with he.Engine(path, readonly=True, mode="classic") as engine:
        assert engine.table is not None
        report("entries of the table", f"{len(engine.table):,}", "")
    reports_against_picks(path)
    lines_of_fens(path)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            run(Path(folder) / "table")
