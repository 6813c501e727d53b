"""Exchanges on one square, held against a plain recursion over python-chess's attackers."""

import chess
from hypothesis import example, given, settings
from strategies import boards

from heatmap_engine.board.reading import pack
from heatmap_engine.deep.weights import DeepWeights
from heatmap_engine.kernel.deep.exchange import wins

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
WEIGHTS = DeepWeights("plain", {}, (1, 3, 3, 5, 9, 0)).table


def gain(board: chess.Board, square: chess.Square, color: chess.Color) -> int:
    """What `color` wins by taking on the square while it pays, each time with its cheapest man.

    Of two equal ones the first as the side to move sees the board takes; another may uncover other takers.
    """
    turned = 0 if board.turn == chess.WHITE else 56
    takers = sorted(board.attackers(color, square), key=lambda man: (board.piece_type_at(man), man ^ turned))
    if not takers:
        return 0
    board = board.copy(stack=False)
    taken = board.piece_type_at(square)
    assert taken is not None
    if board.piece_type_at(takers[0]) == chess.KING and board.attackers(not color, square):
        return 0
    man = board.remove_piece_at(takers[0])
    assert man is not None
    board.set_piece_at(square, man)
    return max(0, WORTH[taken] - gain(board, square, not color))


def result(board: chess.Board, move: chess.Move) -> int:
    after = board.copy(stack=False)
    won = 0
    if board.is_en_passant(move):
        won = 1
        after.remove_piece_at(move.to_square + (-8 if board.turn else 8))
    elif board.is_capture(move):
        won = WORTH[board.piece_type_at(move.to_square) or chess.PAWN]
    man = after.remove_piece_at(move.from_square)
    assert man is not None
    if move.promotion:
        won += WORTH[move.promotion] - 1
        man = chess.Piece(move.promotion, board.turn)
    after.set_piece_at(move.to_square, man)
    return won - gain(after, move.to_square, not board.turn)


@settings(max_examples=150)
@given(boards())
@example(chess.Board("r3kB1r/Pppp1ppp/1bn4N/1P3b2/B1P1n3/q7/P1qP2PP/2R2R1K b kq - 3 7"))
def test_same_exchanges_as_a_plain_recursion(board: chess.Board) -> None:
    for move in board.legal_moves:
        if not board.is_castling(move):
            expected = result(board, move)
            assert wins(pack(board), move.uci(), expected, WEIGHTS), (board.fen(), move.uci(), expected)
            assert not wins(pack(board), move.uci(), expected + 1, WEIGHTS), (
                board.fen(),
                move.uci(),
                expected,
            )


def test_a_battery_stands_behind_the_first_taker() -> None:
    fen = "k2r4/3r4/8/3p4/8/8/3R4/K2R4 w - - 0 1"
    assert not wins(pack(fen), "d2d5", -3, WEIGHTS)  # rook for pawn, and the rook behind it for nothing more
    assert wins(pack(fen), "d2d5", -4, WEIGHTS)
