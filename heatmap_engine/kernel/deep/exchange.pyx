"""What a series of captures on one square wins or loses; see exchange.pxd."""

from heatmap_engine.kernel.board.attacks cimport bishop_attacks, king_table, knight_table, rook_attacks
from heatmap_engine.kernel.board.bits cimport FILE_A, FILE_H, Bitboard, Square, bit
from heatmap_engine.kernel.board.moves cimport MoveSets, find_moves, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport (
    BISHOP, CASTLING_FLAG, EN_PASSANT_FLAG, KING, KNIGHT, MAX_MOVES, PAWN, QUEEN, ROOK, Move, Position,
    from_square, moved_piece, promotion, to_square, uci_name,
)
from heatmap_engine.kernel.deep.evaluation cimport HeatWeights
from heatmap_engine.kernel.deep.keyed_position cimport piece_on


cdef inline Bitboard _sliding_onto(const Position* position, Square square, Bitboard occupied) noexcept nogil:
    return (rook_attacks(square, occupied) & (position.pieces[ROOK] | position.pieces[QUEEN])
            | bishop_attacks(square, occupied) & (position.pieces[BISHOP] | position.pieces[QUEEN])) & occupied


cdef inline Bitboard _attacking(const Position* position, Square square, Bitboard occupied) noexcept nogil:
    """The pieces of both sides that attack a square."""
    cdef Bitboard target = bit(square)
    cdef Bitboard own_pawns = (target & ~FILE_A) >> 9 | (target & ~FILE_H) >> 7
    cdef Bitboard their_pawns = (target & ~FILE_A) << 7 | (target & ~FILE_H) << 9
    return (_sliding_onto(position, square, occupied)
            | knight_table[square] & position.pieces[KNIGHT]
            | king_table[square] & position.pieces[KING]
            | own_pawns & position.pieces[PAWN] & position.own
            | their_pawns & position.pieces[PAWN] & position.their) & occupied


cdef bint wins_exchange(const Position* position, Move move, int threshold, const int* worth) noexcept nogil:
    """Whether `move` wins at least `threshold` when both sides take on its square while it pays.

    Each side takes with its cheapest piece. Pins, and what a promotion makes of later takers, are left out.
    """
    cdef Square square = to_square(move)
    cdef int kind = promotion(move) if promotion(move) else moved_piece(move)
    cdef Bitboard occupied = (position.own | position.their) & ~bit(from_square(move)) | bit(square)
    cdef Bitboard attackers, takers
    cdef int balance = -threshold
    cdef bint ours = False
    if move & CASTLING_FLAG:
        return threshold <= 0
    if move & EN_PASSANT_FLAG:
        balance += worth[PAWN]
        occupied ^= bit(square - 8)
    elif position.their & bit(square):
        balance += worth[piece_on(position, square)]
    if promotion(move):
        balance += worth[kind] - worth[PAWN]
    if balance < 0:
        return False  # even if nobody takes back
    balance -= worth[kind]
    if balance >= 0:
        return True   # even if the piece is lost
    attackers = _attacking(position, square, occupied)
    # From here on, whoever has to take is the one that is behind; he who cannot, loses.
    while True:
        takers = attackers & occupied & (position.own if ours else position.their)
        if takers == 0:
            return not ours
        kind = PAWN
        while not takers & position.pieces[kind]:
            kind += 1
        if kind == KING:
            # A king may not take what is still guarded.
            return ours if attackers & occupied & (position.their if ours else position.own) == 0 else not ours
        takers &= position.pieces[kind]
        occupied ^= takers & (0 - takers)
        attackers |= _sliding_onto(position, square, occupied)
        attackers &= occupied
        # The taker is ahead if he stays so even when his piece is lost.
        balance = -balance - 1 - worth[kind]
        ours = not ours
        if balance >= 0:
            return not ours


def wins(PackedPosition position not None, str uci, int threshold, HeatWeights weights not None):
    """As wins_exchange, for a legal move by its UCI name."""
    cdef MoveSets sets
    cdef Move[MAX_MOVES] moves
    cdef int i
    find_moves(&position.c, &sets)
    for i in range(list_moves(&position.c, &sets, moves)):
        if uci_name(&position.c, moves[i]) == uci:
            return bool(wins_exchange(&position.c, moves[i], threshold, weights.worth))
    raise ValueError(f"expected a legal move, got {uci!r}")
