"""The shortest way of a piece to each place on a board: the active stage of the specification, in C.

A board has 24 rows of ten cells. For each position of the box and each orientation it is kept from where it
was first reached and by which action; no number of actions, since positions are taken in their order.
"""

from libc.stdint cimport int8_t, int16_t, uint16_t
from libc.string cimport memset

from games.tetrominoes.pieces import BOXED, PIECES

cdef enum:
    HEIGHT = 24
    # The rows and columns of cells and of boxes begin so far outside the board.
    MARGIN = 4
    ACROSS = 10 + 2 * MARGIN
    UP = HEIGHT + 2 * MARGIN
    POSITIONS = 4 * UP * ACROSS
    MOST_TESTS = 8
    STEPS = 3
    TURNS = 3

# A Python number: C has none of 240 bits.
_ONE = int("1")

# Actions in the order in which they are tried, as in the specification.
ACTIONS = ("left", "right", "slow drop", "turn right", "half turn", "turn left")

cdef struct PieceTurns:
    # The four cells of each orientation, as distances from the box's corner.
    int[4][4] cells
    # By orientation and turns to the right, 1 to 3: how many tests, and where these lead.
    int[4][4] tests
    int[4][4][MOST_TESTS] shift


cdef class Keys:
    """Finds the shortest ways under a kick table, with or without slow drops."""

    cdef PieceTurns[7] pieces
    cdef bint soft_drop

    def __init__(self, kicks, soft_drop=True):
        self.soft_drop = soft_drop
        memset(self.pieces, 0, sizeof(self.pieces))
        for number, piece in enumerate(PIECES):
            for orientation in range(4):
                for i, (x, y) in enumerate(BOXED[piece][orientation]):
                    self.pieces[number].cells[orientation][i] = y * ACROSS + x
            for (start, target), shifts in kicks.tests[piece].items():
                turns = (target - start) % 4
                self.pieces[number].tests[start][turns] = len(shifts)
                for i, (x, y) in enumerate(shifts):
                    self.pieces[number].shift[start][turns][i] = y * ACROSS + x

    def ways(self, piece, board, wanted):
        """The shortest way to each of the wanted sets of cells that can be reached, without the last drop.

        `board` and the sets are numbers with bit 10 y + x for each cell; a way is a tuple of ACTIONS.
        """
        cdef int8_t[UP * ACROSS] filled
        cdef int16_t[POSITIONS] before, waiting
        cdef int8_t[POSITIONS] by
        cdef int first = 0, last = 0, at, after, orientation, corner, action, test, i
        cdef const PieceTurns* turns = &self.pieces[PIECES.index(piece)]
        memset(filled, 1, sizeof(filled))
        for row in range(HEIGHT):
            for column in range(10):
                filled[(row + MARGIN) * ACROSS + column + MARGIN] = board >> (10 * row + column) & 1
        memset(by, -1, sizeof(by))
        left = set(wanted)
        found = {}
        bottom = min(y for _, y in BOXED[piece][0])
        at = (HEIGHT - 4 - bottom + MARGIN) * ACROSS + 3 + MARGIN
        waiting[last] = at
        last += 1
        by[at] = STEPS + TURNS
        while first < last and left:
            at = waiting[first]
            first += 1
            orientation, corner = at // (UP * ACROSS), at % (UP * ACROSS)
            cells = _resting(filled, turns.cells[orientation], corner)
            if cells in left:
                left.discard(cells)
                found[cells] = _way(before, by, at)
            for action in range(STEPS + TURNS):
                after = _after(filled, turns, orientation, corner, action, self.soft_drop)
                if after >= 0 and by[after] < 0:
                    by[after] = action
                    before[after] = at
                    waiting[last] = after
                    last += 1
        return found


cdef inline bint _is_free(const int8_t* filled, const int* cells, int corner) noexcept:
    return not (
        filled[corner + cells[0]]
        or filled[corner + cells[1]]
        or filled[corner + cells[2]]
        or filled[corner + cells[3]]
    )


cdef int _after(
    const int8_t* filled, const PieceTurns* turns, int orientation, int corner, int action, bint soft_drop
) noexcept:
    """The position after an action, or -1."""
    cdef int turn, test, moved
    if action < STEPS:
        if action == 2 and not soft_drop:
            return -1
        moved = corner + (-1 if action == 0 else 1 if action == 1 else -ACROSS)
        return orientation * UP * ACROSS + moved if _is_free(filled, turns.cells[orientation], moved) else -1
    turn = action - STEPS + 1
    for test in range(turns.tests[orientation][turn]):
        moved = corner + turns.shift[orientation][turn][test]
        if _is_free(filled, turns.cells[(orientation + turn) & 3], moved):
            return ((orientation + turn) & 3) * UP * ACROSS + moved
    return -1


cdef object _resting(const int8_t* filled, const int* cells, int corner):
    """The cells after an instant drop."""
    cdef int i, row, column
    while _is_free(filled, cells, corner - ACROSS):
        corner -= ACROSS
    found = 0
    for i in range(4):
        row = (corner + cells[i]) // ACROSS - MARGIN
        column = (corner + cells[i]) % ACROSS - MARGIN
        found |= _ONE << (10 * row + column)
    return found


cdef tuple _way(const int16_t* before, const int8_t* by, int at):
    way = []
    while by[at] < STEPS + TURNS:
        way.append(ACTIONS[by[at]])
        at = before[at]
    return tuple(reversed(way))
