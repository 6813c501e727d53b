"""Positions as text; see keys.pxd for the layout."""

from libc.stdint cimport uint8_t, uint32_t

from cpython.unicode cimport PyUnicode_DecodeASCII

from heatmap_engine.kernel.board.bits cimport NO_SQUARE, Bitboard, Square, bit, lowest
from heatmap_engine.kernel.board.moves cimport has_legal_en_passant
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, Position

cdef const char* _DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


cdef inline Bitboard _mirrored(Bitboard squares) noexcept nogil:
    """The a-file becomes the h-file."""
    squares = (squares >> 1) & 0x5555555555555555ULL | (squares & 0x5555555555555555ULL) << 1
    squares = (squares >> 2) & 0x3333333333333333ULL | (squares & 0x3333333333333333ULL) << 2
    return (squares >> 4) & 0x0F0F0F0F0F0F0F0FULL | (squares & 0x0F0F0F0F0F0F0F0FULL) << 4


cdef struct Planes:
    # What a key is written from: the sets of pieces, already mirrored if they have to be.
    Bitboard pawns        # but for one that can be taken en passant
    Bitboard their_pawns
    Bitboard others
    Bitboard[4] bits      # bit n of each other piece's code


cdef void _fill_planes(const Position* position, Planes* planes) noexcept nogil:
    cdef Bitboard own = position.own
    cdef Bitboard their = position.their
    cdef Bitboard castling = position.castling
    cdef Bitboard passer = 0
    cdef const Bitboard* pieces = position.pieces
    cdef int i
    if position.en_passant != NO_SQUARE and has_legal_en_passant(position):
        passer = bit(position.en_passant - 8)
    planes.pawns = pieces[PAWN] & ~passer
    planes.their_pawns = planes.pawns & their
    planes.others = (own | their) & ~planes.pawns
    # Own: knight 0000, bishop 0001, rook 0010, queen 0011, king 0100, castling rook 0101.
    # Their: knight 0110, bishop 0111, rook 1000, queen 1001, king 1010, castling rook 1011, passer 1100.
    planes.bits[0] = pieces[BISHOP] | pieces[QUEEN] | castling
    planes.bits[1] = own & (pieces[ROOK] | pieces[QUEEN]) & ~castling | their & (pieces[KNIGHT] | pieces[BISHOP] | pieces[KING] | castling)
    planes.bits[2] = own & (pieces[KING] | castling) | their & (pieces[KNIGHT] | pieces[BISHOP]) | passer
    planes.bits[3] = their & (pieces[ROOK] | pieces[QUEEN] | pieces[KING]) | passer
    if castling == 0 and lowest(own & pieces[KING]) % 8 >= 4:
        planes.pawns = _mirrored(planes.pawns)
        planes.their_pawns = _mirrored(planes.their_pawns)
        planes.others = _mirrored(planes.others)
        for i in range(4):
            planes.bits[i] = _mirrored(planes.bits[i])


cdef uint8_t* _pack_owners(Bitboard pawns, Bitboard their_pawns, uint8_t* end) noexcept nogil:
    """Write a bit for each pawn, highest first, and give the address behind them."""
    cdef int count = 0
    while pawns:
        if count % 8 == 0:
            end[count >> 3] = 0
        if their_pawns & pawns & (0 - pawns):
            end[count >> 3] |= 128 >> count % 8
        count += 1
        pawns &= pawns - 1
    return end + ((count + 7) >> 3)


cdef uint8_t* _pack_codes(const Planes* planes, uint8_t* end) noexcept nogil:
    """Write half a byte for each piece that is not a pawn, and give the address behind them."""
    cdef Bitboard others = planes.others
    cdef int halves = 0
    cdef int code
    cdef Square square
    while others:
        square = lowest(others)
        code = <int>(planes.bits[0] >> square & 1 | (planes.bits[1] >> square & 1) << 1
                     | (planes.bits[2] >> square & 1) << 2 | (planes.bits[3] >> square & 1) << 3)
        if halves & 1:
            end[halves >> 1] |= code
        else:
            end[halves >> 1] = code << 4
        halves += 1
        others &= others - 1
    return end + ((halves + 1) >> 1)


cdef int _pack(const Position* position, uint8_t* packed) noexcept nogil:
    """Fill `packed`, at most 30 bytes, and say how many."""
    cdef Planes planes
    cdef uint8_t* end = packed
    cdef int rank
    _fill_planes(position, &planes)
    for rank in range(1, 7):
        end[0] = <uint8_t>(planes.pawns >> 8 * rank)
        end += 1
    end = _pack_owners(planes.pawns, planes.their_pawns, end)
    for rank in range(8):
        end[0] = <uint8_t>(planes.others >> 8 * rank)
        end += 1
    return <int>(_pack_codes(&planes, end) - packed)


cdef int write_key(const Position* position, char* text) noexcept nogil:
    """Write the key to `text`, which has room for KEY_ROOM characters, and say how many they are."""
    cdef uint8_t[32] packed
    cdef uint32_t three
    cdef int i = 0
    cdef char* end = text
    cdef int length = _pack(position, packed)
    packed[length] = packed[length + 1] = 0
    while i < length:
        three = <uint32_t>packed[i] << 16 | <uint32_t>packed[i + 1] << 8 | packed[i + 2]
        end[0] = _DIGITS[three >> 18]
        end[1] = _DIGITS[three >> 12 & 63]
        end[2] = _DIGITS[three >> 6 & 63]
        end[3] = _DIGITS[three & 63]
        end += 4
        i += 3
    return <int>(end - text) - (i - length)


cdef str key_of_position(const Position* position):
    cdef char[KEY_ROOM] text
    cdef int length = write_key(position, text)
    return PyUnicode_DecodeASCII(text, length, NULL)


def key_of(PackedPosition position not None):
    """The key of a position."""
    return key_of_position(&position.c)
