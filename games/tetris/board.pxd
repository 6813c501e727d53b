"""The board as the compiled code has it, and how pieces come to rest on it.

Rows and columns both are bits: of a row, bit x is column x; of a column, bit y is row y, the lowest being 0.
`columns[0]` and `columns[width + 1]` are the walls, so that column x of the board is `columns[x + 1]`.
"""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from *:
    """
    /* Without it popcount is a library call; see heatmap_engine/kernel/board/bits.pxd. */
    #if defined(__x86_64__) && defined(__clang__)
    static inline int tetris_popcount(uint64_t bits) {
        uint64_t count;
        __asm__("popcnt %1, %0" : "=r"(count) : "r"(bits) : "cc");
        return (int)count;
    }
    #else
    #if defined(__x86_64__) && defined(__GNUC__)
    #pragma GCC target("popcnt")
    #endif
    #define tetris_popcount(bits) __builtin_popcountll(bits)
    #endif
    #define tetris_length(bits) ((bits) ? 64 - __builtin_clzll(bits) : 0)
    """
    int popcount "tetris_popcount"(uint64_t bits) noexcept nogil
    int bit_length "tetris_length"(uint64_t bits) noexcept nogil

cdef enum:
    MOST_WIDTH = 16
    MOST_HEIGHT = 40
    PIECE_KINDS = 7
    SIMPLIFIED = 0
    DROPPED = 1

cdef struct Shape:
    int rotation
    int width
    int height
    int[4] bottoms  # by column, the lowest cell's row; MOST_HEIGHT in columns that it does not have
    int[4] counts  # by column, how many cells, which lie one above the other
    uint64_t[4] columns  # the cells by column
    uint32_t[4] rows  # and by row
    int rows_sum  # the rows of the four cells, added up

cdef struct Board:
    int width
    int height
    uint32_t full  # a row with all cells filled
    uint64_t[MOST_WIDTH + 2] columns
    uint32_t[MOST_HEIGHT] rows
    int[MOST_WIDTH + 4] heights  # and some columns beside the board, for pieces are looked at as four wide

cdef Shape[PIECE_KINDS][4] SHAPES
cdef int[PIECE_KINDS] SHAPE_COUNTS

cdef void clear_board(Board* board, int width, int height) noexcept nogil
cdef int place(Board* board, const Shape* shape, int x, int y) noexcept nogil
cdef bint may_move(const Board* board, const Shape* shape, int x) noexcept nogil
cdef bint has_appeared(const Board* board, int piece) noexcept nogil
cdef int load_board(Board* board, object rows, int width, int height) except -1
cdef tuple rows_of(const Board* board)


cdef inline int higher(int one, int other) noexcept nogil:
    return one if one > other else other


cdef inline int resting_row(const Board* board, const Shape* shape, int x) noexcept nogil:
    """The row in which the piece's lowest row comes to rest."""
    # Columns that the piece does not have reach down so far that they never count: no loop, no branch.
    cdef int one = higher(board.heights[x] - shape.bottoms[0], board.heights[x + 1] - shape.bottoms[1])
    cdef int two = higher(board.heights[x + 2] - shape.bottoms[2], board.heights[x + 3] - shape.bottoms[3])
    return higher(one, two)


cdef inline uint64_t without_rows(uint64_t column, uint64_t gone) noexcept nogil:
    """The column when these rows are gone, and what lay above them has fallen."""
    cdef int y
    while gone:
        y = bit_length(gone) - 1
        column = (column & ((1ULL << y) - 1)) | ((column >> (y + 1)) << y)
        gone ^= 1ULL << y
    return column


cdef inline bint is_possible(const Board* board, const Shape* shape, int x, int y, int rule) noexcept nogil:
    """Whether the piece that comes to rest there may be placed; `has_appeared` is asked before."""
    if y + shape.height > board.height:
        return False
    return rule == SIMPLIFIED or may_move(board, shape, x)
