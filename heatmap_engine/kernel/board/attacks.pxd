"""Attack tables and the look-ups on them. Everything here is ready once the module is imported."""

from heatmap_engine.kernel.board.bits cimport Bitboard, Square

cdef struct Magic:
    Bitboard mask        # the squares whose pieces matter
    Bitboard multiplier
    Bitboard* entries    # the attacks, indexed by (occupied & mask) * multiplier >> shift
    int shift

cdef Magic[64] rook_magics
cdef Magic[64] bishop_magics
cdef Bitboard[64] knight_table
cdef Bitboard[64] king_table
cdef Bitboard[64][64] between_table  # squares strictly between two squares of one line, else none
cdef Bitboard[64][64] line_table     # the whole line through two squares, else none


cdef inline Bitboard rook_attacks(Square square, Bitboard occupied) noexcept nogil:
    cdef const Magic* magic = &rook_magics[square]
    return magic.entries[((occupied & magic.mask) * magic.multiplier) >> magic.shift]


cdef inline Bitboard bishop_attacks(Square square, Bitboard occupied) noexcept nogil:
    cdef const Magic* magic = &bishop_magics[square]
    return magic.entries[((occupied & magic.mask) * magic.multiplier) >> magic.shift]
