"""Where moves land: every move of a position and of those that follow it, by ply, piece and square."""

from libc.stdint cimport int64_t

from heatmap_engine.kernel.board.bits cimport Bitboard, Square, lowest
from heatmap_engine.kernel.board.interrupt cimport check_interrupt
from heatmap_engine.kernel.board.moves cimport MoveSets, find_moves, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport KING, MAX_MOVES, Move, Position, make


cdef inline void _heap(int64_t* counts, Bitboard landings, Square turn) noexcept nogil:
    while landings:
        counts[lowest(landings) ^ turn] += 1
        landings &= landings - 1


cdef inline void _heap_pawns(int64_t* counts, Bitboard landings, Square turn) noexcept nogil:
    """As _heap; a pawn on the last rank has landed there in four ways."""
    cdef Square square
    while landings:
        square = lowest(landings)
        counts[square ^ turn] += 4 if square >= 56 else 1
        landings &= landings - 1


cdef int _heap_up(const Position* position, int plies_left, int64_t* counts) except -1 nogil:
    """Add every move to counts[ply][piece][square], squares as on a board seen by White."""
    cdef Square turn = 56 if position.black else 0
    cdef Move[MAX_MOVES] moves
    cdef MoveSets sets
    cdef Position after
    cdef int i, count
    find_moves(position, &sets)
    _heap_pawns(counts, sets.steps, turn)
    _heap_pawns(counts, sets.double_steps, turn)
    _heap_pawns(counts, sets.left_captures, turn)
    _heap_pawns(counts, sets.right_captures, turn)
    for i in range(sets.count):
        _heap(counts + 64 * sets.piece[i], sets.targets[i], turn)
    _heap(counts + 64 * KING, sets.stepped, turn)
    if plies_left == 0:
        return 0
    if plies_left == 3:
        check_interrupt()
    count = list_moves(position, &sets, moves)
    for i in range(count):
        make(position, moves[i], &after)
        _heap_up(&after, plies_left - 1, counts + 6 * 64)
    return 0


def count_landings(PackedPosition position not None, int64_t[:, :, ::1] counts):
    """Add all moves of the position and of those that follow it to `counts[ply, piece, square]`."""
    cdef int last = <int>counts.shape[0] - 1
    with nogil:
        _heap_up(&position.c, last, &counts[0, 0, 0])
