"""The bodies of movement.pxd, and a face of them for tests and for Python."""

from games.tetrominoes.pieces import PIECES, shape

cdef Cells ALL = (<Cells>1 << 60) - 1
# The leftmost and the rightmost column of six rows.
cdef Cells LEFT_COLUMN = 0x4010040100401ULL
cdef Cells RIGHT_COLUMN = LEFT_COLUMN << 9
# How far down the bits of a position may come in one turn; `landings` looks at two rows of sky.
cdef int DEEPEST_TURN = 3


# The tables of a set of rules

cdef Cells _positions(int first_x, int last_x, int first_y=0, int last_y=ROWS - 1):
    """All positions of a rectangle, its ends included and what lies outside of the six rows left out."""
    cdef Cells found = 0
    cdef int x, y
    for y in range(max(first_y, 0), min(last_y, ROWS - 1) + 1):
        for x in range(max(first_x, 0), last_x + 1):
            found |= <Cells>1 << (WIDTH * y + x)
    return found


cdef int _fill_turn(Turn* turn, object name, int start, int target, object shifts) except -1:
    before, after = shape(name, start), shape(name, target)
    if len(shifts) > MOST_TESTS:
        raise ValueError(f"expected at most {MOST_TESTS} tests for a turn, got {len(shifts)} for {name}")
    turn.target = target
    turn.tests = len(shifts)
    for i, (kick_x, kick_y) in enumerate(shifts):
        right = kick_x + after.offset[0] - before.offset[0]
        up = kick_y + after.offset[1] - before.offset[1]
        if up < -DEEPEST_TURN:
            raise ValueError(f"expected turns that lead down at most {DEEPEST_TURN} rows, got {-up} for {name}")

        first, last = max(0, -right), WIDTH - max(before.width, after.width + right)
        turn.test[i].shift = WIDTH * up + right
        turn.test[i].sources = _positions(first, last, -up, ROWS - 1 - up)
        turn.test[i].into_sky = _positions(first, last, ROWS - up)
    return 0


cdef int _fill_piece(Piece* piece, object name, object turns) except -1:
    cdef int i
    shapes = [shape(name, orientation) for orientation in range(4)]
    distinct = list(dict.fromkeys(each.cells for each in shapes))
    piece.shapes = len(distinct)
    for orientation, each in enumerate(shapes):
        i = distinct.index(each.cells)
        piece.shape_of[orientation] = i
        piece.height[i] = each.height
        piece.inside[i] = _positions(0, WIDTH - each.width)
        piece.cells[i] = 0
        for bit, (x, y) in enumerate(each.cells):
            piece.bits[i][bit] = WIDTH * y + x
            piece.cells[i] |= <Cells>1 << (WIDTH * y + x)
        piece.turns[orientation] = 0
    for (start, target), shifts in turns.items():
        _fill_turn(&piece.turn[start][piece.turns[start]], name, start, target, shifts)
        piece.turns[start] += 1
    return 0


cdef int fill_rules(Rules* rules, object kicks, bint soft_drop) except -1:
    rules.soft_drop = soft_drop
    for i, name in enumerate(PIECES):
        _fill_piece(&rules.pieces[i], name, kicks.tests[name])
    return 0


# Moving

cdef inline Cells _free(const Piece* piece, int shape, Cells board) noexcept nogil:
    """The positions in which the cells of a shape are all empty."""
    cdef const int* bits = piece.bits[shape]
    return piece.inside[shape] & ~(
        (board >> bits[0]) | (board >> bits[1]) | (board >> bits[2]) | (board >> bits[3])
    )


cdef inline Cells _spread(Cells reached, Cells free) noexcept nogil:
    """All that is reached by steps to the left, to the right and down."""
    cdef Cells before
    while True:
        before = reached
        reached |= (reached >> WIDTH) & free
        reached |= ((reached & ~RIGHT_COLUMN) << 1) & free
        reached |= ((reached & ~LEFT_COLUMN) >> 1) & free
        if reached == before:
            return reached


cdef inline Cells _turned(const Turn* turn, Cells reached, Cells free) noexcept nogil:
    """Where a turn leads from all of these positions; `free` is that of the shape after the turn."""
    cdef Cells found = 0, able
    cdef const Test* test
    cdef int i
    for i in range(turn.tests):
        test = &turn.test[i]
        if test.shift >= 0:
            able = reached & test.sources & (free >> test.shift)
            found |= able << test.shift
        else:
            able = reached & test.sources & (free << -test.shift)
            found |= able >> -test.shift
        reached &= ~(able | test.into_sky)
        if not reached:
            break
    return found


