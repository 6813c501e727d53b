"""A search for perfect clears with a known queue, and its memory of states that are settled."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from games.perfect_clear.movement cimport Cells, Rules, keyed

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    /* Zeroed memory, in large pages where the system has them: the search looks into it at random. */
    static void* large_calloc(size_t bytes) {
        void* memory = NULL;
        if (bytes < (1u << 21)) return calloc(bytes, 1);
        if (posix_memalign(&memory, 1u << 21, bytes)) return NULL;
    #ifdef MADV_HUGEPAGE
        madvise(memory, bytes, MADV_HUGEPAGE);
    #endif
        return memset(memory, 0, bytes);
    }
    """
    void* large_calloc(size_t) noexcept nogil

cdef enum:
    # More pieces than six lines take.
    MOST_PIECES = 24
    # The number of "no piece".
    NOBODY = 7
    # Two pieces have no more places than that together.
    MOST_CHOICES = 160

# What is remembered of a state, in 64 bits; zero is an empty slot:
#
# | bits  | 63..4               | 3..1                       | 0                    |
# |-------|---------------------|----------------------------|----------------------|
# | holds | the board, `keyed`  | the held piece's number + 1,| whether the board    |
# |       |                     | modulo 8                   | can be cleared       |
cdef struct Memory:
    uint64_t* slots
    size_t mask
    size_t used

# The numbers of ways from the states that can be cleared.
cdef struct Ways:
    uint64_t* keys
    int64_t* numbers
    size_t mask
    size_t used

cdef struct Choice:
    Cells board
    uint64_t key
    int lines
    int hold
    int piece
    int score

cdef inline uint64_t state_key(Cells board, int lines, int hold) noexcept nogil:
    """What a state is remembered as, bit 0 left open."""
    return (keyed(board, lines) << 4) | (((hold + 1) & 7) << 1)

cdef int gather(
    const Rules* rules, int piece, Cells board, int lines, int hold, uint64_t pieces, Choice* found
) noexcept nogil

cdef class Search:
    cdef Rules rules
    cdef Memory memory
    cdef int[MOST_PIECES] queue
    cdef int length
    # How many cells the board had for which `change_queue` was last called, or -1.
    cdef int filled
    # By pieces placed and the hold: the pieces that are left, as `can_fill` takes them.
    cdef uint64_t[MOST_PIECES + 1][8] left
    cdef volatile bint is_stopped
    cdef readonly long states
    # After so many states the search gives up; 0 is no limit.
    cdef long most_states

    cdef int set_queue(self, const uint8_t* queue, int length) except -1
    cdef int change_queue(self, const uint8_t* queue, int length, Cells board, int lines) except -1
    cdef int order(self, Cells board, int lines, int hold, uint8_t* pieces) noexcept nogil
    cdef int _add_steps(
        self, Cells board, int lines, int placed, int piece, int hold, bint is_held, bint settled_only, list found
    ) except -1
    cdef bint _can_clear(
        self, Cells board, int lines, int placed, int hold, bint settled_only
    ) except? True
    cdef int64_t _ways_from(self, Ways* ways, Cells board, int lines, int placed, int hold) except? -2 nogil
    cdef int explore(self, Cells board, int lines, int placed, int hold) except? -2 nogil
    cdef int choices(self, Cells board, int lines, int placed, int hold, Choice* found) noexcept nogil
