"""Legal moves: the only place that knows how pieces move, what pins them and what a check forbids."""

from heatmap_engine.kernel.board.bits cimport RANK_8, Bitboard, Square, popcount
from heatmap_engine.kernel.board.position cimport Move, Position

cdef enum:
    MAX_PIECES = 16  # of one side, the king included; pawns are kept as sets

cdef struct MoveSets:
    # All legal moves of a position, as sets of squares they land on. En passant is among the pawns'
    # captures, castling among the king's moves, where the king lands. A pawn's from-square follows from where it lands.
    Bitboard steps           # pawns one square ahead
    Bitboard double_steps    # pawns two squares ahead
    Bitboard left_captures   # pawns towards the a-file
    Bitboard right_captures  # pawns towards the h-file
    Bitboard checkers        # their pieces that give check
    Bitboard guards          # what the pieces guard, pinned ones too; of a double check, nothing
    Bitboard castling        # of the king's targets, where it castles to
    Bitboard stepped         # of those, the ones it may also step to: two moves to one square, in Chess960 only
    int count                # how many of the following are filled, ordered by piece
    int[MAX_PIECES] piece
    Square[MAX_PIECES] origin
    Bitboard[MAX_PIECES] targets

cdef void find_moves(const Position* position, MoveSets* sets) noexcept nogil
cdef int list_moves(const Position* position, const MoveSets* sets, Move* moves) noexcept nogil
cdef int list_captures(const Position* position, const MoveSets* sets, Move* moves) noexcept nogil
cdef int list_quiets(const Position* position, const MoveSets* sets, Move* moves) noexcept nogil
cdef bint has_legal_en_passant(const Position* position) noexcept nogil
cdef Bitboard attackers_of_king(const Position* position, bint own) noexcept nogil


cdef inline int count_pawn_moves(const MoveSets* sets, Bitboard where) noexcept nogil:
    """The pawns' moves that land on `where`; one that lands on the last rank makes four."""
    cdef int count = (popcount(sets.steps & where) + popcount(sets.double_steps & where)
                      + popcount(sets.left_captures & where) + popcount(sets.right_captures & where))
    cdef Bitboard last = where & RANK_8
    if (sets.steps | sets.left_captures | sets.right_captures) & last:
        count += 3 * (popcount(sets.steps & last) + popcount(sets.left_captures & last)
                      + popcount(sets.right_captures & last))
    return count


cdef inline int count_moves(const MoveSets* sets) noexcept nogil:
    cdef int count = count_pawn_moves(sets, ~<Bitboard>0) + popcount(sets.stepped)
    cdef int i
    for i in range(sets.count):
        count += popcount(sets.targets[i])
    return count
