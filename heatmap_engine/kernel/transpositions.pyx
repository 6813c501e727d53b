"""The memory of the table; see transpositions.pxd for its layout."""

from libc.stdlib cimport free
from libc.string cimport memset

cdef extern from "stdlib.h" nogil:
    int posix_memalign(void** memory, size_t alignment, size_t size)


cdef class TranspositionTable:
    """A table of at most `mib` MiB, the next lower power of two."""

    def __cinit__(self, int mib):
        cdef uint64_t buckets = 1
        cdef void* memory = NULL
        if mib < 1:
            raise ValueError(f"expected a table of at least 1 MiB, got {mib}")
        while 2 * buckets * BUCKET * sizeof(Slot) <= <uint64_t>mib << 20:
            buckets *= 2
        if posix_memalign(&memory, 64, buckets * BUCKET * sizeof(Slot)):
            raise MemoryError
        self.c.slots = <Slot*>memory
        self.c.mask = buckets - 1
        self.mib = <int>(buckets * BUCKET * sizeof(Slot) >> 20)
        self.clear()

    def __dealloc__(self):
        free(self.c.slots)

    def clear(self):
        """Forget everything."""
        self.c.age = 0
        memset(self.c.slots, 0, (self.c.mask + 1) * BUCKET * sizeof(Slot))

    def next_search(self):
        """What has been kept until now is old, and the first to be written over."""
        self.c.age = self.c.age + 1 & 63

    @property
    def permille_used(self):
        """How much of the table this search has filled, by its first thousand buckets."""
        cdef uint64_t used = 0
        cdef uint64_t i
        cdef uint64_t count = min(1000 * BUCKET, (self.c.mask + 1) * BUCKET)
        for i in range(count):
            if self.c.slots[i].data and <int>(self.c.slots[i].data >> 58) == self.c.age:
                used += 1
        return 1000 * used // count
