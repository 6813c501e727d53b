"""Sets of squares beside, before and behind others, as pawns see them; own pawns go up."""

from heatmap_engine.kernel.board.bits cimport FILE_A, FILE_H, Bitboard


cdef inline Bitboard sideways(Bitboard squares) noexcept nogil:
    return (squares & ~FILE_A) >> 1 | (squares & ~FILE_H) << 1


cdef inline Bitboard filled_down(Bitboard squares) noexcept nogil:
    squares |= squares >> 8
    squares |= squares >> 16
    return squares | squares >> 32


cdef inline Bitboard filled_up(Bitboard squares) noexcept nogil:
    squares |= squares << 8
    squares |= squares << 16
    return squares | squares << 32


cdef inline Bitboard passed(Bitboard own, Bitboard their) noexcept nogil:
    """Own pawns that no pawn of the other side can stop or take, the foremost of each file."""
    return own & ~filled_down((their | sideways(their)) >> 8) & ~filled_down(own >> 8)
