"""What a board costs: counts of what makes it bad, times weights. Less is better."""

from libc.stdint cimport int32_t

from games.wood_block.fields cimport Board, Field, Rules

# The features, in the order in which they are counted, with the name that each has in `features`.
cdef enum:
    CELLS
    EDGES
    BOX_EDGES
    WALL_CELLS
    CORNERS
    DIAGONALS
    HOLES
    DEAD_ENDS
    SQUEEZED
    NO_SQUARES
    NO_BARS
    LINES
    BOXES
    LINE_HALVES
    BOX_HALVES
    MISFITS
    ONLY_PLACES
    SHORT_OF_ROOM
    FEATURES

cdef enum:
    # A weight of 1 in a file is so much here; costs stay below two thousand millions.
    UNIT = 1000
    # More than any board costs.
    NO_COST = 2000000000

cdef struct Weights:
    int32_t[FEATURES] weight
    # What a point of the score is worth, against the cost of the board that is left.
    int per_point
    # Of the grid: which cells have a neighbour to the right, and below, in the same box or in another one.
    Board right_inner
    Board right_border
    Board down_inner
    Board down_border
    Board[4] wall
    # The upper left corners of windows of two by two, three by three, one by five, and five by one.
    Board windows
    Board squares
    Board wide_bars
    Board tall_bars
    int all_squares
    int all_bars

cdef int cost_of(const Rules* rules, const Weights* weights, Board board, int limit) noexcept nogil

cdef int rough_cost_of(const Rules* rules, const Weights* weights, Board board) noexcept nogil

cdef class Evaluation:
    cdef readonly Field field
    cdef Weights weights
