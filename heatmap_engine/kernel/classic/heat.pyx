"""Heat and scores, from sets of moves: the formulas of reference.py, on counts.

A score needs to know how many moves each piece has and how many of them land in a king's box, not which
ones: the last ply, which is nearly all of the work, is popcounts over the sets of moves.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from heatmap_engine.kernel.board.attacks cimport king_table
from heatmap_engine.kernel.board.bits cimport Bitboard, flipped, lowest, popcount
from heatmap_engine.kernel.board.interrupt cimport check_interrupt
from heatmap_engine.kernel.board.landings cimport MAX_HEAT_DEPTH
from heatmap_engine.kernel.board.moves cimport MoveSets, count_moves, count_pawn_moves, find_moves, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport KING, MAX_MOVES, PAWN, Move, Position, make
from heatmap_engine.kernel.board.rules cimport CHECKMATE, ONGOING, state_of


cdef struct Tally:
    # The moves of one ply, all by the same side.
    int64_t[6] moves  # by piece
    int64_t[6] box    # those of them that land in the box of the other king


cdef class WeightTable:
    """Weights laid out for C; one row a ply, the last row standing for all later plies."""

    def __cinit__(self, move_rows, box_rows, double mate):
        cdef int ply, piece
        self.mate = mate
        for ply in range(MAX_HEAT_DEPTH + 1):
            for piece in range(6):
                self.move[ply][piece] = move_rows[min(ply, len(move_rows) - 1)][piece]
                self.box[ply][piece] = box_rows[min(ply, len(box_rows) - 1)][piece]


cdef inline Bitboard _box_around(Bitboard king) noexcept nogil:
    return king | king_table[lowest(king)]


cdef inline void _count_into(Tally* tally, const MoveSets* sets, Bitboard box) noexcept nogil:
    cdef int i
    tally.moves[PAWN] += count_pawn_moves(sets, ~<Bitboard>0)
    tally.box[PAWN] += count_pawn_moves(sets, box)
    for i in range(sets.count):
        tally.moves[sets.piece[i]] += popcount(sets.targets[i])
        tally.box[sets.piece[i]] += popcount(sets.targets[i] & box)
    tally.moves[KING] += popcount(sets.stepped)
    tally.box[KING] += popcount(sets.stepped & box)


cdef int _tally(const Position* position, const MoveSets* sets, int plies_left, Bitboard box_of_their,
                Bitboard box_of_own, Tally* tallies) except -1 nogil:
    """Add the moves of a position and of all that follow it, each ply to its own tally.

    The boxes are those of the root, turned over with the board: kings move, boxes stay.
    """
    cdef Move[MAX_MOVES] moves
    cdef MoveSets next_sets
    cdef Position after
    cdef int i, count
    _count_into(tallies, sets, box_of_their)
    if plies_left == 0:
        return 0
    if plies_left == 3:
        check_interrupt()
    count = list_moves(position, sets, moves)
    for i in range(count):
        make(position, moves[i], &after)
        find_moves(&after, &next_sets)
        _tally(&after, &next_sets, plies_left - 1, flipped(box_of_own), flipped(box_of_their), tallies + 1)
    return 0


cdef inline int64_t _total(const Tally* tally) noexcept nogil:
    cdef int64_t total = 0
    cdef int piece
    for piece in range(6):
        total += tally.moves[piece]
    return total


cdef double _weigh(const Tally* tallies, int depth, WeightTable weights) noexcept nogil:
    """The score for the side to move: heat of both sides, discounted by the moves of the ply before."""
    cdef double score = 0
    cdef double ply_score
    cdef int64_t divisor = 1
    cdef int ply, piece
    for ply in range(depth + 1):
        ply_score = 0
        for piece in range(6):
            ply_score += (weights.move[ply][piece] * <double>tallies[ply].moves[piece]
                          + weights.box[ply][piece] * <double>tallies[ply].box[piece])
        score += (-ply_score if ply & 1 else ply_score) / <double>divisor
        divisor = _total(&tallies[ply])
        if divisor == 0:
            break
    return score


cdef double score_of_end(const Position* position, int state, int depth, WeightTable weights) noexcept nogil:
    """The score, White minus Black, of a position where the game is over."""
    cdef double mate = weights.mate * popcount(position.own | position.their) * (depth + 1)
    if state != CHECKMATE or mate == 0:
        return 0
    return mate if position.black else -mate


cdef double score_moves(const Position* position, const MoveSets* sets, int depth, WeightTable weights,
                        int64_t* visited) except? -1e300 nogil:
    """The score, White minus Black, of a position where the game goes on and whose moves are `sets`.

    Adds the moves that were counted for it to `visited`.
    """
    cdef Tally[MAX_HEAT_DEPTH + 1] tallies
    cdef double score
    cdef int ply
    memset(tallies, 0, (depth + 1) * sizeof(Tally))
    _tally(position, sets, depth, _box_around(position.pieces[KING] & position.their),
           _box_around(position.pieces[KING] & position.own), tallies)
    for ply in range(depth + 1):
        visited[0] += _total(&tallies[ply])
    score = _weigh(tallies, depth, weights)
    # The sign of a zero must not depend on the colour.
    return -score if position.black and score != 0 else score


cdef double _score_position(const Position* position, int depth, WeightTable weights) except? -1e300 nogil:
    cdef MoveSets sets
    cdef int64_t visited = 0
    cdef int state
    find_moves(position, &sets)
    state = state_of(position, &sets)
    if state != ONGOING:
        return score_of_end(position, state, depth, weights)
    return score_moves(position, &sets, depth, weights, &visited)


def score(PackedPosition position not None, int depth, WeightTable weights not None):
    """The score of a position, its end by repetition left aside."""
    cdef double value
    with nogil:
        value = _score_position(&position.c, depth, weights)
    return value


def score_all(list positions not None, int depth, WeightTable weights not None, double[::1] scores):
    """Write the score of each PackedPosition to `scores`, without the GIL for the whole list."""
    cdef Py_ssize_t i, count = len(positions)
    cdef Position* packed = <Position*>malloc(count * sizeof(Position))
    if packed == NULL:
        raise MemoryError
    try:
        for i in range(count):
            packed[i] = (<PackedPosition?>positions[i]).c
        with nogil:
            for i in range(count):
                scores[i] = _score_position(&packed[i], depth, weights)
    finally:
        free(packed)
