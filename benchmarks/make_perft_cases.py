"""Finds positions that hit the awkward rules, and has Stockfish count them.

    python benchmarks/make_perft_cases.py > tests/heatmap_engine/kernel/perft_awkward.epd

Needs Debian's `stockfish`. Positions come from a fixed seed: few men are dropped at random and a position
is kept when python-chess says that it shows what the group is named after. The counts are Stockfish's.
"""

import random
import subprocess
from collections.abc import Callable

import chess

EACH = 9
STOCKFISH = "/usr/games/stockfish"


def dropped(rng: random.Random, men: str) -> chess.Board:
    board = chess.Board(None)
    for symbol in men:
        piece = chess.Piece.from_symbol(symbol)
        ranks = range(1, 7) if piece.piece_type == chess.PAWN else range(8)
        free = [s for s in chess.SQUARES if board.piece_at(s) is None and chess.square_rank(s) in ranks]
        board.set_piece_at(rng.choice(free), piece)
    board.turn = rng.choice([chess.WHITE, chess.BLACK])
    return board


def with_castling(rng: random.Random, men: str) -> chess.Board:
    board = dropped(rng, "Kk" + men)
    for color, rank in ((chess.WHITE, 0), (chess.BLACK, 7)):
        king = board.king(color)
        assert king is not None
        board.remove_piece_at(king)
        board.set_piece_at(chess.square(4, rank), chess.Piece(chess.KING, color))
        for file in (0, 7):
            board.set_piece_at(chess.square(file, rank), chess.Piece(chess.ROOK, color))
    board.castling_rights = chess.BB_CORNERS & board.rooks
    return board


def after_double_step(rng: random.Random, men: str) -> chess.Board | None:
    """A board on which a pawn has just made a double step beside a pawn of the other side."""
    board = dropped(rng, men)
    steps = [m for m in board.legal_moves if board.piece_type_at(m.from_square) == chess.PAWN]
    steps = [m for m in steps if abs(m.to_square - m.from_square) == 16] if board.is_valid() else []
    for move in steps:
        board.push(move)
        if any(board.generate_pseudo_legal_ep()):
            board.clear_stack()
            return board
        board.pop()
    return None


def en_passant_is_pinned(rng: random.Random) -> chess.Board | None:
    board = after_double_step(rng, "KkPPppRrBbQq"[: rng.randint(7, 12)])
    if board is None or board.is_check():
        return None
    return board if any(not board.is_legal(m) for m in board.generate_pseudo_legal_ep()) else None


def en_passant_discovers_check(rng: random.Random) -> chess.Board | None:
    board = after_double_step(rng, "KkPPppRrBbQq"[: rng.randint(7, 12)])
    if board is None:
        return None
    for move in board.generate_legal_ep():
        board.push(move)
        discovered = board.is_check() and move.to_square not in board.checkers()
        board.pop()
        if discovered:
            return board
    return None


def en_passant_in_check(rng: random.Random) -> chess.Board | None:
    board = after_double_step(rng, "KkPPppRrBbNn"[: rng.randint(6, 12)])
    return board if board is not None and board.is_check() and board.has_legal_en_passant() else None


def promotion_in_check(rng: random.Random) -> chess.Board | None:
    board = dropped(rng, "KkPPppRrNn"[: rng.randint(6, 10)])
    promotes = board.is_valid() and board.is_check() and any(m.promotion for m in board.legal_moves)
    return board if promotes else None


def promotion_gives_check(rng: random.Random) -> chess.Board | None:
    board = dropped(rng, "KkPPppRrNn"[: rng.randint(5, 10)])
    if not board.is_valid():
        return None
    checks = [m.promotion for m in board.legal_moves if m.promotion and board.gives_check(m)]
    return board if len(set(checks)) > 1 else None


def castling_is_barred(rng: random.Random) -> chess.Board | None:
    board = with_castling(rng, "QqRrBbNnPp"[: rng.randint(2, 9)])
    if not board.is_valid():
        return None
    king = board.king(board.turn)
    assert king is not None
    passed = [king - 1, king + 1, king + 2, king - 2]
    barred = board.is_check() or any(board.is_attacked_by(not board.turn, square) for square in passed)
    return board if barred else None


def double_check(rng: random.Random) -> chess.Board | None:
    board = dropped(rng, "KkQqRrBbNnPp"[: rng.randint(6, 12)])
    if not board.is_valid():
        return None
    for move in board.legal_moves:
        board.push(move)
        if board.checkers().__len__() == 2 and board.is_valid():
            board.clear_stack()
            return board
        board.pop()
    return None


GROUPS: dict[str, Callable[[random.Random], chess.Board | None]] = {
    "en passant is pinned": en_passant_is_pinned,
    "en passant discovers check": en_passant_discovers_check,
    "en passant in check": en_passant_in_check,
    "promotion in check": promotion_in_check,
    "promotion gives check": promotion_gives_check,
    "castling is barred": castling_is_barred,
    "double check": double_check,
}


def stockfish_perft(fen: str, depth: int) -> int:
    commands = f"position fen {fen}\ngo perft {depth}\nquit\n"
    output = subprocess.run([STOCKFISH], input=commands, capture_output=True, text=True, check=True).stdout
    return int(output.partition("Nodes searched: ")[2].split()[0])


def main() -> None:
    rng = random.Random(7)
    for name, find in GROUPS.items():
        print(f"# {name}")  # noqa: T201 - a script prints
        found: set[str] = set()
        while len(found) < EACH:
            board = find(rng)
            if board is None or board.fen() in found:
                continue
            found.add(board.fen())
            counts = [f";D{depth} {stockfish_perft(board.fen(), depth)}" for depth in range(1, 5)]
            print(board.fen(), " ".join(counts))  # noqa: T201


if __name__ == "__main__":
    main()
