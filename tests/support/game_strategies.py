"""Random legal games, and texts as they stand around games, for property tests."""

from collections.abc import Callable
from typing import Any

import chess
from hypothesis import strategies as st

from games.chess.record import MARKS, GameRecord

# Starts from which promotions, castling on both sides, en passant and early ends come soon.
STARTS = (
    None,
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 6 8",
    "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
    "8/PPPk4/8/8/8/8/4Kppp/8 b - - 3 60",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1",
    "k7/8/8/8/8/8/5p2/K7 b - - 99 120",
    "1r3kr1/p1n3p1/8/8/8/8/P1N3P1/1R3KR1 w KQkq - 0 1",  # Chess960
)

_SPECIAL_CHARACTERS = st.sampled_from('"\\[]{}%;$#1-0* é♞')
_ANY_CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029")
texts = st.text(_SPECIAL_CHARACTERS | _ANY_CHARACTERS, max_size=20)
comments = texts.map(lambda text: " ".join(text.replace("{", "").replace("}", "").split()))
marks = st.sampled_from(["", *MARKS])
_numbers = st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
settings = st.dictionaries(texts, st.none() | st.booleans() | _numbers | texts, max_size=4)


@st.composite
def boards(draw: Callable[..., Any], max_plies: int = 60) -> chess.Board:
    """A board with a random playout on its stack; promotions and castling are taken where they can be."""
    start = draw(st.sampled_from(STARTS))
    random = draw(st.randoms(use_true_random=False))
    board = chess.Board(start) if start else chess.Board()
    board.chess960 = board.has_chess960_castling_rights()
    for _ in range(draw(st.integers(0, max_plies))):
        moves = list(board.legal_moves)
        if not moves:
            break
        special = [
            move for move in moves if move.promotion or board.is_castling(move) or board.is_en_passant(move)
        ]
        board.push(random.choice(special or moves))
    return board


@st.composite
def records(draw: Callable[..., Any], max_plies: int = 60, min_plies: int = 0) -> GameRecord:
    """A record with all its fields filled, whose result the board does not contradict."""
    board = draw(boards(max_plies).filter(lambda board: len(board.move_stack) >= min_plies))
    over = not any(board.generate_legal_moves())
    plies = len(board.move_stack)
    fields = ("termination", "event", "site", "date", "round", "white", "black", "run")
    return GameRecord.from_board(
        board,
        result=board.result() if over else draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"])),
        tags=draw(st.dictionaries(st.sampled_from(["Opening", "ECO", "WhiteElo", "X-Y"]), texts, max_size=3)),
        settings=draw(settings),
        comments=tuple(draw(st.just(()) | st.lists(comments, min_size=plies, max_size=plies))),
        marks=tuple(draw(st.just(()) | st.lists(marks, min_size=plies, max_size=plies))),
        **{name: draw(texts) for name in fields},
    )
