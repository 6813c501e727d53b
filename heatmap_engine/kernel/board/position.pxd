"""A position as the kernel sees it: always from the side to move, whose pawns go up the board.

A position with Black to move is stored upside down (ranks mirrored, colours exchanged). So there is one
set of rules instead of two, and a position and its colour-flipped twin are the same numbers: their
scores cannot differ by anything but the sign. Eight byte swaps a move pay for it, about 2 ns.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from heatmap_engine.kernel.board.bits cimport Bitboard, NO_SQUARE, RANK_1, Square, bit, flipped, lowest

# The pieces, in the order of python-chess.
cdef enum:
    PAWN
    KNIGHT
    BISHOP
    ROOK
    QUEEN
    KING

cdef struct Position:
    Bitboard[6] pieces   # of both sides, by kind
    Bitboard own         # pieces of the side to move
    Bitboard their       # pieces of the other side
    Bitboard castling    # rooks that may still castle, at most one on each side of a king
    uint16_t clock       # half moves since the last capture or pawn move
    uint8_t en_passant   # the square a pawn has just passed over, or NO_SQUARE
    uint8_t black        # 1 if Black is to move, and the board therefore upside down
    uint8_t chess960     # 1 if rooks off the corners may castle, and castling is named as king takes rook

# A move, as the side to move sees the board:
#
#     bits   0-5    6-11   12-14   15-17        18           19         20
#            from   to     piece   promotion    en passant   castling   pawn's double step
#
# Promotion is the piece that appears, 0 (a pawn) for none. Castling goes to where the king lands, also where that is
# its own square or the rook's; on which side it is, says which rook: castling_rook().
ctypedef uint32_t Move

cdef enum:
    TO_SHIFT = 6
    PIECE_SHIFT = 12
    PROMOTION_SHIFT = 15
    EN_PASSANT_FLAG = 1 << 18
    CASTLING_FLAG = 1 << 19
    DOUBLE_STEP_FLAG = 1 << 20
    # 218 is the most that a game can reach, but fifteen queens may be set up on a board:
    # 15 queens of 27 moves and a king of 10 are below this.
    MAX_MOVES = 448


cdef inline Square from_square(Move move) noexcept nogil:
    return move & 63


cdef inline Square to_square(Move move) noexcept nogil:
    return (move >> TO_SHIFT) & 63


cdef inline int moved_piece(Move move) noexcept nogil:
    return (move >> PIECE_SHIFT) & 7


cdef inline int promotion(Move move) noexcept nogil:
    return (move >> PROMOTION_SHIFT) & 7


cdef inline bint is_capture(const Position* position, Move move) noexcept nogil:
    return (bit(to_square(move)) & position.their) != 0 or (move & EN_PASSANT_FLAG) != 0


cdef inline Bitboard castling_rook(const Position* position, Move move) noexcept nogil:
    """The rook of a castling move: the one on the side that the king goes to."""
    cdef Bitboard king = bit(from_square(move))
    cdef Bitboard side = 0 - king if to_square(move) == 6 else king - 1
    return position.castling & RANK_1 & side


cdef inline Bitboard castled_rook(Move move) noexcept nogil:
    """Where the rook of a castling move lands: beside the king, towards the middle."""
    return bit(5) if to_square(move) == 6 else bit(3)


cdef inline void make(const Position* before, Move move, Position* after) noexcept nogil:
    """The position after a legal move; `after` must not be `before`."""
    cdef Bitboard from_bit = bit(from_square(move))
    cdef Bitboard to_bit = bit(to_square(move))
    cdef Bitboard taken = before.their & to_bit
    cdef int piece = moved_piece(move)
    cdef int lands_as = promotion(move) if promotion(move) else piece
    cdef Bitboard own = before.own ^ from_bit ^ to_bit
    cdef Bitboard castling = before.castling & ~(from_bit | to_bit)
    cdef Bitboard[6] pieces
    cdef Bitboard keep, rook
    cdef int kind
    if move & EN_PASSANT_FLAG:
        taken = to_bit >> 8
    keep = ~(from_bit | taken)
    for kind in range(6):
        pieces[kind] = before.pieces[kind] & keep
    pieces[lands_as] |= to_bit
    if piece == KING:
        castling &= ~RANK_1
        if move & CASTLING_FLAG:
            # In Chess960 king and rook may swap squares, or one of them stay where it is.
            rook = castling_rook(before, move)
            pieces[ROOK] = pieces[ROOK] & ~rook | castled_rook(move)
            own = before.own & ~(from_bit | rook) | to_bit | castled_rook(move)
    for kind in range(6):
        after.pieces[kind] = flipped(pieces[kind])
    after.own = flipped(before.their & ~taken)
    after.their = flipped(own)
    after.castling = flipped(castling)
    after.clock = 0 if taken or piece == PAWN else before.clock + 1
    after.en_passant = <uint8_t>(to_square(move) - 8) ^ 56 if move & DOUBLE_STEP_FLAG else NO_SQUARE
    after.black = before.black ^ 1
    after.chess960 = before.chess960


cdef inline str square_name(Square square):
    return chr(ord('a') + square % 8) + chr(ord('1') + square // 8)


cdef inline str uci_name(const Position* position, Move move):
    """The move as UCI writes it, on the board as White sees it."""
    cdef int turn = 56 if position.black else 0
    cdef Square target = to_square(move)
    if position.chess960 and move & CASTLING_FLAG:
        target = lowest(castling_rook(position, move))
    name = square_name(from_square(move) ^ turn) + square_name(target ^ turn)
    return name + " nbrq"[promotion(move)] if promotion(move) else name
