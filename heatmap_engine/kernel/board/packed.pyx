"""The door between python-chess and the kernel: boards in, positions packed for C."""

from cpython.number cimport PyNumber_Index

from heatmap_engine.kernel.board.bits cimport NO_SQUARE, RANK_1, RANK_8, Bitboard, Square, bit, flipped, popcount
from heatmap_engine.kernel.board.moves cimport attackers_of_king
from heatmap_engine.kernel.board.position cimport BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, Position

cdef Bitboard _CORNERS = bit(0) | bit(7) | bit(56) | bit(63)


cdef class PackedPosition:
    """A copy of a board's position, without its history.

    `plain` says that a few cheap tests found nothing odd, so that python-chess's own `status()`, twenty
    times slower than a score, need not be asked. A position that is not plain may still be valid; one
    that is not valid must not reach the rest of the kernel.
    """

    def __cinit__(self, board):
        """Read a board; the kernel itself gives None and fills the position in."""
        if board is not None:
            self._read(board)

    cdef int _read(self, board) except -1:
        cdef Bitboard white, black
        black, white = board.occupied_co
        self.c.pieces[PAWN] = board.pawns
        self.c.pieces[KNIGHT] = board.knights
        self.c.pieces[BISHOP] = board.bishops
        self.c.pieces[ROOK] = board.rooks
        self.c.pieces[QUEEN] = board.queens
        self.c.pieces[KING] = board.kings
        self.c.castling = board.castling_rights
        self.c.clock = min(PyNumber_Index(board.halfmove_clock), 10_000)  # past any rule's limit, and fits
        self.c.en_passant = NO_SQUARE
        if board.ep_square is not None:
            if not 0 <= PyNumber_Index(board.ep_square) < 64:
                raise ValueError(f"an en passant square of {board.ep_square}")
            self.c.en_passant = board.ep_square
        turn = board.turn
        if turn is not True and turn is not False:
            raise TypeError(f"a turn of {turn!r:.40}")
        self.c.own = white
        self.c.their = black
        self.c.black = 0
        self.c.chess960 = bool(board.chess960)
        self.plain = _is_sound(&self.c) and (<Bitboard>board.occupied == white | black)
        if not turn:
            _turn_over(&self.c)
        self.plain = self.plain and _is_plain(&self.c)
        return 0

    @property
    def black(self):
        """Whether Black is to move."""
        return bool(self.c.black)

    @property
    def in_check(self):
        """Whether the side to move has a check to answer."""
        return attackers_of_king(&self.c, True) != 0


cdef void _turn_over(Position* position) noexcept nogil:
    cdef Bitboard own = position.own
    cdef int kind
    for kind in range(6):
        position.pieces[kind] = flipped(position.pieces[kind])
    position.own = flipped(position.their)
    position.their = flipped(own)
    position.castling = flipped(position.castling)
    if position.en_passant != NO_SQUARE:
        position.en_passant ^= 56
    position.black = 1


cdef bint _is_sound(const Position* position) noexcept nogil:
    """Whether each square holds one piece of one colour at most, and each side has one king."""
    cdef Bitboard occupied = 0
    cdef int kind
    for kind in range(6):
        if occupied & position.pieces[kind]:
            return False
        occupied |= position.pieces[kind]
    return (occupied == position.own | position.their and position.own & position.their == 0
            and popcount(position.pieces[KING] & position.own) == 1
            and popcount(position.pieces[KING] & position.their) == 1)


cdef bint _is_plain(const Position* position) noexcept nogil:
    """Whether a sound position is surely valid; stricter than need be where that is cheaper."""
    cdef Bitboard checkers
    if popcount(position.own) > 16 or popcount(position.their) > 16:
        return False
    if position.pieces[PAWN] & (RANK_1 | RANK_8):
        return False
    if (popcount(position.pieces[PAWN] & position.own) > 8
            or popcount(position.pieces[PAWN] & position.their) > 8):
        return False
    if attackers_of_king(position, False):
        return False
    checkers = attackers_of_king(position, True)
    if checkers & (checkers - 1):
        return False
    return _castling_is_plain(position) and (position.en_passant == NO_SQUARE
                                             or checkers == 0 and _en_passant_is_plain(position))


cdef bint _castling_is_plain(const Position* position) noexcept nogil:
    cdef Bitboard own = position.castling & RANK_1
    cdef Bitboard their = position.castling & RANK_8
    if own & ~position.own or their & ~position.their or position.castling & ~(position.pieces[ROOK] & (RANK_1 | RANK_8)):
        return False
    if position.chess960:
        return (_is_between(position.pieces[KING] & position.own & RANK_1, own)
                and _is_between(position.pieces[KING] & position.their & RANK_8, their))
    if position.castling & ~_CORNERS:
        return False
    if own and not position.pieces[KING] & position.own & bit(4):
        return False
    return not their or position.pieces[KING] & position.their & bit(60) != 0


cdef bint _is_between(Bitboard king, Bitboard rooks) noexcept nogil:
    """Whether the king is on its first rank, with at most one of its castling rooks on each side."""
    cdef Bitboard left = rooks & (king - 1)
    cdef Bitboard right = rooks & ~(king - 1)
    return rooks == 0 or king and left & (left - 1) == 0 and right & (right - 1) == 0


cdef bint _en_passant_is_plain(const Position* position) noexcept nogil:
    """Whether a pawn can have just passed over the square, as python-chess's status() asks it."""
    cdef Square square = position.en_passant
    cdef Bitboard occupied = position.own | position.their
    if square < 40 or square > 47:
        return False
    return (position.pieces[PAWN] & position.their & bit(square - 8) != 0
            and occupied & (bit(square) | bit(square + 8)) == 0)
