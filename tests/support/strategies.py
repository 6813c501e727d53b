"""Hypothesis strategies for positions, shared by all tests."""

import random
from typing import Any

import chess
from hypothesis import strategies as st

# Games start here: the usual start, crowded and empty boards, promotions and en passant close by.
STARTS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "1n1n4/2P1k3/8/8/8/8/4K1p1/5N1N w - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "4k2q/1P4P1/8/2pP4/8/8/1p4p1/Q3K3 w - c6 0 2",
    "8/8/4kb2/8/2K5/8/3NB3/8 w - - 90 100",
    # Chess960: a start, and kings and rooks that swap squares, stay where they are, or shield one another.
    "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
    "1r3kr1/p1n3p1/8/8/8/8/P1N3P1/1R3KR1 w GBgb - 0 1",
    "qrk4r/7p/8/3b4/3B4/8/7P/qRK4R w HBhb - 0 1",
)
ENDGAMES = (*STARTS[3:5], STARTS[8])


def playout(start: str, plies: int, seed: int) -> chess.Board:
    """A board after random legal moves, with their history; shorter if the game ends before."""
    board = chess.Board(start)
    board.chess960 = board.has_chess960_castling_rights()
    rng = random.Random(seed)
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board


@st.composite
def boards(draw: Any, starts: tuple[str, ...] = STARTS, max_plies: int = 120) -> chess.Board:
    start = draw(st.sampled_from(starts))
    plies = draw(st.integers(0, max_plies))
    return playout(start, plies, draw(st.integers(0, 2**32)))
