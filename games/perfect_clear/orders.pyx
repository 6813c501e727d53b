"""Every order of pieces that clears a board, found for all orders at once.

An order is a number to the base of seven, its first piece the highest digit. The orders that clear a board are
those of the boards one piece later with that piece before them. Boards with at most five pieces left have their
orders kept in a cache of a fixed size; the boards that lie before these are met in the order of their cells, so
that boards that share much follow each other.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, qsort, realloc
from libc.string cimport memset

from games.perfect_clear.movement cimport MOST_LANDINGS, WIDTH, Cells, Rules, children, count, fill_rules, keyed, rows_below
from games.perfect_clear.search cimport large_calloc

cdef enum:
    # The orders of so many pieces are numbers of 16 bits.
    LATE = 5
    MOST = 10

cdef size_t[MOST + 1] SEVENS
SEVENS[0] = 1
for _i in range(MOST):
    SEVENS[_i + 1] = 7 * SEVENS[_i]

cdef struct Cached:
    Cells key
    # Where its orders begin in the pool, counted without end, and how many there are.
    uint64_t start
    uint64_t number

# A board and one order of pieces that leads to it.
cdef struct Reached:
    Cells key
    uint64_t code


cdef int _by_key(const void* one, const void* other) noexcept nogil:
    cdef const Reached* a = <const Reached*>one
    cdef const Reached* b = <const Reached*>other
    if a.key != b.key:
        return -1 if a.key < b.key else 1
    return -1 if a.code < b.code else a.code > b.code


cdef class Orders:
    """Finds the orders for boards of at most ten pieces."""

    cdef Rules rules
    cdef Cached* cache
    # Orders of boards; the newest overwrite the oldest.
    cdef uint16_t* pool
    cdef uint64_t last, written
    cdef int bits
    cdef uint8_t[LATE + 1][2104] marked
    cdef readonly long computed

    def __cinit__(self):
        self.cache = NULL
        self.pool = NULL

    def __dealloc__(self):
        free(self.cache)
        free(self.pool)

    def __init__(self, kicks, soft_drop=True, int bits=22):
        """The cache has two to the power of `bits` boards, each with 24 bytes and 16 for its orders."""
        fill_rules(&self.rules, kicks, soft_drop)
        self.bits = bits
        self.last = (<uint64_t>1 << (bits + 3)) - 1
        self.cache = <Cached*>large_calloc((<size_t>1 << bits) * sizeof(Cached))
        self.pool = <uint16_t*>large_calloc((self.last + 1) * sizeof(uint16_t))
        if self.cache == NULL or self.pool == NULL:
            raise MemoryError(f"expected {40 << bits:,} bytes for the orders of boards")

    cdef Cached* _late(self, Cells board, int lines, int left) noexcept nogil:
        """The orders of a board with at most LATE pieces left; valid until the next call."""
        cdef Cells key = keyed(board, lines)
        cdef Cached* slot = &self.cache[(key * 0x9E3779B97F4A7C15ULL) >> (64 - self.bits)]
        cdef Cells[MOST_LANDINGS] boards
        cdef int[MOST_LANDINGS] lines_left
        cdef uint16_t* orders
        cdef uint8_t* marked = self.marked[left]
        cdef uint32_t code, base
        cdef uint64_t i, start
        cdef int piece, child, number
        cdef Cached* found
        if slot.key == key and (not slot.number or slot.start + self.last > self.written + SEVENS[LATE]):
            return slot
        self.computed += 1
        memset(marked, 0, SEVENS[left] // 8 + 1)
        for piece in range(7):
            base = piece * SEVENS[left - 1]
            number = children(&self.rules, piece, board, lines, boards, lines_left)
            for child in range(number):
                if left == 1:
                    marked[base >> 3] |= 1 << (base & 7)
                    break
                found = self._late(boards[child], lines_left[child], left - 1)
                for i in range(found.start, found.start + found.number):
                    code = base + self.pool[i & self.last]
                    marked[code >> 3] |= 1 << (code & 7)
        start = self.written
        for base in range(SEVENS[left] // 8 + 1):
            while marked[base]:
                code = 8 * base
                while not marked[base] >> (code & 7) & 1:
                    code += 1
                marked[base] &= marked[base] - 1
                self.pool[self.written & self.last] = code
                self.written += 1
        slot.key, slot.start, slot.number = key, start, self.written - start
        return slot

    def clearing(self, Cells board, int lines):
        """A bitmap of all orders that clear the board in so many lines, and how many pieces they have."""
        cdef int left = (WIDTH * lines - count(board)) // 4
        if not 0 < left <= MOST:
            raise ValueError(f"expected a board for at most {MOST} pieces, got one for {left}")
        cdef Reached* now = <Reached*>calloc(1, sizeof(Reached))
        cdef size_t number = 1, i, first, last, members
        cdef Cells[MOST_LANDINGS] boards
        cdef int[MOST_LANDINGS] lines_left
        cdef uint8_t[::1] result = bytearray(SEVENS[left] // 8 + 1)
        cdef uint8_t* late
        cdef uint32_t* orders
        cdef int early = left - LATE - 1
        cdef Cells one
        now[0].key, now[0].code = keyed(board, lines), 0
        try:
            while early > 0:
                now = self._following(now, &number)
                early -= 1
            if left <= LATE:
                self._add_late(board, lines, left, result)
                return bytes(result), left
            late = <uint8_t*>calloc(SEVENS[LATE + 1] // 8 + 1, 1)
            orders = <uint32_t*>calloc(SEVENS[LATE + 1], sizeof(uint32_t))
            first = 0
            while first < number:
                last = first
                while last < number and now[last].key == now[first].key:
                    last += 1
                with nogil:
                    members = self._one_earlier(now[first].key, late, orders)
                    self._add(&result[0], now, first, last, orders, members)
                first = last
            free(late)
            free(orders)
            return bytes(result), left
        finally:
            free(now)

    cdef int _add_late(self, Cells board, int lines, int left, uint8_t[::1] result) except -1:
        cdef Cached* found = self._late(board, lines, left)
        cdef uint64_t i
        for i in range(found.start, found.start + found.number):
            result[self.pool[i & self.last] >> 3] |= 1 << (self.pool[i & self.last] & 7)
        return 0

    cdef void _add(
        self, uint8_t* result, const Reached* now, size_t first, size_t last, const uint32_t* orders, size_t members
    ) noexcept nogil:
        """Every way to a board with every order after it."""
        cdef size_t i, j, code
        for i in range(first, last):
            for j in range(members):
                code = now[i].code * SEVENS[LATE + 1] + orders[j]
                result[code >> 3] |= 1 << (code & 7)

    cdef size_t _one_earlier(self, Cells key, uint8_t* marked, uint32_t* orders) noexcept nogil:
        """The orders of a board with LATE + 1 pieces left; how many."""
        cdef Cells[MOST_LANDINGS] boards
        cdef int[MOST_LANDINGS] lines_left
        cdef int piece, child, lines = _lines_of(key)
        cdef size_t code, members = 0
        cdef uint64_t i
        cdef Cached* found
        for piece in range(7):
            for child in range(children(&self.rules, piece, key & rows_below(lines), lines, boards, lines_left)):
                found = self._late(boards[child], lines_left[child], LATE)
                for i in range(found.start, found.start + found.number):
                    code = piece * SEVENS[LATE] + self.pool[i & self.last]
                    if not marked[code >> 3] >> (code & 7) & 1:
                        marked[code >> 3] |= 1 << (code & 7)
                        orders[members] = code
                        members += 1
        for i in range(members):
            marked[orders[i] >> 3] = 0
        return members

    cdef Reached* _following(self, Reached* now, size_t* number) except NULL:
        """All boards after one piece more, sorted, each once for each order that leads to it."""
        cdef size_t room = 1 << 16, found = 0, i, kept = 0
        cdef Reached* after = <Reached*>calloc(room, sizeof(Reached))
        cdef Cells[MOST_LANDINGS] boards
        cdef int[MOST_LANDINGS] lines_left
        cdef int piece, child, lines
        with nogil:
            for i in range(number[0]):
                lines = _lines_of(now[i].key)
                for piece in range(7):
                    for child in range(
                        children(&self.rules, piece, now[i].key & rows_below(lines), lines, boards, lines_left)
                    ):
                        if found == room:
                            room *= 2
                            after = <Reached*>realloc(after, room * sizeof(Reached))
                            if after == NULL:
                                with gil:
                                    raise MemoryError("expected memory for the boards of one level")
                        after[found].key = keyed(boards[child], lines_left[child])
                        after[found].code = 7 * now[i].code + piece
                        found += 1
            qsort(after, found, sizeof(Reached), _by_key)
            for i in range(found):
                if not kept or _by_key(&after[i], &after[kept - 1]):
                    after[kept] = after[i]
                    kept += 1
        free(now)
        number[0] = kept
        return <Reached*>realloc(after, kept * sizeof(Reached))


cdef int _lines_of(Cells key) noexcept nogil:
    cdef int lines = 6
    while lines and (key >> (WIDTH * (lines - 1))) & 0x3FF == 0x3FF:
        lines -= 1
    return lines
