"""Patterns: parts of a position, and what each is worth.

The numbers of all patterns, family after family:

    SQUARES_OF_PIECES   a kind of piece on a square, counted from its own side of the board
    NUMBERS_OF_KIND     more of a kind than the other side has
    ON_THE_MOVE         being on the move
    TAKES               a kind of piece of the side to move can take a piece that is guarded or not
    ATTACKS             a kind of piece of the other side attacks one
    PASSED              a passed pawn, by rank; one with a piece before it; one that no king comes in time to take
    TOGETHER            two kinds of pieces of one side
    FROM_THEIR_KING     a kind of piece so many squares from the other king, and from its own
    LATE_SQUARES        a kind of piece on a square while few pieces are left
    LOOSE               a kind of piece that nobody guards and nobody attacks
    REACH               each square that a kind of piece reaches, without those of its own pieces
    PRESSURE            each square next to the other king that a kind of piece reaches
"""

from libc.stdint cimport int32_t

from heatmap_engine.kernel.board.position cimport Position

cdef enum:
    KINDS = 6
    MOST_COUNTED = 9                       # pawns, from none to eight; more of another kind count as eight
    COUNTS_OF_KIND = MOST_COUNTED * MOST_COUNTED
    DISTANCES = 8
    RANKS = 8
    PAIRS = 15                             # of the five kinds beside the king, each also with itself

    SQUARES_OF_PIECES = 0
    NUMBERS_OF_KIND = SQUARES_OF_PIECES + KINDS * 64
    ON_THE_MOVE = NUMBERS_OF_KIND + 5 * COUNTS_OF_KIND
    TAKES = ON_THE_MOVE + 1                # [who attacks][what][whether it is guarded]
    ATTACKS = TAKES + KINDS * 5 * 2
    PASSED = ATTACKS + KINDS * 5 * 2
    BLOCKED = PASSED + RANKS
    UNSTOPPABLE = BLOCKED + RANKS
    TOGETHER = UNSTOPPABLE + RANKS
    FROM_THEIR_KING = TOGETHER + PAIRS     # [kind][distance]
    FROM_OWN_KING = FROM_THEIR_KING + 5 * DISTANCES
    LATE_SQUARES = FROM_OWN_KING + 5 * DISTANCES
    LOOSE = LATE_SQUARES + KINDS * 64
    REACH = LOOSE + 5
    PRESSURE = REACH + KINDS
    PATTERNS = PRESSURE + KINDS

    FEW = 6                                # pieces beside kings and pawns of both sides, and no more than this
    # Each piece on two squares, in two distances and attacked once; kinds of pieces, pairs, pawns, the move.
    MOST_AT_ONCE = 64 * 5 + 10 + 2 * 2 * KINDS + PAIRS + 3 * 16 + 1

cdef struct Found:
    int32_t pattern
    int32_t times       # the side to move has it so much more often than the other

cdef int find_patterns(const Position* position, Found* found) noexcept nogil
cdef double sum_of_patterns(const Position* position, const double* values) noexcept nogil

cdef class PatternTable:
    cdef double[PATTERNS] values
