"""Whether pieces can fill the empty cells of a board as far as the columns alone tell.

However rows are cleared meanwhile, a piece covers a fixed number of cells in each of some neighbouring
columns: O always covers 2 and 2, S and Z cover 1, 2, 1 or 2, 2. So the empty cells, counted by column, must be a
sum of such profiles of the pieces that are left. Half of the boards after six of ten pieces fail this test,
and it takes a look into a small memory.
"""

from libc.stdint cimport uint64_t

from games.perfect_clear.movement cimport WIDTH, Cells

# Four bits for each column, the leftmost lowest.
ctypedef uint64_t Heap

cdef Heap[1024] SPREAD

cdef inline Heap heap_of(Cells empty) noexcept nogil:
    """The number of empty cells in each column."""
    cdef Heap found = 0
    while empty:
        found += SPREAD[empty & 0x3FF]
        empty >>= WIDTH
    return found

cdef bint can_fill(Heap columns, uint64_t pieces) noexcept nogil
cdef uint64_t counted(object pieces) except? 1

cdef inline uint64_t one_more(uint64_t pieces, uint64_t kind) noexcept nogil:
    """The pieces and one more of a kind; fifteen of a kind are as many as are ever needed."""
    return pieces + kind if ~pieces & (15 * kind) else pieces
