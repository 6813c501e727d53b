"""Counting a whole board; see the declarations. And the features of all placements, for tests and for people."""

from libc.string cimport memset

from games.tetris.board cimport (
    PIECE_KINDS,
    SHAPE_COUNTS,
    SHAPES,
    SIMPLIFIED,
    has_appeared,
    is_possible,
    load_board,
    place,
    resting_row,
    rows_of,
)

cdef struct Count:
    int holes
    int depth
    int transitions
    uint64_t hole_rows


cdef inline Count _count_column(uint64_t column) noexcept nogil:
    """What a column alone tells."""
    cdef Count count
    cdef int height = bit_length(column), y
    cdef uint64_t holes = below(height) & ~column
    count.hole_rows = holes
    count.holes = popcount(holes)
    count.depth = 0
    # From the floor, which is filled, to the ceiling, which lies an empty row above the board.
    count.transitions = popcount(column ^ (column << 1 | 1)) + 1
    while holes:
        y = bit_length(holes) - 1
        holes ^= 1ULL << y
        count.depth += popcount(column >> y)
    return count


cdef void survey(const Board* board, Surface* surface, uint64_t deep, bint counts_steps) noexcept nogil:
    """All that `count_placement` asks of a board."""
    cdef int x, y, difference, highest = 0
    cdef Count count
    cdef int32_t* totals = surface.totals
    memset(totals, 0, sizeof(surface.totals))
    surface.deep = deep
    surface.counts_steps = counts_steps
    surface.hole_rows = 0
    surface.bumps_left[0] = 0
    surface.steps_left[0] = 0
    surface.wells[0] = surface.wells[board.width + 1] = 0
    for x in range(board.width):
        count = _count_column(board.columns[x + 1])
        surface.holes[x] = count.holes
        surface.hole_rows |= count.hole_rows
        totals[HOLES] += count.holes
        totals[HOLE_DEPTH] += count.depth
        totals[COLUMN_TRANSITIONS] += count.transitions
        surface.wells[x + 1] = wells_of(board.columns[x], board.columns[x + 1], board.columns[x + 2], deep)
        totals[WELLS] += surface.wells[x + 1]
        totals[HEIGHT] += board.heights[x]
        highest = max(highest, board.heights[x])
        if x > 0:
            difference = board.heights[x] - board.heights[x - 1]
            surface.bumps_left[x] = surface.bumps_left[x - 1] + size_of(difference)
            surface.steps_left[x] = surface.steps_left[x - 1] | step_of(difference)
    for y in range(highest):
        surface.transitions[y] = transitions_of(board.rows[y], board.width)
        totals[ROW_TRANSITIONS] += surface.transitions[y]
    for y in range(highest, min(highest + 4, board.height)):  # as high as a piece reaches
        surface.transitions[y] = 2
    totals[ROW_TRANSITIONS] += 2 * (board.height - highest)
    surface.steps_right[board.width - 1] = 0
    for x in range(board.width - 2, -1, -1):
        difference = board.heights[x + 1] - board.heights[x]
        surface.steps_right[x] = surface.steps_right[x + 1] | step_of(difference)
    totals[ROWS_WITH_HOLES] = popcount(surface.hole_rows)
    totals[PATTERN_DIVERSITY] = popcount(surface.steps_left[board.width - 1])
    totals[BUMPINESS] = surface.bumps_left[board.width - 1]


cdef void count_cleared(
    const Board* board, const Surface* surface, const Shape* shape, int x, int y, uint64_t full, int32_t* found
) noexcept nogil:
    """The features of a placement that fills these rows; row transitions are counted already, with them."""
    cdef uint64_t[MOST_WIDTH + 2] columns
    cdef uint64_t hole_rows = 0
    cdef uint8_t steps = 0
    cdef Count count
    cdef int i, height, last = 0, own = 0, lines = popcount(full)
    memset(&found[COLUMN_TRANSITIONS], 0, (FEATURES - COLUMN_TRANSITIONS) * sizeof(int32_t))
    columns[0] = columns[board.width + 1] = ~0ULL
    for i in range(board.width):
        columns[i + 1] = board.columns[i + 1]
    for i in range(shape.width):
        columns[x + 1 + i] |= shape.columns[i] << y
    for i in range(shape.height):
        if full >> (y + i) & 1:
            own += popcount(shape.rows[i])
    for i in range(1, board.width + 1):
        columns[i] = without_rows(columns[i], full)
        count = _count_column(columns[i])
        height = bit_length(columns[i])
        found[HOLES] += count.holes
        found[HOLE_DEPTH] += count.depth
        found[COLUMN_TRANSITIONS] += count.transitions
        found[HEIGHT] += height
        hole_rows |= count.hole_rows
        if i > 1:
            found[BUMPINESS] += size_of(height - last)
            steps |= step_of(height - last)
        last = height
    for i in range(1, board.width + 1):
        found[WELLS] += wells_of(columns[i - 1], columns[i], columns[i + 1], surface.deep)
    found[ROWS_WITH_HOLES] = popcount(hole_rows)
    found[PATTERN_DIVERSITY] = popcount(steps)
    found[ROW_TRANSITIONS] += 2 * lines  # full rows have none, and the empty ones in their place two each
    found[LINES] = lines
    found[ERODED_CELLS] = lines * own


def placements_of(object rows, int width, int height, int rule, int piece, bint deep):
    """Each possible placement of a piece: rotation, column, the features, and the rows that it leaves."""
    cdef Board board, after
    cdef Surface surface
    cdef int32_t[FEATURES] counted
    cdef const Shape* shape
    cdef int number, x, y, i
    load_board(&board, rows, width, height)
    survey(&board, &surface, ~0ULL if deep else 0, True)
    found = []
    if rule != SIMPLIFIED and not has_appeared(&board, piece):
        return found
    for number in range(SHAPE_COUNTS[piece]):
        shape = &SHAPES[piece][number]
        for x in range(width - shape.width + 1):
            y = resting_row(&board, shape, x)
            if not is_possible(&board, shape, x, y, rule):
                continue
            count_placement(&board, &surface, shape, x, y, counted)
            after = board
            place(&after, shape, x, y)
            features = (counted[0] / 4.0, *[counted[i] for i in range(1, FEATURES)])
            found.append((shape.rotation, x, features, rows_of(&after)))
    return found


def board_features(object rows, int width, int height, bint deep):
    """The features that belong to a board alone, in the order of all; nothing in the others."""
    cdef Board board
    cdef Surface surface
    cdef int i
    load_board(&board, rows, width, height)
    survey(&board, &surface, ~0ULL if deep else 0, True)
    return [surface.totals[i] for i in range(FEATURES)]
