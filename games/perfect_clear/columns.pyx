"""The bodies of columns.pxd."""

from libc.stdint cimport uint64_t

from games.perfect_clear.movement cimport WIDTH
from games.tetrominoes.pieces import BOXED, PIECES

cdef enum:
    COLUMN_BITS = 4
    COUNT_BITS = 4
    MOST_KINDS = 7
    MOST_PROFILES = 4
    CACHED = 1 << 18

# The pieces with the same profiles are one kind.
cdef int kinds
cdef int[MOST_KINDS] profiles_of
cdef Heap[MOST_KINDS][MOST_PROFILES] profile
cdef Heap OVERFLOW = 0x8888888888ULL
# Answers: columns in bits 0..39, counts above, and the answer in bit 63; a newer one replaces an older one.
# A word is read and written at once, so that searches in several threads can share it.
cdef uint64_t[CACHED] cache
_kind_of = {}


cdef int _fill() except -1:
    global kinds
    cdef int row, bit
    for row in range(1024):
        SPREAD[row] = 0
        for bit in range(WIDTH):
            if row >> bit & 1:
                SPREAD[row] |= <Heap>1 << (COLUMN_BITS * bit)
    found = []
    for piece in PIECES:
        mine = set()
        for cells in BOXED[piece]:
            left = min(x for x, _ in cells)
            mine.add(sum(1 << (COLUMN_BITS * (x - left)) for x, _ in cells))
        if mine not in found:
            found.append(mine)
        _kind_of[piece] = found.index(mine)
    kinds = len(found)
    for kind, mine in enumerate(found):
        profiles_of[kind] = len(mine)
        for i, one in enumerate(sorted(mine)):
            profile[kind][i] = one
    return 0


cdef uint64_t counted(object pieces) except? 1:
    """How many there are of each kind, in a form for `can_fill`."""
    cdef uint64_t found = 0
    for piece in pieces:
        found = one_more(found, 1 << (COUNT_BITS * _kind_of[piece]))
    return found


cdef bint can_fill(Heap columns, uint64_t pieces) noexcept nogil:
    """Whether some of the pieces have profiles whose sum is `columns`; `pieces` are as from `counted`."""
    cdef uint64_t key, known
    cdef size_t at
    cdef int kind, i
    cdef Heap one
    cdef bint answer = False
    if not columns:
        return True
    while not columns & 0xF:
        columns >>= COLUMN_BITS
    key = columns | (pieces << 40)
    at = (key * 0x9E3779B97F4A7C15ULL) >> 46
    known = cache[at]
    if known << 1 == key << 1:
        return known >> 63
    for kind in range(kinds):
        if answer or not (pieces >> (COUNT_BITS * kind)) & 0xF:
            continue
        for i in range(profiles_of[kind]):
            one = profile[kind][i]
            # A column with too few cells would borrow from its highest bit.
            if ((columns | OVERFLOW) - one) & OVERFLOW != OVERFLOW:
                continue
            if can_fill(columns - one, pieces - (<uint64_t>1 << (COUNT_BITS * kind))):
                answer = True
                break
    cache[at] = key | (<uint64_t>answer << 63)
    return answer


_fill()


def can_fill_columns(cells, pieces):
    """The face of `can_fill`: numbers of empty cells from the left, and pieces."""
    return bool(can_fill(sum(number << (COLUMN_BITS * i) for i, number in enumerate(cells)), counted(pieces)))
