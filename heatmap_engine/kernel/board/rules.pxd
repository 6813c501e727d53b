"""Whether a game is over at a position, by everything but repetition, which needs the game's history."""

from heatmap_engine.kernel.board.bits cimport NO_SQUARE, Bitboard
from heatmap_engine.kernel.board.moves cimport MoveSets, count_moves, has_legal_en_passant
from heatmap_engine.kernel.board.position cimport BISHOP, KNIGHT, PAWN, QUEEN, ROOK, Position

cdef enum:
    ONGOING
    CHECKMATE  # the side to move is mated
    STALEMATE
    INSUFFICIENT_MATERIAL
    FIFTY_MOVES
    REPETITION  # for those who know the history; never found here

    FIFTY_MOVES_CLOCK = 100  # half moves without a capture or pawn move

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
    return FIFTY_MOVES if position.clock >= FIFTY_MOVES_CLOCK else ONGOING


cdef inline bint is_same(const Position* one, const Position* other) noexcept nogil:
    """Whether two positions are the same for the rule of repetition; en passant is settled before."""
    cdef int piece
    if one.own != other.own or one.their != other.their or one.black != other.black:
        return False
    for piece in range(6):
        if one.pieces[piece] != other.pieces[piece]:
            return False
    return one.castling == other.castling and one.en_passant == other.en_passant


cdef inline void forget_idle_en_passant(Position* position) noexcept nogil:
    """A square that no pawn can capture on does not make a position another one."""
    if not has_legal_en_passant(position):
        position.en_passant = NO_SQUARE