cdef void _turn_in_sky(const Piece* piece, Cells board, int lines, Cells* reached) noexcept nogil:
    """Add what turns in the two rows above the board lead to, where the six rows have no room for these."""
    cdef Cells[SHAPES] free
    cdef int i, orientation, up = WIDTH * (lines - 4)
    cdef Cells sky = ~rows_below(4)
    cdef const Turn* turn
    for i in range(piece.shapes):
        free[i] = _free(piece, i, board >> up)
    for orientation in range(4):
        for i in range(piece.turns[orientation]):
            turn = &piece.turn[orientation][i]
            reached[turn.target] |= (
                _turned(turn, sky & piece.inside[piece.shape_of[orientation]], free[piece.shape_of[turn.target]])
                << up
            ) & ALL


cdef void _turn_and_spread(const Piece* piece, const Cells* free, Cells* reached) noexcept nogil:
    """All that is reached with turns as well; by orientation."""
    cdef Cells found
    cdef int i, orientation, target, pending = 0xF
    cdef const Turn* turn
    while pending:
        orientation = lowest(pending)
        pending &= pending - 1
        reached[orientation] = _spread(reached[orientation], free[piece.shape_of[orientation]])
        for i in range(piece.turns[orientation]):
            turn = &piece.turn[orientation][i]
            target = turn.target
            found = _turned(turn, reached[orientation], free[piece.shape_of[target]])
            if found & ~reached[target]:
                reached[target] |= found
                pending |= 1 << target


cdef int landings(const Rules* rules, int number, Cells board, int lines, Cells* found) noexcept nogil:
    """Fill in by shape where the piece can come to rest with all cells in `lines` rows; how many shapes."""
    cdef const Piece* piece = &rules.pieces[number]
    cdef Cells[SHAPES] free, goal, reached
    cdef Cells[4] by_orientation
    cdef Cells missing = 0, under
    cdef int i
    for i in range(piece.shapes):
        free[i] = _free(piece, i, board)
        goal[i] = free[i] & ~(free[i] << WIDTH) & rows_below(lines - piece.height[i] + 1)
        # What falls from the sky: all that lies under nothing which is not free.
        under = piece.inside[i] & ~free[i]
        under |= under >> WIDTH
        under |= under >> 2 * WIDTH
        under |= under >> 4 * WIDTH
        reached[i] = free[i] & ~under
        found[i] = goal[i] & reached[i]
        missing |= goal[i] & ~reached[i]
    if not missing or not rules.soft_drop:
        return piece.shapes
    missing = 0
    for i in range(piece.shapes):
        if goal[i] != found[i]:
            reached[i] = _spread(reached[i], free[i])
            found[i] = goal[i] & reached[i]
            missing |= goal[i] & ~reached[i]
    if not missing:
        return piece.shapes
    for i in range(4):
        by_orientation[i] = reached[piece.shape_of[i]]
    if lines > 4:
        _turn_in_sky(piece, board, lines, by_orientation)
    _turn_and_spread(piece, free, by_orientation)
    for i in range(4):
        found[piece.shape_of[i]] |= goal[piece.shape_of[i]] & by_orientation[i]
    return piece.shapes


cdef int children(
    const Rules* rules, int number, Cells board, int lines, Cells* boards, int* lines_left
) noexcept nogil:
    """The boards that the piece can make and that are not cut into parts that no pieces fill; how many."""
    cdef Cells[SHAPES] found
    cdef Cells places, after
    cdef const Piece* piece = &rules.pieces[number]
    cdef int i, number_found = 0, left
    for i in range(landings(rules, number, board, lines, found)):
        places = found[i]
        while places:
            after = board | (piece.cells[i] << lowest(places))
            places &= places - 1
            left = lines
            after = clear_lines(after, &left)
            if is_divisible(after, left):
                boards[number_found] = after
                lines_left[number_found] = left
                number_found += 1
    return number_found


# The face

cdef class Movement:
    """Where pieces come to rest under a kick table, with or without slow drops."""

    cdef Rules rules

    def __init__(self, kicks, soft_drop=True):
        fill_rules(&self.rules, kicks, soft_drop)

    def landings(self, piece, board, lines):
        """The sets of cells that the piece can come to rest on, wholly inside the lowest `lines` rows."""
        cdef Cells[SHAPES] found
        cdef int i, number = PIECES.index(piece)
        cdef Cells places
        result = set()
        for i in range(landings(&self.rules, number, board, lines, found)):
            places = found[i]
            while places:
                result.add(self.rules.pieces[number].cells[i] << lowest(places))
                places &= places - 1
        return result
