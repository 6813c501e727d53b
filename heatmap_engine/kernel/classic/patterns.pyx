"""Patterns: parts of a position, each with a learned value. classic/patterns.py names them.

A pattern belongs to one side and counts against the other: a piece stands on a square, counted from its own
side of the board, or one side has more of a kind than the other. So a position and its colour-flipped twin
differ by the sign.
"""

from libc.stdint cimport int8_t

from heatmap_engine.kernel.board.bits cimport Bitboard, lowest, popcount
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport KING, Position

PATTERN_COUNT = PATTERNS


cdef inline int _of_kind(Bitboard pieces) noexcept nogil:
    return min(popcount(pieces), MOST_COUNTED - 1)


cdef int find_patterns(const Position* position, Found* found) noexcept nogil:
    """Write what the position has to `found`, which has room for MOST_AT_ONCE; how many there are."""
    cdef int count = 0
    cdef int piece, own, their
    cdef Bitboard rest
    for piece in range(6):
        rest = position.pieces[piece] & position.own
        while rest:
            found[count].pattern = piece * 64 + lowest(rest)
            found[count].sign = 1
            count += 1
            rest &= rest - 1
        rest = position.pieces[piece] & position.their
        while rest:
            found[count].pattern = piece * 64 + (lowest(rest) ^ 56)
            found[count].sign = -1
            count += 1
            rest &= rest - 1
    for piece in range(KING):
        own = _of_kind(position.pieces[piece] & position.own)
        their = _of_kind(position.pieces[piece] & position.their)
        if own != their:
            found[count].pattern = (SQUARES_OF_PIECES + piece * COUNTS_OF_KIND
                                    + max(own, their) * MOST_COUNTED + min(own, their))
            found[count].sign = 1 if own > their else -1
            count += 1
    return count


cdef double sum_of_patterns(const Position* position, const double* values) noexcept nogil:
    """What the position's patterns are worth, White minus Black."""
    cdef Found[MOST_AT_ONCE] found
    cdef int count = find_patterns(position, found)
    cdef double total = 0
    cdef int i
    for i in range(count):
        total += found[i].sign * values[found[i].pattern]
    return -total if position.black and total != 0 else total


cdef class PatternTable:
    """The values of all patterns, laid out for C."""

    def __cinit__(self, const double[::1] values not None):
        cdef int i
        if len(values) != PATTERNS:
            raise ValueError(f"expected {PATTERNS} values, got {len(values)}")
        for i in range(PATTERNS):
            self.values[i] = values[i]

    def sum(self, PackedPosition position not None):
        """What a position's patterns are worth, White minus Black."""
        return sum_of_patterns(&position.c, self.values)


def count_patterns(list positions not None, int8_t[:, ::1] counts not None):
    """Add to each position's row how often it has each pattern, White's less Black's."""
    cdef Found[MOST_AT_ONCE] found
    cdef Py_ssize_t row
    cdef PackedPosition position
    cdef int i, count
    if counts.shape[0] < len(positions) or counts.shape[1] != PATTERNS:
        raise ValueError(f"expected {len(positions)} rows of {PATTERNS}, got {counts.shape[0]} of {counts.shape[1]}")
    for row in range(len(positions)):
        position = positions[row]
        count = find_patterns(&position.c, found)
        for i in range(count):
            counts[row, found[i].pattern] += -found[i].sign if position.c.black else found[i].sign
