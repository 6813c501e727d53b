"""The network of the Q-player: inputs, 64 hidden cells, one value.

| inputs (width 10) | what                                                        |
|-------------------|-------------------------------------------------------------|
| 0 to 9            | the columns' heights, /20                                    |
| 10, 11, 12        | holes /100, bumpiness /20, heights added up /50               |
| 13 to 19          | the current piece: nothing, as it is placed already           |
| 20 to 26          | the next piece, one of seven                                  |
| 27, 28            | lines /100 and level /20, both at most 1                      |
"""

from libc.stdint cimport int64_t, uint64_t

from games.tetris.board cimport MOST_WIDTH, PIECE_KINDS, Board, Shape
from games.tetris.game cimport GameState

cdef enum:
    HIDDEN = 64
    MOST_INPUTS = MOST_WIDTH + 19

# All its numbers lie one after the other, so that they can be copied and learned as one row.
cdef struct Net:
    float[MOST_INPUTS][HIDDEN] first
    float[HIDDEN] first_bias
    float[HIDDEN] second
    float second_bias

cdef enum:
    NUMBERS = MOST_INPUTS * HIDDEN + HIDDEN + HIDDEN + 1

# A board after a placement, as far as the network sees it.
cdef struct Outline:
    int[MOST_WIDTH] heights
    int holes
    int bumpiness
    int height

cdef struct Move:
    int rotation
    int x  # of the piece's box, as the document counts; -inf as value says that there is none
    float q
    const Shape* shape  # NULL if there is no move
    int column  # the leftmost one that the piece covers
    int y
    Outline outline

cdef struct Limits:
    int evaluations  # at most so many, 300
    int stop_positions  # a move above `excellent` ends a rotation's positions after more than so many, 10
    int stop_rotations  # and the rotations after more than so many, 20
    float excellent  # 100
    int holes  # more holes than so many are filtered, 15
    int lines  # while fewer lines than so many are cleared, 50

# What one decision did.
cdef struct Counts:
    int64_t decisions
    int64_t evaluations  # positions looked at, also those where the piece collides
    int64_t out_of_bounds
    int64_t collisions
    int64_t filtered
    int64_t valued  # by the network
    int64_t stopped_positions
    int64_t stopped_rotations
    int64_t fallbacks  # decisions in which nothing was left, so that all legal placements were valued
    int64_t explored
    int64_t impossible  # random moves that were none

cdef class Network:
    cdef Net net
    cdef readonly int width
    cdef readonly dict provenance

cdef float value_of_inputs(const Net* net, const float* inputs, int number) noexcept nogil
cdef void fill_inputs(const GameState* state, const Outline* outline, float* inputs) noexcept nogil
cdef bint outline_of(const Board* board, const Shape* shape, int x, int y, Outline* outline) noexcept nogil
cdef void best_move(
    const Net* net, const Limits* limits, const GameState* state, Counts* counts, Move* best
) noexcept nogil
cdef bint legal_move(const GameState* state, int rotation, int x, Move* move) noexcept nogil
