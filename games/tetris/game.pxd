"""A game that goes on: its board, the pieces that come, and what was done so far."""

from libc.stdint cimport int64_t, uint64_t

from games.tetris.board cimport PIECE_KINDS, Board, Shape, place

cdef enum:
    AHEAD = 5  # so many pieces after the current one are drawn ahead
    UNIFORM = 0
    SEVEN_BAG = 1
    ALL_KINDS = 127

cdef struct Stream:
    uint64_t random
    int generator
    int left  # pieces in the bag
    int[PIECE_KINDS] bag

cdef struct GameState:
    Board board
    int rule
    Stream stream
    int[AHEAD + 1] queue  # the current piece and those that follow
    int[AHEAD + 1] left  # the kinds that may follow each, as bits
    int64_t lines
    int64_t pieces
    bint is_over

cdef class Game:
    cdef GameState state

cdef void draw_piece(GameState* state) noexcept nogil


cdef inline uint64_t next_random(uint64_t* state) noexcept nogil:
    """splitmix64."""
    cdef uint64_t mixed
    state[0] += 0x9E3779B97F4A7C15ULL
    mixed = state[0]
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL
    return mixed ^ (mixed >> 31)


cdef inline int random_below(uint64_t* state, int limit) noexcept nogil:
    return <int> (((next_random(state) >> 32) * <uint64_t> limit) >> 32)


cdef inline double random_share(uint64_t* state) noexcept nogil:
    """From 0 up to, but not, 1."""
    return (next_random(state) >> 11) * (1.0 / 9007199254740992.0)


cdef inline int put(GameState* state, const Shape* shape, int x, int y) noexcept nogil:
    """Place the current piece, and let the next one come; the lines cleared."""
    cdef int lines = place(&state.board, shape, x, y)
    state.lines += lines
    state.pieces += 1
    draw_piece(state)
    return lines
