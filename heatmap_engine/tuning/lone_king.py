"""Games against a lone king: how it is driven to mate is learned from those that were won.

Plain self-play teaches it badly. Games end with the first announced mate, and what is left of such endings
is the positions where the winner did not know how to go on.
"""

import random

import chess

from heatmap_engine.board.ends import terminal
from heatmap_engine.deep.search import DeepSearch
from heatmap_engine.limits import Limits
from heatmap_engine.tuning.training_games import is_quiet

# What the winner has besides its king; the hard ones more often.
_WINNERS = ("Q", "R", "R", "R", "BB", "BB", "BN", "BN", "BN", "RB", "RN", "RR", "QB", "QR", "BBN", "BNN")

# A win is sure enough to count this much, and the rest by how near the mate is: this much less by each ply.
_SURE = 0.9
_FADING = 0.97


def lone_king(rng: random.Random) -> chess.Board:
    """A position of a lone king against pieces that can mate it, or against two bishops of one colour."""
    winner = rng.choice((chess.WHITE, chess.BLACK))
    while True:
        men = rng.choice(_WINNERS)
        board = chess.Board(None)
        king, lone, *others = rng.sample(chess.SQUARES, 2 + len(men))
        board.set_piece_at(king, chess.Piece(chess.KING, winner))
        board.set_piece_at(lone, chess.Piece(chess.KING, not winner))
        for square, name in zip(others, men, strict=True):
            board.set_piece_at(square, chess.Piece(chess.PIECE_SYMBOLS.index(name.lower()), winner))
        board.turn = winner
        if board.is_valid() and terminal(board) is None:
            return board


def play_to_mate(search: DeepSearch, board: chess.Board, nodes: int) -> list[tuple[str, float]]:
    """The quiet positions of a game and what White should expect there; none if nobody was mated."""
    search.clear()
    limits = Limits(nodes=nodes)
    positions: list[tuple[int, str]] = []
    winner = board.turn
    while (end := terminal(board)) is None:
        move = search.search(board, limits).move
        if is_quiet(board, move):
            positions.append((board.ply(), board.fen(en_passant="fen")))
        board.push(move)
    if end != "checkmate":
        return []
    last = board.ply()
    return [(fen, _expected(last - ply, winner)) for ply, fen in positions]


def _expected(plies_to_mate: int, winner: chess.Color) -> float:
    expected = _SURE + (1 - _SURE) * _FADING**plies_to_mate
    return round(expected if winner else 1 - expected, 5)
