"""Counting move sequences: the proof that the moves are right, and the measure of how fast they are found."""

from libc.stdint cimport int64_t

from heatmap_engine.kernel.board.interrupt cimport check_interrupt
from heatmap_engine.kernel.board.moves cimport MoveSets, count_moves, find_moves, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport MAX_MOVES, Move, Position, make, uci_name


cdef int64_t _perft(const Position* position, int depth) except -1 nogil:
    """The sequences of `depth` >= 1 moves; the last ply is counted, not played."""
    cdef MoveSets sets
    cdef Move[MAX_MOVES] moves
    cdef Position after
    cdef int64_t total = 0
    cdef int i, count
    find_moves(position, &sets)
    if depth == 1:
        return count_moves(&sets)
    if depth == 4:
        check_interrupt()
    count = list_moves(position, &sets, moves)
    for i in range(count):
        make(position, moves[i], &after)
        total += _perft(&after, depth - 1)
    return total


def perft(PackedPosition position not None, int depth):
    """How many sequences of `depth` legal moves there are; 1 for depth 0."""
    cdef int64_t total = 1
    if depth > 0:
        with nogil:
            total = _perft(&position.c, depth)
    return total


def divide(PackedPosition position not None, int depth):
    """perft of `depth` >= 1 for each legal move, by its UCI name."""
    cdef MoveSets sets
    cdef Move[MAX_MOVES] moves
    cdef Position after
    cdef int64_t total
    cdef int i
    counts = {}
    find_moves(&position.c, &sets)
    for i in range(list_moves(&position.c, &sets, moves)):
        make(&position.c, moves[i], &after)
        total = 1
        if depth > 1:
            with nogil:
                total = _perft(&after, depth - 1)
        counts[uci_name(&position.c, moves[i])] = total
    return counts
