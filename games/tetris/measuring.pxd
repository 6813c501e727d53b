"""What a placement counts, feature by feature, mostly from what it changes.

A board is surveyed once for all placements of a piece. A placement that clears nothing changes the features
only in its own rows, its own columns and their neighbours; about one of twenty clears lines, and its board is
counted anew.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t, uint8_t

from games.tetris.board cimport (
    MOST_HEIGHT,
    MOST_WIDTH,
    Board,
    Shape,
    bit_length,
    popcount,
    without_rows,
)

# In the order of features.NAMES.
cdef enum:
    LANDING_HEIGHT  # four times it, so that it is a whole number
    ERODED_CELLS
    ROW_TRANSITIONS
    COLUMN_TRANSITIONS
    HOLES
    WELLS
    HOLE_DEPTH
    ROWS_WITH_HOLES
    PATTERN_DIVERSITY
    HEIGHT
    LINES
    BUMPINESS
    FEATURES

cdef struct Surface:
    uint64_t deep  # all bits set if WELLS are deep wells
    bint counts_steps  # whether anybody asks for diversity and bumpiness, which take a tenth of the time
    int32_t[FEATURES] totals  # of the board; nothing in those that belong to a placement
    int[MOST_WIDTH + 2] wells  # by column, the walls with them
    int[MOST_WIDTH] holes  # by column
    int[MOST_HEIGHT] transitions  # by row
    uint64_t hole_rows  # the rows with holes
    int[MOST_WIDTH] bumps_left  # the bumpiness of columns 0 to x
    uint8_t[MOST_WIDTH] steps_left  # the steps among columns 0 to x, as bits
    uint8_t[MOST_WIDTH] steps_right  # the steps among columns x to the last

cdef void survey(const Board* board, Surface* surface, uint64_t deep, bint counts_steps) noexcept nogil
cdef void count_cleared(
    const Board* board, const Surface* surface, const Shape* shape, int x, int y, uint64_t full, int32_t* found
) noexcept nogil


cdef inline uint64_t below(int height) noexcept nogil:
    """The cells of a column below this height."""
    return (1ULL << height) - 1


cdef inline int transitions_of(uint32_t row, int width) noexcept nogil:
    """Changes between filled and empty along a row between its walls."""
    cdef uint32_t walled = row << 1 | 1 | 1U << (width + 1)
    return popcount((walled ^ (walled >> 1)) & ((1U << (width + 1)) - 1))


cdef inline int wells_of(uint64_t left, uint64_t column, uint64_t right, uint64_t deep) noexcept nogil:
    """1 + 2 + ... + d for each run of d well cells: all of them, those above another, above two others, ...

    With all bits of `deep` set a well goes on down through empty cells that are open to the side.
    """
    cdef uint64_t cells = ~column & left & right
    cdef uint64_t open_cells = ~column & deep
    cdef uint64_t lowest = cells & (0 - cells)
    cdef int total = popcount(cells)
    # None, or one well that ends on a filled cell: nearly always. The loop alone makes all take a twentieth longer.
    if (((cells + lowest) & cells) | ((lowest >> 1) & open_cells)) == 0:
        return total * (total + 1) >> 1
    total = 0
    while cells:
        total += popcount(cells)
        cells = (cells >> 1) & (cells | open_cells)
    return total


cdef inline uint8_t step_of(int difference) noexcept nogil:
    """The bit of a step between neighbouring columns; none if it is larger than two."""
    return <uint8_t> (1 << (difference + 2)) if -2 <= difference <= 2 else 0


cdef inline int size_of(int difference) noexcept nogil:
    return difference if difference >= 0 else -difference


cdef inline void count_steps(
    const Board* board, const Surface* surface, const Shape* shape, int x, int y, int32_t* found
) noexcept nogil:
    """Bumpiness and diversity after a placement that clears nothing."""
    cdef int i, height, before, last = x + shape.width - 1
    cdef int bumps = surface.bumps_left[x] + surface.bumps_left[board.width - 1] - surface.bumps_left[last]
    cdef uint8_t steps = 0
    before = y + shape.bottoms[0] + shape.counts[0]
    if x > 0:
        steps = surface.steps_left[x - 1] | step_of(before - board.heights[x - 1])
        bumps += size_of(before - board.heights[x - 1]) - size_of(board.heights[x] - board.heights[x - 1])
    for i in range(1, shape.width):
        height = y + shape.bottoms[i] + shape.counts[i]
        steps |= step_of(height - before)
        bumps += size_of(height - before)
        before = height
    if last + 1 < board.width:
        height = board.heights[last + 1]
        steps |= surface.steps_right[last + 1] | step_of(height - before)
        bumps += size_of(height - before) - size_of(height - board.heights[last])
    found[PATTERN_DIVERSITY] = popcount(steps)
    found[BUMPINESS] = bumps


cdef inline void count_placement(
    const Board* board, const Surface* surface, const Shape* shape, int x, int y, int32_t* found
) noexcept nogil:
    """All features of a possible placement."""
    cdef int i, gap, bottom, height, holes = 0, depth = 0, columns = 0, rows = 0, wells = 0, rise = 0
    cdef int last = x + shape.width - 1
    cdef uint64_t full = 0, hole_rows = surface.hole_rows, left, column, right
    cdef uint32_t row
    for i in range(shape.height):
        row = board.rows[y + i] | shape.rows[i] << x
        if row == board.full:
            full |= 1ULL << (y + i)
        rows += transitions_of(row, board.width) - surface.transitions[y + i]
    found[ROW_TRANSITIONS] = surface.totals[ROW_TRANSITIONS] + rows
    found[LANDING_HEIGHT] = 4 + 4 * y + shape.rows_sum
    if full:
        count_cleared(board, surface, shape, x, y, full, found)
        return
    # Column after column, each with its neighbours, as it is with the piece in it. What lies beside the board
    # has no wells, is never a hole, and its steps are not counted.
    left = board.columns[x]
    column = board.columns[x + 1] | shape.columns[0] << y
    # A column beside the piece gains well cells only where it is empty between the piece and its other neighbour.
    if x > 0 and shape.columns[0] << y & ~left & board.columns[x - 1]:
        wells = wells_of(board.columns[x - 1], left, column, surface.deep) - surface.wells[x]
    for i in range(shape.width):
        bottom = y + shape.bottoms[i]
        height = board.heights[x + i]
        gap = bottom - height
        hole_rows |= below(bottom) ^ below(height)
        holes += gap
        depth += shape.counts[i] * (surface.holes[x + i] + gap)
        columns += gap > 0
        rise += gap + shape.counts[i]
        right = board.columns[x + 2 + i]
        if i + 1 < shape.width:
            right |= shape.columns[i + 1] << y
        wells += wells_of(left, column, right, surface.deep) - surface.wells[x + 1 + i]
        left, column = column, right
    if last + 1 < board.width and shape.columns[shape.width - 1] << y & ~column & board.columns[last + 3]:
        wells += wells_of(left, column, board.columns[last + 3], surface.deep) - surface.wells[last + 2]
    found[ERODED_CELLS] = 0
    found[COLUMN_TRANSITIONS] = surface.totals[COLUMN_TRANSITIONS] + 2 * columns
    found[HOLES] = surface.totals[HOLES] + holes
    found[WELLS] = surface.totals[WELLS] + wells
    found[HOLE_DEPTH] = surface.totals[HOLE_DEPTH] + depth
    found[ROWS_WITH_HOLES] = popcount(hole_rows)
    found[HEIGHT] = surface.totals[HEIGHT] + rise
    found[LINES] = 0
    if surface.counts_steps:
        count_steps(board, surface, shape, x, y, found)
    else:
        found[PATTERN_DIVERSITY] = found[BUMPINESS] = 0


cdef inline double value_of(const int32_t* found, const double* weights) noexcept nogil:
    """The sum of features times weights; the weight of the landing height must be a fourth of what it is."""
    # Four sums beside each other, because each addition of one sum waits for the one before.
    cdef double one = found[0] * weights[0] + found[4] * weights[4] + found[8] * weights[8]
    cdef double two = found[1] * weights[1] + found[5] * weights[5] + found[9] * weights[9]
    cdef double three = found[2] * weights[2] + found[6] * weights[6] + found[10] * weights[10]
    cdef double four = found[3] * weights[3] + found[7] * weights[7] + found[11] * weights[11]
    return (one + two) + (three + four)
