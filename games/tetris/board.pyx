"""Boards and shapes; see the declarations."""

from libc.string cimport memmove, memset

from games.tetris.rules import ROTATIONS
from games.tetrominoes.pieces import PIECES


cdef _fill_shapes():
    for kind, piece in enumerate(PIECES):
        SHAPE_COUNTS[kind] = len(ROTATIONS[piece])
        for number, (rotation, turned) in enumerate(ROTATIONS[piece]):
            _fill_shape(&SHAPES[kind][number], rotation, turned)


cdef _fill_shape(Shape* shape, int rotation, object turned):
    cdef int x, y
    memset(shape, 0, sizeof(Shape))
    shape.rotation = rotation
    shape.width, shape.height = turned.width, turned.height
    for x in range(4):
        shape.bottoms[x] = MOST_HEIGHT
    for x, y in turned.cells:
        shape.bottoms[x] = min(shape.bottoms[x], y)
        shape.counts[x] += 1
        shape.columns[x] |= 1ULL << y
        shape.rows[y] |= 1U << x
        shape.rows_sum += y


_fill_shapes()


cdef void clear_board(Board* board, int width, int height) noexcept nogil:
    """Make the board an empty one of this size."""
    memset(board, 0, sizeof(Board))
    board.width, board.height = width, height
    board.full = (1U << width) - 1
    board.columns[0] = board.columns[width + 1] = ~0ULL


cdef int place(Board* board, const Shape* shape, int x, int y) noexcept nogil:
    """Put the piece there and clear full rows; how many those are."""
    cdef int i
    cdef uint64_t full = 0
    for i in range(shape.width):
        board.columns[x + 1 + i] |= shape.columns[i] << y
        board.heights[x + i] = y + shape.bottoms[i] + shape.counts[i]
    for i in range(shape.height):
        board.rows[y + i] |= shape.rows[i] << x
        if board.rows[y + i] == board.full:
            full |= 1ULL << (y + i)
    if full:
        _remove(board, full)
    return popcount(full)


cdef void _remove(Board* board, uint64_t gone) noexcept nogil:
    """Take these rows out."""
    cdef int x, y
    for x in range(board.width):
        board.columns[x + 1] = without_rows(board.columns[x + 1], gone)
        board.heights[x] = bit_length(board.columns[x + 1])
    while gone:
        y = bit_length(gone) - 1
        memmove(&board.rows[y], &board.rows[y + 1], (MOST_HEIGHT - 1 - y) * sizeof(uint32_t))
        board.rows[MOST_HEIGHT - 1] = 0
        gone ^= 1ULL << y


cdef bint may_move(const Board* board, const Shape* shape, int x) noexcept nogil:
    """Whether the piece has room in the top rows all the way from the middle to this column."""
    cdef int at = (board.width - shape.width) // 2
    cdef int step = 1 if x > at else -1
    while True:
        if resting_row(board, shape, at) + shape.height > board.height:
            return False
        if at == x:
            return True
        at += step


cdef bint has_appeared(const Board* board, int piece) noexcept nogil:
    """Whether the piece has room where it appears."""
    cdef const Shape* shape = &SHAPES[piece][0]
    return resting_row(board, shape, (board.width - shape.width) // 2) + shape.height <= board.height


cdef int load_board(Board* board, object rows, int width, int height) except -1:
    """Fill the board from its rows as ints, the lowest first."""
    cdef int x, y
    cdef uint32_t row
    clear_board(board, width, height)
    for y, bits in enumerate(rows):
        row = bits
        board.rows[y] = row
        for x in range(width):
            if row >> x & 1:
                board.columns[x + 1] |= 1ULL << y
                board.heights[x] = y + 1
    return 0


cdef tuple rows_of(const Board* board):
    """The rows as ints, the lowest first."""
    return tuple([board.rows[y] for y in range(board.height)])
