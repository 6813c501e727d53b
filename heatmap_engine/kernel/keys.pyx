"""Positions as text; see keys.pxd for the layout."""

from libc.stdint cimport uint8_t, uint32_t

from cpython.unicode cimport PyUnicode_DecodeASCII

from heatmap_engine.kernel.bits cimport NO_SQUARE, Bitboard, Square, bit, lowest
from heatmap_engine.kernel.moves cimport has_legal_en_passant
from heatmap_engine.kernel.packed cimport PackedPosition
from heatmap_engine.kernel.position cimport BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, Position

cdef const char* _DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


cdef inline Bitboard _mirrored(Bitboard squares) noexcept nogil:
    """The a-file becomes the h-file."""
    squares = (squares >> 1) & 0x5555555555555555ULL | (squares & 0x5555555555555555ULL) << 1
    squares = (squares >> 2) & 0x3333333333333333ULL | (squares & 0x3333333333333333ULL) << 2
    return (squares >> 4) & 0x0F0F0F0F0F0F0F0FULL | (squares & 0x0F0F0F0F0F0F0F0FULL) << 4


cdef void _fill_planes(const Position* position, Bitboard* planes) noexcept nogil:
    """Set bit n of each man's code in planes[n]."""
    cdef Bitboard own = position.own
    cdef Bitboard their = position.their
    cdef Bitboard passer = 0
    cdef const Bitboard* men = position.pieces
    if position.en_passant != NO_SQUARE and has_legal_en_passant(position):
        passer = bit(position.en_passant - 8)
    # Their codes: pawn 0111, knight 1000, bishop 1001, rook 1010, queen 1011, king 1100.
    planes[0] = own & (men[KNIGHT] | men[ROOK] | men[KING]) | their & (men[PAWN] | men[BISHOP] | men[QUEEN])
    planes[0] &= ~position.castling
    planes[1] = own & (men[BISHOP] | men[ROOK]) | their & (men[PAWN] | men[ROOK] | men[QUEEN])
    planes[2] = own & (men[QUEEN] | men[KING]) | their & (men[PAWN] | men[KING])
    planes[3] = their & ~men[PAWN]
    # A rook that may castle is 6 = 0110 or 13 = 1101 instead of 3 = 0011 or 10 = 1010; a passer 14 = 1110.
    planes[0] |= position.castling & their
    planes[1] &= ~(position.castling & their)
    planes[2] |= position.castling
    planes[0] &= ~passer
    planes[3] |= passer


cdef int _pack(const Position* position, uint8_t* packed) noexcept nogil:
    """Fill `packed`, at most 24 bytes, and say how many."""
    cdef Bitboard[4] planes
    cdef Bitboard men = position.own | position.their
    cdef int i, code
    cdef int length = 16  # counted in halves of bytes
    cdef Square square
    _fill_planes(position, planes)
    if position.castling == 0 and lowest(position.own & position.pieces[KING]) % 8 >= 4:
        men = _mirrored(men)
        for i in range(4):
            planes[i] = _mirrored(planes[i])
    for i in range(8):
        packed[i] = <uint8_t>(men >> (8 * i))
    while men:
        square = lowest(men)
        code = <int>(planes[0] >> square & 1 | (planes[1] >> square & 1) << 1
                     | (planes[2] >> square & 1) << 2 | (planes[3] >> square & 1) << 3)
        if length & 1:
            packed[length >> 1] |= code
        else:
            packed[length >> 1] = code << 4
        length += 1
        men &= men - 1
    return (length + 1) >> 1


cdef int write_key(const Position* position, char* text) noexcept nogil:
    """Write the key to `text`, which has room for KEY_ROOM characters, and say how many they are."""
    cdef uint8_t[26] packed
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
