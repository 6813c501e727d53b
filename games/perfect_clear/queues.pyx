"""Which of many queues clear a board, sharing what one tells about the others.

A solution is an order of pieces. With the hold a queue can be placed in hundreds of orders, and the same order
serves many queues. So all orders that are known to clear the board are kept, and a queue is searched only if
none of its own orders is among them.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free

from games.perfect_clear.movement cimport Cells, fill_rules
from games.perfect_clear.search cimport MOST_PIECES, NOBODY, Search, large_calloc

cdef enum:
    MOST_KNOWN = 10
    IMPOSSIBLE = 0
    POSSIBLE = 1
    UNDECIDED = 2

cdef size_t[MOST_KNOWN + 1] SEVENS
SEVENS[0] = 1
for _i in range(MOST_KNOWN):
    SEVENS[_i + 1] = 7 * SEVENS[_i]


cdef class Queues:
    """Decides queues for one board; orders of more than ten pieces are not kept."""

    cdef Search search
    cdef Cells board
    cdef int lines, needed
    # By length: bit 7^(n-1) a + ... + z for each beginning a...z of n pieces of a known order.
    cdef uint8_t* known[MOST_KNOWN + 1]
    # Whether all orders are known that clear the board.
    cdef bint is_complete
    cdef readonly long searched

    def __cinit__(self):
        cdef int i
        for i in range(MOST_KNOWN + 1):
            self.known[i] = NULL

    def __dealloc__(self):
        cdef int i
        for i in range(MOST_KNOWN + 1):
            free(self.known[i])

    def __init__(self, kicks, soft_drop, Cells board, int lines, int needed):
        self.search = Search(kicks, soft_drop)
        self.board, self.lines, self.needed = board, lines, needed
        if needed <= MOST_KNOWN:
            for i in range(1, needed + 1):
                self.known[i] = <uint8_t*>large_calloc(SEVENS[i] // 8 + 1)
                if self.known[i] == NULL:
                    raise MemoryError(f"expected {SEVENS[i] // 8:,} bytes for orders of pieces")

    def adopt(self, const uint8_t[::1] orders):
        """Take a bitmap of all orders that clear the board: what is not among them is impossible then."""
        cdef size_t code, shorter
        cdef int length
        if self.needed > MOST_KNOWN or orders.shape[0] != <Py_ssize_t>SEVENS[self.needed] // 8 + 1:
            raise ValueError(f"expected all orders of {self.needed} pieces, got {orders.shape[0]:,} bytes")
        for code in range(SEVENS[self.needed]):
            if orders[code >> 3] >> (code & 7) & 1:
                shorter = code
                for length in range(self.needed, 0, -1):
                    self.known[length][shorter >> 3] |= 1 << (shorter & 7)
                    shorter //= 7
        self.is_complete = True

    def decide(self, const uint8_t[:, ::1] queues, int hold, bint may_hold, uint8_t[::1] answers, long most_states):
        """Answer each queue with 0 or 1, or with 2 where more states than `most_states` would be needed.

        Queues that have an answer already keep it. Without a limit, which is 0, queues that end alike should
        follow each other: what was found out about their ends is kept.
        """
        cdef Py_ssize_t i
        for i in range(queues.shape[0]):
            if answers[i] == UNDECIDED:
                answers[i] = self._decide(&queues[i, 0], queues.shape[1], hold, may_hold, most_states)

    cdef int _decide(self, const uint8_t* queue, int length, int hold, bint may_hold, long most_states) except -1:
        cdef uint8_t[MOST_PIECES] order
        cdef int other = hold, placed, answer
        cdef size_t code = 0
        if may_hold and other == NOBODY:
            other = queue[0]
            queue += 1
            length -= 1
        if self.known[1] != NULL and self._is_known(queue, length, other, 0, 0):
            return POSSIBLE
        if self.is_complete:
            return IMPOSSIBLE
        self.searched += 1
        if most_states:
            self.search.set_queue(queue, length)
        else:
            self.search.change_queue(queue, length, self.board, self.lines)
        self.search.most_states = most_states
        answer = self.search.explore(self.board, self.lines, 0, other)
        if answer < 0:
            return UNDECIDED
        if answer and self.known[1] != NULL:
            for placed in range(self.search.order(self.board, self.lines, other, order)):
                code = 7 * code + order[placed]
                self.known[placed + 1][code >> 3] |= 1 << (code & 7)
        return answer

    cdef bint _is_known(self, const uint8_t* queue, int length, int other, int placed, size_t code) noexcept nogil:
        """Whether an order that a queue allows is known; `code` is its beginning."""
        cdef size_t longer
        if placed == self.needed:
            return True
        if placed < length:
            longer = 7 * code + queue[placed]
            if self.known[placed + 1][longer >> 3] >> (longer & 7) & 1:
                if self._is_known(queue, length, other, placed + 1, longer):
                    return True
        if other == NOBODY or (placed < length and other == queue[placed]):
            return False
        longer = 7 * code + other
        if self.known[placed + 1][longer >> 3] >> (longer & 7) & 1:
            return self._is_known(queue, length, queue[placed] if placed < length else NOBODY, placed + 1, longer)
        return False
