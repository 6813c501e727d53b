"""Keys of positions, as the table keeps them; kernel/keys.pxd says how they are written.

A position, its colour-flipped twin and, without castling rights, its left-right mirror image have one key.
So a key's value is always that of the side to move.
"""

import base64
import binascii

import chess

from heatmap_engine.errors import InvalidKey
from heatmap_engine.kernel.keys import key_of as kernel_key_of
from heatmap_engine.positions import BoardLike, pack

# Goes into a table's settings: tables with keys of another format must not be mixed.
KEY_FORMAT = 1

_PIECES = "PNBRQKRpnbrqkrp"
_OWN_CASTLING_ROOK, _THEIR_CASTLING_ROOK, _PASSER = 6, 13, 14


def key_of(board: BoardLike) -> str:
    """The key of a position: at most 32 characters, the same by whatever moves it was reached."""
    return kernel_key_of(pack(board))


def board_of(key: str) -> chess.Board:
    """The position of a key, with White to move; it may be a mirror image of the one that was put in."""
    men, codes = _unpacked(key)
    board = chess.Board(None)
    for square, code in zip(chess.scan_forward(men), codes, strict=False):
        if code >= len(_PIECES):
            raise InvalidKey(f"expected codes from 0 to 14 in a position's key, got {code} in {key!r:.80}")
        board.set_piece_at(square, chess.Piece.from_symbol(_PIECES[code]))
        if code in (_OWN_CASTLING_ROOK, _THEIR_CASTLING_ROOK):
            board.castling_rights |= chess.BB_SQUARES[square]
        if code == _PASSER:
            board.ep_square = square + 8
    try:
        if key_of(board) == key:
            return board
    except ValueError as error:
        raise InvalidKey(f"expected the key of a legal position, got {key!r:.80}: {error}") from error
    raise InvalidKey(f"expected a position's key as it is written, got {key!r:.80}")


def _unpacked(key: str) -> tuple[int, list[int]]:
    """The set of men and the code of each."""
    try:
        packed = base64.b64decode(key.encode("ascii") + b"=" * (-len(key) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error) as error:
        raise InvalidKey(f"expected base64url text as a position's key, got {key!r:.80}: {error}") from error
    men = int.from_bytes(packed[:8], "little")
    codes = [code for byte in packed[8:] for code in (byte >> 4, byte & 15)]
    if len(packed) < 8 or len(packed) != 8 + (men.bit_count() + 1) // 2:
        raise InvalidKey(f"expected half a byte for each man in a position's key, got {key!r:.80}")
    return men, codes
