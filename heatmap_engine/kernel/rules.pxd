"""Whether a game is over at a position, by everything but repetition, which needs the game's history."""

from heatmap_engine.kernel.bits cimport Bitboard, popcount
from heatmap_engine.kernel.moves cimport MoveSets, count_moves
from heatmap_engine.kernel.position cimport BISHOP, KNIGHT, PAWN, QUEEN, ROOK, Position

cdef enum:
    ONGOING
    CHECKMATE  # the side to move is mated
    STALEMATE
    INSUFFICIENT_MATERIAL
    FIFTY_MOVES
    REPETITION  # for those who know the history; never found here

cdef extern from *:
    """
    #define HEATMAP_DARK_SQUARES 0xAA55AA55AA55AA55ULL
    """
    const Bitboard DARK_SQUARES "HEATMAP_DARK_SQUARES"


cdef inline bint has_insufficient_material(const Position* position) noexcept nogil:
    """Whether neither side could mate with any help: a lone minor piece, or bishops of one square colour."""
    cdef Bitboard bishops = position.pieces[BISHOP]
    cdef Bitboard knights = position.pieces[KNIGHT]
    if position.pieces[PAWN] | position.pieces[ROOK] | position.pieces[QUEEN]:
        return False
    if knights:
        return bishops == 0 and knights & (knights - 1) == 0
    return bishops & DARK_SQUARES == 0 or bishops & ~DARK_SQUARES == 0


cdef inline int state_of(const Position* position, const MoveSets* sets) noexcept nogil:
    """The state of a position whose moves are `sets`."""
    if count_moves(sets) == 0:
        return CHECKMATE if sets.checkers else STALEMATE
    if has_insufficient_material(position):
        return INSUFFICIENT_MATERIAL
    return FIFTY_MOVES if position.clock >= 100 else ONGOING
