"""What a deep search remembers of positions it has been at, in RAM; several threads may share it.

An entry is two words, and four entries are a bucket of one cache line:

    first word    the key, exclusive or the second word: a torn entry of two threads has nobody's key

    second word   bits   0-14    15        16-31   32-47        48-55   56-57   58-63
                         move    learned   value   evaluation   depth   bound   age

    move          from (6 bits), to (6), promotion (3), as the side to move sees the board; 0 for none.
                  Castling is told apart by a promotion to a king: in Chess960 the king may step there as well
    learned       whether the entry was put in from the Q-table, see below
    value         for the side to move, mates counted from this position
    evaluation    the static one, or NO_VALUE
    depth         the plies that were searched below, 0 for a quiescence search
    bound         see below
    age           the number of the search that wrote it

What was learned is put in for one search, where nothing deeper was searched. Until that is over, only something
deeper is written over it, and it counts even where the search follows its best line and would look for itself.
Later searches may not believe it: they were told of their own, or of nothing. They hear its move alone.
"""

from libc.stdint cimport int16_t, uint64_t

from heatmap_engine.kernel.board.position cimport CASTLING_FLAG, KING, TO_SHIFT, Move, from_square, promotion, to_square
from heatmap_engine.kernel.deep.atomic cimport load_word, store_word
from heatmap_engine.kernel.deep.in_search cimport InSearch
from heatmap_engine.kernel.deep.memory cimport fetch_ahead

cdef enum:
    NO_BOUND      # an entry that is empty, or that holds an evaluation only
    LOWER_BOUND   # the true value is at least this
    UPPER_BOUND   # the true value is at most this
    EXACT         # both of these, also as bits

    NO_VALUE = 32001  # no evaluation: the side to move is in check

    BUCKET = 4
    AGES = 64         # after so many searches an age comes back

    # The second word, as drawn above.
    STORED_PROMOTION_SHIFT = 12  # from and to stand as in a Move
    STORED_MOVE = (1 << 15) - 1
    LEARNED = 1 << 15
    VALUE_SHIFT = 16
    EVALUATION_SHIFT = 32
    DEPTH_SHIFT = 48
    BOUND_SHIFT = 56
    AGE_SHIFT = 58

    # What an entry is worth, in plies of depth: of those in a bucket the one that is worth least is written over.
    _WORTH_OF_AGE = 8            # less for each search since
    _WORTH_OF_LEARNED = 256      # more in the search it was put in for, and less after it
    _MORE_THAN_ANY = 1 << 20

    # An entry that is deeper than a new one of its position by more plies stays, unless the new one is exact.
    _STAYS_IF_DEEPER_BY = 3

cdef struct Slot:
    uint64_t check
    uint64_t data

cdef struct TableEntry:
    # A slot, unpacked.
    Move move        # 15 bits of it
    int value
    int evaluation
    int depth
    int bound
    bint learned     # for the search that is running; probe() says it, store() does not ask for it

cdef struct Transpositions:
    Slot* slots
    uint64_t mask    # how many buckets there are, less one
    int age

cdef inline Slot* _bucket(const Transpositions* table, uint64_t key) noexcept nogil:
    return table.slots + BUCKET * (key & table.mask)


cdef inline void prefetch(const Transpositions* table, uint64_t key) noexcept nogil:
    fetch_ahead(_bucket(table, key))


cdef inline Move stored_move(Move move) noexcept nogil:
    """The part of a move that a slot holds."""
    cdef Move promoted = KING if move & CASTLING_FLAG else promotion(move)
    return from_square(move) | <Move>to_square(move) << TO_SHIFT | promoted << STORED_PROMOTION_SHIFT


cdef inline int age_in(uint64_t data) noexcept nogil:
    return <int>(data >> AGE_SHIFT)


cdef inline int depth_in(uint64_t data) noexcept nogil:
    return <int>(data >> DEPTH_SHIFT & 0xFF)


cdef inline int evaluation_in(uint64_t data) noexcept nogil:
    return <int16_t>(data >> EVALUATION_SHIFT & 0xFFFF)


cdef inline bint _is_current(const Transpositions* table, uint64_t data) noexcept nogil:
    return age_in(data) == table.age


cdef inline bint probe(const Transpositions* table, uint64_t key, TableEntry* entry) noexcept nogil:
    """Fill `entry` with what is known of a position; False, and an empty entry, if nothing is."""
    cdef Slot* slot = _bucket(table, key)
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET):
        data = load_word(&slot[i].data)
        if load_word(&slot[i].check) ^ data == key and data:
            entry.move = data & STORED_MOVE
            entry.value = <int16_t>(data >> VALUE_SHIFT & 0xFFFF)
            entry.evaluation = evaluation_in(data)
            entry.depth = depth_in(data)
            entry.bound = data >> BOUND_SHIFT & 3
            entry.learned = data & LEARNED != 0
            if entry.learned and not _is_current(table, data):
                entry.depth = -1
                entry.bound = NO_BOUND
                entry.learned = False
            return True
    entry.move = 0
    entry.value = 0
    entry.evaluation = NO_VALUE
    entry.depth = -1
    entry.bound = NO_BOUND
    entry.learned = False
    return False


cdef inline void store(Transpositions* table, uint64_t key, const TableEntry* entry) noexcept nogil:
    """Keep `entry`, over the position's own entry or the one in its bucket that is least worth keeping."""
    cdef Slot* slot = _bucket(table, key)
    cdef Slot* found = slot
    cdef uint64_t data
    cdef uint64_t move = entry.move
    cdef int worst = _MORE_THAN_ANY
    cdef int i, worth
    for i in range(BUCKET):
        data = load_word(&slot[i].data)
        if load_word(&slot[i].check) ^ data == key:
            found = &slot[i]
            if move == 0:
                move = data & STORED_MOVE
            if data & LEARNED and _is_current(table, data) and depth_in(data) >= entry.depth:
                return
            if entry.bound != EXACT and _is_current(table, data) and depth_in(data) > entry.depth + _STAYS_IF_DEEPER_BY:
                return
            break
        worth = depth_in(data) - _WORTH_OF_AGE * (table.age - age_in(data) & AGES - 1)
        if data & LEARNED:
            worth += _WORTH_OF_LEARNED if _is_current(table, data) else -_WORTH_OF_LEARNED
        if worth < worst:
            worst = worth
            found = &slot[i]
    data = (move | <uint64_t>(entry.value & 0xFFFF) << VALUE_SHIFT
            | <uint64_t>(entry.evaluation & 0xFFFF) << EVALUATION_SHIFT | <uint64_t>entry.depth << DEPTH_SHIFT
            | <uint64_t>entry.bound << BOUND_SHIFT | <uint64_t>table.age << AGE_SHIFT)
    store_word(&found.data, data)
    store_word(&found.check, key ^ data)


cdef void store_learned(Transpositions* table, uint64_t key, const TableEntry* entry) noexcept nogil


cdef class TranspositionTable:
    cdef Transpositions c
    cdef InSearch in_search
    cdef readonly int mib
