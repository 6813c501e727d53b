"""The memory of the table; see transpositions.pxd for its layout."""

from libc.stdlib cimport free
from libc.string cimport memset

from heatmap_engine.kernel.board.moves cimport MoveSets, find_moves, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport MAX_MOVES, Move, uci_name
from heatmap_engine.kernel.deep.keyed_position cimport KeyedPosition, set_keyed_position
from heatmap_engine.kernel.deep.memory cimport LARGE_PAGE, aligned_memory

cdef enum:
    _CACHE_LINE = 64      # bytes, as many as a bucket has


cdef void store_learned(Transpositions* table, uint64_t key, const TableEntry* entry) noexcept nogil:
    """Put in what the Q-table knows, for the search to come; what was searched deeper stays."""
    cdef int age = table.age
    cdef Slot* slot = _bucket(table, key)
    cdef TableEntry both = entry[0]
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET):
        data = slot[i].data
        if slot[i].check ^ data == key and data:
            # What was learned before was for another search, however deep.
            if not data & LEARNED and depth_in(data) > entry.depth:
                return
            if both.move == 0:
                both.move = data & STORED_MOVE
            if both.evaluation == NO_VALUE:
                both.evaluation = evaluation_in(data)
            slot[i].data = slot[i].check = 0  # not so deep, but store() might keep it
    table.age = age + 1 & AGES - 1
    store(table, key, &both)
    for i in range(BUCKET):
        data = slot[i].data
        if slot[i].check ^ data == key and data:
            slot[i].data = data | LEARNED
            slot[i].check = key ^ slot[i].data
    table.age = age


cdef class TranspositionTable:
    """A table of at most `mib` MiB, the next lower power of two; and the positions that its threads are searching."""

    def __cinit__(self, int mib):
        cdef uint64_t buckets = 1
        cdef size_t size
        if mib < 1:
            raise ValueError(f"expected a table of at least 1 MiB, got {mib}")
        while 2 * buckets * BUCKET * sizeof(Slot) <= <uint64_t>mib << 20:
            buckets *= 2
        size = buckets * BUCKET * sizeof(Slot)
        self.c.slots = <Slot*>aligned_memory(LARGE_PAGE if size >= LARGE_PAGE else _CACHE_LINE, size)
        if self.c.slots == NULL:
            raise MemoryError
        self.c.mask = buckets - 1
        self.mib = <int>(size >> 20)
        self.clear()

    def __dealloc__(self):
        free(self.c.slots)

    def clear(self):
        """Forget everything."""
        self.c.age = 0
        memset(self.c.slots, 0, (self.c.mask + 1) * BUCKET * sizeof(Slot))

    def next_search(self):
        """What has been kept until now is old, and the first to be written over."""
        self.c.age = self.c.age + 1 & AGES - 1

    def exact(self, PackedPosition position not None):
        """The (value, depth, learned) of a position whose value is known and not only a bound; else None."""
        cdef KeyedPosition keyed
        cdef TableEntry entry
        set_keyed_position(&keyed, &position.c)
        if not probe(&self.c, keyed.key, &entry) or entry.bound != EXACT:
            return None
        return entry.value, entry.depth, bool(entry.learned)

    def move(self, PackedPosition position not None):
        """The best move that is kept for a position, by its UCI name; None where none is, or no legal one."""
        cdef KeyedPosition keyed
        cdef TableEntry entry
        cdef MoveSets sets
        cdef Move[MAX_MOVES] moves
        cdef int count
        cdef int i
        set_keyed_position(&keyed, &position.c)
        if not probe(&self.c, keyed.key, &entry) or entry.move == 0:
            return None
        find_moves(&keyed.position, &sets)
        count = list_moves(&keyed.position, &sets, moves)
        for i in range(count):
            if stored_move(moves[i]) == entry.move:
                return uci_name(&keyed.position, moves[i])
        return None

    @property
    def permille_used(self):
        """How much of the table this search has filled, by its first thousand buckets."""
        cdef uint64_t used = 0
        cdef uint64_t i
        cdef uint64_t count = min(1000 * BUCKET, (self.c.mask + 1) * BUCKET)
        for i in range(count):
            if self.c.slots[i].data and age_in(self.c.slots[i].data) == self.c.age:
                used += 1
        return 1000 * used // count
