"""The executable specification: heat and scores in the most obvious code that is right.

This is the definition; the README says it in prose. It is thousands of times slower than the kernel and
imported by tests and benchmarks only.
"""

from collections.abc import Callable

import chess
import numpy as np
import numpy.typing as npt

from heatmap_engine.classic.weights import CMHM2, Weights

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def landings(board: chess.Board, depth: int) -> Counts:
    """L: the legal moves, indexed by ply, colour, piece type - 1 and the square they land on."""
    counts = np.zeros((depth + 1, 2, 6, 64), dtype=np.int64)
    _add_landings(board.copy(stack=False), 0, counts)
    return counts


def _add_landings(board: chess.Board, ply: int, counts: Counts) -> None:
    for move in board.legal_moves:
        piece_type = board.piece_type_at(move.from_square)
        assert piece_type is not None
        # int(): numpy takes a bool, which a colour is, for a mask.
        counts[ply, int(board.turn), piece_type - 1, landing_square(board, move)] += 1
        if ply + 1 < len(counts):
            board.push(move)
            _add_landings(board, ply + 1, counts)
            board.pop()


def landing_square(board: chess.Board, move: chess.Move) -> chess.Square:
    """Where the piece lands; in Chess960 a castling move names the rook's square."""
    if not board.is_castling(move):
        return move.to_square
    file = 6 if move.to_square > move.from_square else 2
    return chess.square(file, chess.square_rank(move.from_square))


def discounted(counts: Counts) -> Floats:
    """Each ply's counts divided by the number of all moves of the ply before; nothing divides the first."""
    plies = counts.astype(np.float64)
    for ply in range(1, len(counts)):
        moves_before = counts[ply - 1].sum()
        if moves_before:
            plies[ply] /= moves_before
    return plies


def heatmap_by_piece(board: chess.Board, depth: int = 1) -> Floats:
    """heat(P, d), indexed by colour, piece type - 1 and square."""
    heat: Floats = discounted(landings(board, depth)).sum(axis=0)
    return heat


def heatmap(board: chess.Board, depth: int = 1) -> Floats:
    """heat(P, d), indexed by colour and square."""
    heat: Floats = heatmap_by_piece(board, depth).sum(axis=1)
    return heat


def box(board: chess.Board, color: chess.Color) -> list[chess.Square]:
    """Box(c): the king's square and its neighbours."""
    king = board.king(color)
    assert king is not None
    return [king, *chess.SquareSet(chess.BB_KING_ATTACKS[king])]


def terminal(board: chess.Board) -> str | None:
    """Why the game is over at this position, or None."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_insufficient_material():
        return "insufficient material"
    if board.halfmove_clock >= 100:
        return "fifty moves"
    if board.is_repetition(3):
        return "threefold repetition"
    return None


def terminal_score(board: chess.Board, depth: int = 1, weights: Weights = CMHM2) -> float | None:
    """The score of a position where the game is over, or None."""
    reason = terminal(board)
    if reason is None:
        return None
    if reason != "checkmate":
        return 0.0
    mate = weights.mate * chess.popcount(board.occupied) * (depth + 1)
    return -mate if board.turn == chess.WHITE else mate


def score(board: chess.Board, depth: int = 1, weights: Weights = CMHM2) -> float:
    """score(P, d): White minus Black, heat everywhere plus heat on the other king's box."""
    over = terminal_score(board, depth, weights)
    return weighed(board, landings(board, depth), weights) if over is None else over


def weighed(board: chess.Board, counts: Counts, weights: Weights) -> float:
    """The same of a position that is not over, from its landings."""
    total = 0.0
    for ply, heat in enumerate(discounted(counts)):
        move_weights = weights.move[min(ply, len(weights.move) - 1)]
        box_weights = weights.box[min(ply, len(weights.box) - 1)]
        for color, sign in ((chess.WHITE, 1), (chess.BLACK, -1)):
            side = heat[int(color)]
            total += sign * float(move_weights @ side.sum(axis=1))
            total += sign * float(box_weights @ side[:, box(board, not color)].sum(axis=1))
    return total


def minimax(
    board: chess.Board,
    plies: int,
    tactical_plies: int,
    leaf: Callable[[chess.Board], float],
    terminal_leaf: Callable[[chess.Board], float | None],
) -> float:
    """The value of a position, White minus Black, in its general form.

    After the full-width plies a position is expanded further while the move that led to it was tactical,
    at most `tactical_plies` times in a row.
    """
    over = terminal_leaf(board)
    if over is not None:
        return over
    if plies == 0 and (tactical_plies == 0 or not was_tactical(board)):
        return leaf(board)
    below = (plies - 1, tactical_plies) if plies else (0, tactical_plies - 1)
    values = []
    for move in list(board.legal_moves):
        board.push(move)
        values.append(minimax(board, *below, leaf, terminal_leaf))
        board.pop()
    return max(values) if board.turn == chess.WHITE else min(values)


def was_tactical(board: chess.Board) -> bool:
    """Whether the last move gave check or captured."""
    if board.is_check():
        return True
    move = board.pop()
    captured = board.is_capture(move)
    board.push(move)
    return captured


def candidates(
    board: chess.Board,
    plies: int = 2,
    tactical_plies: int = 1,
    depth: int = 1,
    weights: Weights = CMHM2,
    known: Callable[[chess.Board], float | None] = lambda board: None,
) -> dict[str, float]:
    """Every legal move's score; `known` is the table: a position's value, White minus Black, or None."""

    def leaf(position: chess.Board) -> float:
        value = known(position)
        return score(position, depth, weights) if value is None else value

    def terminal_leaf(position: chess.Board) -> float | None:
        return terminal_score(position, depth, weights)

    board = board.copy()
    scores = {}
    for move in list(board.legal_moves):
        board.push(move)
        scores[move.uci()] = minimax(board, plies - 1, tactical_plies, leaf, terminal_leaf)
        board.pop()
    return scores
