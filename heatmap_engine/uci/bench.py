"""Fixed positions searched without a table: a number that changes with any score, and the speed."""

import time
from collections.abc import Callable
from typing import Any

import chess

from heatmap_engine.engines.mode import mode_of

POSITIONS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1 w - - 0 10",
    "2r2rk1/1bqnbppp/pp1ppn2/8/2PNP3/1PN1BP2/P2QB1PP/2R2RK1 b - - 2 15",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
    "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1",
)


def bench(settings: Any, is_stopped: Callable[[], bool], tell: Callable[[str], None]) -> list[str]:
    """The speed, after the signature was told; nothing if it was stopped.

    The signature is of searches that take milliseconds, which say nothing about the speed: others follow.
    """
    mode = mode_of(settings)
    bench = mode.bench(settings)
    for fen in POSITIONS:
        if is_stopped():
            return []
        bench.add(fen)
    tell(f"signature {bench.signature()}")
    visited, started = 0, time.perf_counter()
    for fen in POSITIONS:
        if is_stopped():
            return []
        visited += bench.work(fen)
    seconds = time.perf_counter() - started
    return [f"{visited} {mode.effort} in {seconds:.3f} s, {visited / seconds:.0f} per second"]
