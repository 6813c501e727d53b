"""Where a piece can come to rest on a board of up to six rows, found for all columns at once.

A board is 60 bits, ten for each row from the lowest one, and in each row one for each column from the left:

| bits  | 59..50 | ... | 19..10 | 9..0                          |
|-------|--------|-----|--------|-------------------------------|
| row   | 5      | ... | 1      | 0, bit 0 is the leftmost cell |

A set of positions is 60 bits as well: bit 10 y + x says that the lower left corner of a piece's cells may be,
or has come, to column x and row y. `lines` says how many rows are still to be cleared. Rows above them are
empty sky, in which a piece moves and turns as it likes.
"""

from libc.stdint cimport uint64_t

ctypedef uint64_t Cells

cdef enum:
    WIDTH = 10
    ROWS = 6
    SHAPES = 4
    MOST_TESTS = 8
    # No piece can rest in more places of six rows.
    MOST_LANDINGS = 240

cdef struct Test:
    # How far a position's bit moves: to a higher bit where positive.
    int shift
    # The positions from which the test stays inside the walls and the six rows.
    Cells sources
    # The positions from which it leads above the six rows, where everything is free.
    Cells into_sky

cdef struct Turn:
    int target
    int tests
    Test[MOST_TESTS] test

cdef struct Piece:
    # Orientations with the same cells are one shape: a piece has 1, 2 or 4.
    int shapes
    int[4] shape_of
    Cells[SHAPES] cells
    # The numbers of the four bits of `cells`.
    int[SHAPES][4] bits
    int[SHAPES] height
    # The positions inside the walls.
    Cells[SHAPES] inside
    int[4] turns
    Turn[4][3] turn

cdef struct Rules:
    Piece[7] pieces
    bint soft_drop

cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    #pragma GCC target("popcnt")
    #endif
    /* Of six rows: all columns but the last one, and the last one. */
    #define NINE_COLUMNS 0x7FDFF7FDFF7FDFFULL
    #define TENTH_COLUMN 0x802008020080200ULL
    """
    Cells NINE_COLUMNS
    Cells TENTH_COLUMN
    int __builtin_ctzll(unsigned long long) noexcept nogil
    int __builtin_popcountll(unsigned long long) noexcept nogil

cdef inline int lowest(Cells cells) noexcept nogil:
    return __builtin_ctzll(cells)

cdef inline int count(Cells cells) noexcept nogil:
    return __builtin_popcountll(cells)

cdef inline Cells rows_below(int rows) noexcept nogil:
    """All cells of the lowest `rows` rows."""
    return (<Cells>1 << (WIDTH * rows)) - 1 if rows > 0 else 0

cdef inline Cells clear_lines(Cells board, int* lines) noexcept nogil:
    """The board without its full rows; `lines` is reduced by as many."""
    cdef int row
    cdef Cells below, empty = ~board
    # Adding carries into bit 9 of each row that has an empty cell: most boards have no other rows.
    if not ~((empty & NINE_COLUMNS) + NINE_COLUMNS | empty) & TENTH_COLUMN & rows_below(lines[0]):
        return board
    for row in range(lines[0] - 1, -1, -1):
        if (board >> (WIDTH * row)) & 0x3FF == 0x3FF:
            below = rows_below(row)
            board = (board & below) | ((board >> WIDTH) & ~below)
            lines[0] -= 1
    return board

cdef inline Cells keyed(Cells board, int lines) noexcept nogil:
    """The board with its cleared rows as full ones on top, so that the key tells how many are left."""
    return board | (((<Cells>1 << 60) - 1) & ~rows_below(lines))

cdef inline bint is_divisible(Cells board, int lines) noexcept nogil:
    """Whether no wall between two columns cuts off a number of cells that pieces cannot fill.

    The cells of a piece in two neighbouring columns have a row in common, also after lines were cleared
    between them. So where no row is empty in both columns, no piece will ever lie across.
    """
    cdef Cells empty = ~board & rows_below(lines)
    cdef Cells pairs = empty & (empty >> 1) & NINE_COLUMNS
    cdef Cells walls, left
    pairs |= pairs >> 30
    pairs |= (pairs >> 10) | (pairs >> 20)
    walls = ~pairs & 0x1FF
    while walls:
        left = ((walls & (0 - walls)) << 1) - 1
        walls &= walls - 1
        left |= left << 10
        left |= left << 20
        left |= left << 30
        if count(empty & left) & 3:
            return False
    return True

cdef int landings(const Rules* rules, int piece, Cells board, int lines, Cells* found) noexcept nogil
cdef int children(
    const Rules* rules, int piece, Cells board, int lines, Cells* boards, int* lines_left
) noexcept nogil
cdef int fill_rules(Rules* rules, object kicks, bint soft_drop) except -1
