"""A depth-first search over boards, with a memory of all states that were settled.

A state is a board, a held piece, and how many pieces were placed, which the board tells. The piece that can be
placed besides the held one follows from it: hold and queue together are at any time "one piece and the next
one of the queue", whichever of both lies in the hold. So an empty hold is the same as the queue's first
piece in it.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

from games.perfect_clear.columns cimport can_fill, counted, heap_of, one_more
from games.perfect_clear.movement cimport (
    SHAPES,
    Cells,
    Rules,
    children,
    clear_lines,
    count,
    fill_rules,
    is_divisible,
    keyed,
    landings,
    lowest,
    rows_below,
)
from games.tetrominoes.kicks import KICK_TABLES
from games.tetrominoes.pieces import PIECES

cdef extern from *:
    void prefetch "__builtin_prefetch"(const void*) noexcept nogil

# The first memory; it doubles whenever it is half full.
cdef size_t FIRST_SLOTS = 1 << 8
cdef Cells ALL_BUT_LAST_COLUMN = 0x7FDFF7FDFF7FDFFULL
cdef enum:
    STOPPED = -1

# Each piece, and nobody, as `can_fill` takes them.
cdef uint64_t[8] _kinds
for _number, _piece in enumerate((*PIECES, "")):
    _kinds[_number] = counted(_piece)


cdef inline size_t _hash(uint64_t key) noexcept nogil:
    key >>= 1
    key ^= key >> 29
    key *= 0x9E3779B97F4A7C15ULL
    return key ^ (key >> 32)


cdef inline uint64_t* _slot(Memory* memory, uint64_t key) noexcept nogil:
    """Where the state is remembered or would be; bit 0 of the key does not count."""
    cdef size_t at = _hash(key) & memory.mask
    while memory.slots[at] and (memory.slots[at] ^ key) > 1:
        at = (at + 1) & memory.mask
    return &memory.slots[at]


cdef int _allocate(Memory* memory, size_t slots) except -1 nogil:
    memory.slots = <uint64_t*>large_calloc(slots * sizeof(uint64_t))
    if memory.slots == NULL:
        with gil:
            raise MemoryError(f"expected {8 * slots:,} bytes for the states of the search")
    memory.mask = slots - 1
    memory.used = 0
    return 0


cdef int _remember(Memory* memory, uint64_t key) except -1 nogil:
    cdef Memory older
    cdef size_t i
    cdef uint64_t* slot = _slot(memory, key)
    memory.used += slot[0] == 0
    slot[0] = key
    if 3 * memory.used <= 2 * memory.mask:
        return 0
    older = memory[0]
    _allocate(memory, 2 * (older.mask + 1))
    memory.used = older.used
    for i in range(older.mask + 1):
        if older.slots[i]:
            _slot(memory, older.slots[i])[0] = older.slots[i]
    free(older.slots)
    return 0


cdef inline size_t _place(const Ways* ways, uint64_t key) noexcept nogil:
    cdef size_t at = _hash(key) & ways.mask
    while ways.keys[at] and ways.keys[at] != key:
        at = (at + 1) & ways.mask
    return at


cdef int _add_ways(Ways* ways, uint64_t key, int64_t number) except -1 nogil:
    cdef Ways older = ways[0]
    cdef size_t i, at = _place(ways, key)
    ways.keys[at], ways.numbers[at] = key, number
    ways.used += 1
    if 3 * ways.used <= 2 * ways.mask:
        return 0
    ways.mask = 2 * older.mask + 1
    ways.keys = <uint64_t*>calloc(ways.mask + 1, sizeof(uint64_t))
    ways.numbers = <int64_t*>calloc(ways.mask + 1, sizeof(int64_t))
    for i in range(older.mask + 1):
        if ways.keys != NULL and ways.numbers != NULL and older.keys[i]:
            at = _place(ways, older.keys[i])
            ways.keys[at], ways.numbers[at] = older.keys[i], older.numbers[i]
    free(older.keys)
    free(older.numbers)
    if ways.keys == NULL or ways.numbers == NULL:
        with gil:
            raise MemoryError("expected memory for the numbers of ways")
    return 0


cdef inline int _roughness(Cells board, int lines) noexcept nogil:
    """How often filled and empty cells lie side by side.

    Boards with long runs of either come first: the first solution then takes a quarter of the time that the
    order of generation takes. Counting what lies one above the other as well made it ten times slower.
    """
    return count((board ^ (board >> 1)) & ALL_BUT_LAST_COLUMN & rows_below(lines))


cdef int gather(
    const Rules* rules, int piece, Cells board, int lines, int hold, uint64_t pieces, Choice* found
) noexcept nogil:
    """What can be made of the board with one piece, leaving the other one in hold; how many."""
    cdef Cells[MOST_CHOICES] boards
    cdef int[MOST_CHOICES] left
    cdef int i, number = 0
    for i in range(children(rules, piece, board, lines, boards, left)):
        if not can_fill(heap_of(~boards[i] & rows_below(left[i])), pieces):
            continue
        found[number].board = boards[i]
        found[number].lines = left[i]
        found[number].hold = hold
        found[number].piece = piece
        found[number].key = state_key(boards[i], left[i], hold)
        found[number].score = _roughness(boards[i], left[i])
        number += 1
    return number


cdef void _sort(Choice* found, int number) noexcept nogil:
    cdef Choice one
    cdef int i, j
    for i in range(1, number):
        one = found[i]
        j = i
        while j > 0 and found[j - 1].score > one.score:
            found[j] = found[j - 1]
            j -= 1
        found[j] = one


cdef class Search:

    def __cinit__(self):
        self.memory.slots = NULL

    def __dealloc__(self):
        free(self.memory.slots)

    def __init__(self, kicks, soft_drop=True):
        fill_rules(&self.rules, kicks, soft_drop)

    def begin(self, queue):
        """Set the numbers of the pieces to come; what was settled for others is forgotten."""
        cdef uint8_t[MOST_PIECES] pieces
        if len(queue) > MOST_PIECES:
            raise ValueError(f"expected at most {MOST_PIECES} pieces, got {len(queue)}")
        for i, piece in enumerate(queue):
            pieces[i] = piece
        self.is_stopped = False
        self.set_queue(pieces, len(queue))

    cdef int set_queue(self, const uint8_t* queue, int length) except -1:
        """As `begin`."""
        cdef int i, placed, hold
        free(self.memory.slots)
        self.memory.slots = NULL
        _allocate(&self.memory, FIRST_SLOTS)
        self.filled = -1
        self.states = 0
        self.most_states = 0
        self.length = length
        for i in range(length):
            self.queue[i] = queue[i]
        for hold in range(8):
            self.left[length][hold] = _kinds[hold]
            for placed in range(length - 1, -1, -1):
                self.left[placed][hold] = one_more(self.left[placed + 1][hold], _kinds[queue[placed]])
            for placed in range(length + 1, MOST_PIECES + 1):
                self.left[placed][hold] = _kinds[hold]
        return 0

    cdef int change_queue(self, const uint8_t* queue, int length, Cells board, int lines) except -1:
        """As `set_queue`, for a queue of the same board; what rests on an equal end of both is kept."""
        cdef int same = length
        cdef Memory older = self.memory
        cdef size_t i
        cdef uint64_t slot
        if length != self.length or self.filled != count(keyed(board, lines)):
            self.set_queue(queue, length)
            self.filled = count(keyed(board, lines))
            return 0
        while same and queue[same - 1] == self.queue[same - 1]:
            same -= 1
        if same:
            _allocate(&self.memory, FIRST_SLOTS)
            for i in range(older.mask + 1):
                slot = older.slots[i]
                # A state after so many pieces knows nothing of the queue before.
                if slot and count(slot >> 4) - self.filled >= 4 * same:
                    _remember(&self.memory, slot)
            older, self.memory = self.memory, older
            self.set_queue(queue, length)
            free(self.memory.slots)
            self.memory = older
            self.filled = count(keyed(board, lines))
        self.states = 0
        return 0

    cdef int order(self, Cells board, int lines, int hold, uint8_t* pieces) noexcept nogil:
        """The pieces of a solution that `explore` has found, in the order in which they are placed."""
        cdef Choice[MOST_CHOICES] found
        cdef int i = 0, placed = 0
        while lines:
            for i in range(self.choices(board, lines, placed, hold, found)):
                if not found[i].lines or _slot(&self.memory, found[i].key)[0] & 1:
                    break
            pieces[placed] = found[i].piece
            board, lines, hold = found[i].board, found[i].lines, found[i].hold
            placed += 1
        return placed

    def stop(self):
        """Let a search in another thread end, without an answer."""
        self.is_stopped = True

    cdef int choices(self, Cells board, int lines, int placed, int hold, Choice* found) noexcept nogil:
        """All states that follow from one and are not impossible at a glance, the smoothest first."""
        cdef int next = self.queue[placed] if placed < self.length else NOBODY
        cdef int number = 0
        cdef const uint64_t* left = self.left[placed + 1]
        if next != NOBODY:
            number = gather(&self.rules, next, board, lines, hold, left[hold], found)
        if hold != NOBODY and hold != next:
            number += gather(&self.rules, hold, board, lines, next, left[next], found + number)
        _sort(found, number)
        return number

    cdef int explore(self, Cells board, int lines, int placed, int hold) except? -2 nogil:
        """Whether a state that is not remembered can be cleared; STOPPED where the search was stopped."""
        cdef Choice[MOST_CHOICES] found
        cdef int i, number, unknown = 0, answer = 0
        cdef uint64_t known
        if self.is_stopped or (self.most_states and self.states >= self.most_states):
            return STOPPED
        self.states += 1
        number = self.choices(board, lines, placed, hold, found)
        for i in range(number):
            if not found[i].lines:
                answer = 1
            prefetch(&self.memory.slots[_hash(found[i].key) & self.memory.mask])
        if not answer:
            for i in range(number):
                known = _slot(&self.memory, found[i].key)[0]
                if known & 1:
                    answer = 1
                    break
                if not known:
                    found[unknown] = found[i]
                    unknown += 1
        if not answer:
            for i in range(unknown):
                # A brother may have settled it meanwhile.
                known = _slot(&self.memory, found[i].key)[0]
                if known:
                    answer = known & 1
                else:
                    answer = self.explore(found[i].board, found[i].lines, placed + 1, found[i].hold)
                if answer:
                    break
        if answer != STOPPED:
            _remember(&self.memory, state_key(board, lines, hold) | answer)
        return answer

    def is_possible(self, Cells board, int lines, int hold, long most_states=0):
        """Whether the board can be cleared; None if the search was stopped, or has seen `most_states`."""
        cdef int answer
        self.most_states = most_states
        with nogil:
            answer = self.explore(board, lines, 0, hold)
        return None if answer == STOPPED else bool(answer)

    def ways(self, Cells board, int lines, int hold):
        """In how many ways the board can be cleared, after `is_possible`; None if the search was stopped."""
        cdef Ways ways
        cdef int64_t answer
        ways.keys = <uint64_t*>calloc(FIRST_SLOTS, sizeof(uint64_t))
        ways.numbers = <int64_t*>calloc(FIRST_SLOTS, sizeof(int64_t))
        ways.mask, ways.used = FIRST_SLOTS - 1, 0
        try:
            if ways.keys == NULL or ways.numbers == NULL:
                raise MemoryError("expected memory for the numbers of ways")
            with nogil:
                answer = self._ways_from(&ways, board, lines, 0, hold)
        finally:
            free(ways.keys)
            free(ways.numbers)
        return None if answer < 0 else answer

    cdef int64_t _ways_from(self, Ways* ways, Cells board, int lines, int placed, int hold) except? -2 nogil:
        """The ways from a state; STOPPED where the search was stopped."""
        cdef Choice[MOST_CHOICES] found
        cdef uint64_t known, key = state_key(board, lines, hold) | 1
        cdef size_t at = _place(ways, key)
        cdef int64_t total = 0, more
        cdef int i, answer
        if ways.keys[at]:
            return ways.numbers[at]
        for i in range(self.choices(board, lines, placed, hold, found)):
            if not found[i].lines:
                total += 1
                continue
            known = _slot(&self.memory, found[i].key)[0]
            answer = known & 1
            if not known:
                answer = self.explore(found[i].board, found[i].lines, placed + 1, found[i].hold)
            if answer == STOPPED:
                return STOPPED
            if answer:
                more = self._ways_from(ways, found[i].board, found[i].lines, placed + 1, found[i].hold)
                if more == STOPPED:
                    return STOPPED
                total += more
        _add_ways(ways, key, total)
        return total

    def steps(self, Cells board, int lines, int placed, int hold, bint settled_only=False):
        """Every placement after which the board can still be cleared; None if the search was stopped.

        With `settled_only`, those of which the search knows it already: at least one where the board can be
        cleared at all.
        Each is (piece, whether it was the held one, its cells, board after it, lines left, hold after it).
        """
        found = []
        cdef int next = self.queue[placed] if placed < self.length else NOBODY
        if next != NOBODY:
            self._add_steps(board, lines, placed, next, hold, False, settled_only, found)
        if hold != NOBODY and hold != next:
            self._add_steps(board, lines, placed, hold, next, True, settled_only, found)
        return None if self.is_stopped else found

    cdef int _add_steps(
        self, Cells board, int lines, int placed, int piece, int hold, bint is_held, bint settled_only, list found
    ) except -1:
        cdef Cells[SHAPES] places
        cdef Cells cells, after
        cdef int i, left
        for i in range(landings(&self.rules, piece, board, lines, places)):
            while places[i]:
                cells = self.rules.pieces[piece].cells[i] << lowest(places[i])
                places[i] &= places[i] - 1
                left = lines
                after = clear_lines(board | cells, &left)
                if self._can_clear(after, left, placed + 1, hold, settled_only):
                    found.append((piece, is_held, cells, after, left, hold))
        return 0

    cdef bint _can_clear(
        self, Cells board, int lines, int placed, int hold, bint settled_only
    ) except? True:
        cdef uint64_t known
        cdef int answer
        if not lines:
            return True
        if not is_divisible(board, lines):
            return False
        if not can_fill(heap_of(~board & rows_below(lines)), self.left[placed][hold]):
            return False
        known = _slot(&self.memory, state_key(board, lines, hold))[0]
        if known or settled_only:
            return known & 1
        with nogil:
            answer = self.explore(board, lines, placed, hold)
        return answer == 1

    @staticmethod
    def floor_places(int piece):
        """All sets of cells in which a piece can lie on an empty floor."""
        cdef Rules rules
        cdef Cells[SHAPES] places
        cdef int i
        fill_rules(&rules, KICK_TABLES["none"], False)
        found = []
        for i in range(landings(&rules, piece, 0, 4, places)):
            while places[i]:
                found.append(rules.pieces[piece].cells[i] << lowest(places[i]))
                places[i] &= places[i] - 1
        return found
