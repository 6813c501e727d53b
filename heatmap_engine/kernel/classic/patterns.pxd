"""Patterns: parts of a position, and what each is worth."""

from libc.stdint cimport int32_t

from heatmap_engine.kernel.board.position cimport Position

cdef enum:
    SQUARES_OF_PIECES = 6 * 64
    MOST_COUNTED = 9                       # pawns, from none to eight; more of another kind count as eight
    COUNTS_OF_KIND = MOST_COUNTED * MOST_COUNTED
    PATTERNS = SQUARES_OF_PIECES + 5 * COUNTS_OF_KIND
    MOST_AT_ONCE = 64 + 5                  # a piece on each square, and a number of each kind

cdef struct Found:
    int32_t pattern
    int32_t sign        # 1 for the side to move, -1 for the other

cdef int find_patterns(const Position* position, Found* found) noexcept nogil
cdef double sum_of_patterns(const Position* position, const double* values) noexcept nogil

cdef class PatternTable:
    cdef double[PATTERNS] values
