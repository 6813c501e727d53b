"""Every entry of the sliding pieces' tables is what python-chess says."""

import chess
import pytest

from heatmap_engine.kernel.board.attacks import bishop_attacks_of, rook_attacks_of


@pytest.mark.parametrize("square", chess.SQUARES, ids=chess.SQUARE_NAMES)
def test_tables(square: chess.Square) -> None:
    # python-chess keys its tables by the men on the line; each of its entries is asked for here.
    lines = chess.BB_RANK_MASKS[square] | chess.BB_FILE_MASKS[square]
    for men in _subsets(lines):
        expected = chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & men]
        expected |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & men]
        assert rook_attacks_of(square, men) == expected
    for men in chess.BB_DIAG_ATTACKS[square]:
        assert bishop_attacks_of(square, men) == chess.BB_DIAG_ATTACKS[square][men]
        assert bishop_attacks_of(square, men | chess.BB_SQUARES[square]) == chess.BB_DIAG_ATTACKS[square][men]


def _subsets(mask: int) -> list[int]:
    found, subset = [0], -mask & mask
    while subset:
        found.append(subset)
        subset = (subset - mask) & mask
    return found
