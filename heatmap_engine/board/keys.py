"""Keys of positions, as the table keeps them; kernel/board/keys.pxd says how they are written.

A position, its colour-flipped twin and, without castling rights, its left-right mirror image have one key.
So a key's value is always that of the side to move. A position of Chess960 has the key that it has in chess
where both allow the same castling: the same moves follow. Other castling rights are other keys, by the rooks'
squares.
"""

import base64
import binascii

import chess

from heatmap_engine.board.reading import BoardLike, pack
from heatmap_engine.errors import InvalidKey
from heatmap_engine.kernel.board.keys import key_of as kernel_key_of

# Goes into a table's settings: tables with keys of another format must not be mixed.
KEY_FORMAT = 1

_PIECES = "NBRQKRnbrqkrp"
_OWN_CASTLING_ROOK, _THEIR_CASTLING_ROOK, _PASSER = 5, 11, 12


def key_of(board: BoardLike) -> str:
    """The key of a position, at most 40 characters. It does not depend on the moves that led there."""
    return kernel_key_of(pack(board))


def board_of(key: str) -> chess.Board:
    """The position of a key, with White to move; it may be a mirror image of the one that was put in."""
    pawns, owners, pieces, codes = _unpacked(key)
    board = chess.Board(None)
    for square, theirs in zip(chess.scan_forward(pawns), owners, strict=False):
        board.set_piece_at(square, chess.Piece(chess.PAWN, not theirs))
    for square, code in zip(chess.scan_forward(pieces), codes, strict=False):
        if code >= len(_PIECES):
            raise InvalidKey(f"expected codes from 0 to 12 in a position's key, got {code} in {key!r:.80}")
        board.set_piece_at(square, chess.Piece.from_symbol(_PIECES[code]))
        if code in (_OWN_CASTLING_ROOK, _THEIR_CASTLING_ROOK):
            board.castling_rights |= chess.BB_SQUARES[square]
        if code == _PASSER:
            board.ep_square = (square + 8) % 64
    board.chess960 = board.has_chess960_castling_rights()
    try:
        if key_of(board) == key:
            return board
    except ValueError as error:
        raise InvalidKey(f"expected the key of a legal position, got {key!r:.80}: {error}") from error
    raise InvalidKey(f"expected a position's key as it is written, got {key!r:.80}")


def _unpacked(key: str) -> tuple[int, list[int], int, list[int]]:
    """The set of pawns and a bit for each, the set of other pieces and a code for each."""
    try:
        packed = base64.b64decode(key.encode("ascii") + b"=" * (-len(key) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error) as error:
        raise InvalidKey(f"expected base64url text as a position's key, got {key!r:.80}: {error}") from error
    pawns = int.from_bytes(packed[:6], "little") << 8
    start = 6 + (pawns.bit_count() + 7) // 8
    owners = [byte >> shift & 1 for byte in packed[6:start] for shift in range(7, -1, -1)]
    pieces = int.from_bytes(packed[start : start + 8], "little")
    codes = [code for byte in packed[start + 8 :] for code in (byte >> 4, byte & 15)]
    if len(packed) != start + 8 + (pieces.bit_count() + 1) // 2:
        raise InvalidKey(f"expected as much as its pieces need in a position's key, got {key!r:.80}")
    return pawns, owners, pieces, codes
