"""A position with what a deep search keeps beside it: its key as a number, brought up to date move by move.

The key is a Zobrist key, a sum without carry (exclusive or) of random numbers, one for each piece on its square as White
sees the board, each castling right, the file of a pawn that can be taken en passant, and the side to move.
A pawn that nobody can take en passant is no part of a position, so its square is forgotten at once.
"""

from libc.stdint cimport int64_t, uint16_t, uint64_t

from heatmap_engine.kernel.board.bits cimport NO_SQUARE, Bitboard, Square, bit, flipped, lowest
from heatmap_engine.kernel.board.moves cimport has_legal_en_passant
from heatmap_engine.kernel.board.position cimport (
    CASTLING_FLAG, DOUBLE_STEP_FLAG, EN_PASSANT_FLAG, PAWN, ROOK, Move, Position,
    castled_rook, castling_rook, from_square, make, moved_piece, promotion, to_square,
)

cdef struct KeyedPosition:
    Position position
    uint64_t key       # of the whole position
    uint64_t pawn_key  # of the pawns alone
    uint64_t[2] piece_keys  # of White's other pieces and of Black's, kings included
    uint16_t reversible  # half moves since the last one that cannot be taken back, or since a null move

cdef uint64_t[2][6][64] zobrist_pieces  # [black][piece][square as White sees it]
cdef uint64_t[64] zobrist_castling
cdef uint64_t[8] zobrist_en_passant
cdef uint64_t zobrist_black

cdef void set_keyed_position(KeyedPosition* keyed, const Position* position) noexcept nogil


cdef inline int piece_on(const Position* position, Square square) noexcept nogil:
    """The piece on an occupied square."""
    cdef int kind = PAWN
    while not position.pieces[kind] >> square & 1:
        kind += 1
    return kind


cdef inline void _change_castling(KeyedPosition* after, Bitboard before, Square turn) noexcept nogil:
    cdef Bitboard changed = before ^ flipped(after.position.castling)
    while changed:
        after.key ^= zobrist_castling[lowest(changed) ^ turn]
        changed &= changed - 1


cdef inline uint64_t key_after(const KeyedPosition* before, Move move) noexcept nogil:
    """The key after a move that is no promotion, en passant or castling, nor changes what may be done so."""
    cdef const Position* position = &before.position
    cdef int mover = position.black
    cdef Square turn = 56 if mover else 0
    cdef Square target = to_square(move)
    cdef int piece = moved_piece(move)
    cdef uint64_t key = before.key ^ zobrist_black ^ zobrist_pieces[mover][piece][from_square(move) ^ turn]
    key ^= zobrist_pieces[mover][piece][target ^ turn]
    if position.their & bit(target):
        key ^= zobrist_pieces[mover ^ 1][piece_on(position, target)][target ^ turn]
    return key


cdef inline void make_keyed_move(const KeyedPosition* before, Move move, KeyedPosition* after) noexcept nogil:
    """The position after a legal move; `after` must be another one than `before`."""
    cdef const Position* position = &before.position
    cdef int mover = position.black
    cdef Square turn = 56 if mover else 0
    cdef Square target = to_square(move)
    cdef Square taken = target - 8 if move & EN_PASSANT_FLAG else target
    cdef int piece = moved_piece(move)
    cdef int victim
    cdef uint64_t left = zobrist_pieces[mover][piece][from_square(move) ^ turn]
    cdef uint64_t landed = zobrist_pieces[mover][promotion(move) if promotion(move) else piece][target ^ turn]
    after.key = before.key ^ zobrist_black ^ left ^ landed
    after.pawn_key = before.pawn_key
    after.piece_keys[0] = before.piece_keys[0]
    after.piece_keys[1] = before.piece_keys[1]
    if piece != PAWN:
        after.piece_keys[mover] ^= left ^ landed
    elif promotion(move):
        after.pawn_key ^= left
        after.piece_keys[mover] ^= landed
    else:
        after.pawn_key ^= left ^ landed
    if position.their & bit(taken):
        victim = piece_on(position, taken)
        left = zobrist_pieces[mover ^ 1][victim][taken ^ turn]
        after.key ^= left
        if victim == PAWN:
            after.pawn_key ^= left
        else:
            after.piece_keys[mover ^ 1] ^= left
    if move & CASTLING_FLAG:
        left = zobrist_pieces[mover][ROOK][lowest(castling_rook(position, move)) ^ turn]
        landed = zobrist_pieces[mover][ROOK][lowest(castled_rook(move)) ^ turn]
        after.key ^= left ^ landed
        after.piece_keys[mover] ^= left ^ landed
    if position.en_passant != NO_SQUARE:
        after.key ^= zobrist_en_passant[position.en_passant & 7]
    make(position, move, &after.position)
    if position.castling:
        _change_castling(after, position.castling, turn)
    after.reversible = before.reversible + 1 if after.position.clock else 0
    if move & DOUBLE_STEP_FLAG:
        if has_legal_en_passant(&after.position):
            after.key ^= zobrist_en_passant[target & 7]
        else:
            after.position.en_passant = NO_SQUARE


cdef inline void turn_over(const Position* before, Position* after) noexcept nogil:
    """The same pieces with the other side to move; nothing can be taken en passant then."""
    cdef int kind
    for kind in range(6):
        after.pieces[kind] = flipped(before.pieces[kind])
    after.own = flipped(before.their)
    after.their = flipped(before.own)
    after.castling = flipped(before.castling)
    after.clock = before.clock
    after.en_passant = NO_SQUARE
    after.black = before.black ^ 1
    after.chess960 = before.chess960


cdef inline void make_keyed_null_move(const KeyedPosition* before, KeyedPosition* after) noexcept nogil:
    """The position after a null move; positions before it do not count as repeated."""
    turn_over(&before.position, &after.position)
    after.key = before.key ^ zobrist_black
    if before.position.en_passant != NO_SQUARE:
        after.key ^= zobrist_en_passant[before.position.en_passant & 7]
    after.pawn_key = before.pawn_key
    after.piece_keys[0] = before.piece_keys[0]
    after.piece_keys[1] = before.piece_keys[1]
    after.reversible = 0
