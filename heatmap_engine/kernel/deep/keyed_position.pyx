"""Keys as numbers; see keyed_position.pxd."""

from libc.stdint cimport int64_t, uint64_t

from heatmap_engine.kernel.board.bits cimport NO_SQUARE, Bitboard, Square, lowest
from heatmap_engine.kernel.board.moves cimport MoveSets, find_moves, has_legal_en_passant, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport KING, KNIGHT, MAX_MOVES, PAWN, Move, Position


cdef enum:
    _SEED = 2026  # of the Zobrist numbers; the keys of every position follow from it


cdef uint64_t _next_number(uint64_t* state) noexcept nogil:
    """Well mixed numbers from a counter (splitmix64), the same on every machine."""
    cdef uint64_t number
    state[0] += 0x9E3779B97F4A7C15ULL
    number = state[0]
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9ULL
    number = (number ^ number >> 27) * 0x94D049BB133111EBULL
    return number ^ number >> 31


cdef void _fill_numbers() noexcept nogil:
    global zobrist_black
    cdef uint64_t state = _SEED
    cdef int black, kind
    cdef Square square
    for black in range(2):
        for kind in range(6):
            for square in range(64):
                zobrist_pieces[black][kind][square] = _next_number(&state)
    for square in range(64):
        zobrist_castling[square] = _next_number(&state)
    for square in range(8):
        zobrist_en_passant[square] = _next_number(&state)
    zobrist_black = _next_number(&state)


_fill_numbers()


cdef uint64_t _key_of_pieces(const Position* position, int kind, bint black) noexcept nogil:
    cdef Square turn = 56 if position.black else 0
    cdef Bitboard pieces = position.pieces[kind] & (position.own if position.black == black else position.their)
    cdef uint64_t key = 0
    while pieces:
        key ^= zobrist_pieces[black][kind][lowest(pieces) ^ turn]
        pieces &= pieces - 1
    return key


cdef void set_keyed_position(KeyedPosition* keyed, const Position* position) noexcept nogil:
    """Put a position and its keys, computed from scratch, into `keyed`."""
    cdef Square turn = 56 if position.black else 0
    cdef Bitboard castling = position.castling
    cdef int kind, black
    keyed.position = position[0]
    keyed.reversible = position.clock
    keyed.pawn_key = _key_of_pieces(position, PAWN, False) ^ _key_of_pieces(position, PAWN, True)
    keyed.key = keyed.pawn_key ^ (zobrist_black if position.black else 0)
    for black in range(2):
        keyed.piece_keys[black] = 0
        for kind in range(KNIGHT, KING + 1):
            keyed.piece_keys[black] ^= _key_of_pieces(position, kind, black)
        keyed.key ^= keyed.piece_keys[black]
    while castling:
        keyed.key ^= zobrist_castling[lowest(castling) ^ turn]
        castling &= castling - 1
    if position.en_passant != NO_SQUARE:
        if has_legal_en_passant(position):
            keyed.key ^= zobrist_en_passant[position.en_passant & 7]
        else:
            keyed.position.en_passant = NO_SQUARE


cdef int64_t _walk(const KeyedPosition* keyed, int depth) noexcept nogil:
    """The sequences of `depth` moves, or -1 if some key on the way is not what it is from scratch."""
    cdef MoveSets sets
    cdef Move[MAX_MOVES] moves
    cdef KeyedPosition after, fresh
    cdef int64_t total = 0
    cdef int64_t below
    cdef int i, count
    if depth == 0:
        return 1
    find_moves(&keyed.position, &sets)
    count = list_moves(&keyed.position, &sets, moves)
    for i in range(count):
        make_keyed_move(keyed, moves[i], &after)
        set_keyed_position(&fresh, &after.position)
        if fresh.key != after.key or fresh.pawn_key != after.pawn_key:
            return -1
        if fresh.piece_keys[0] != after.piece_keys[0] or fresh.piece_keys[1] != after.piece_keys[1]:
            return -1
        below = _walk(&after, depth - 1)
        if below < 0:
            return -1
        total += below
    return total


def perft(PackedPosition position not None, int depth):
    """As kernel.perft, by the moves of the deep search, with each key held against its recomputation.

    -1 if one of them is wrong.
    """
    cdef KeyedPosition keyed
    cdef int64_t total
    set_keyed_position(&keyed, &position.c)
    with nogil:
        total = _walk(&keyed, depth)
    return total


def key(PackedPosition position not None):
    """The position's key as a number."""
    cdef KeyedPosition keyed
    set_keyed_position(&keyed, &position.c)
    return keyed.key
