"""Numbers that several threads read and write without a lock: none is torn, and no order is promised."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #define HEATMAP_LOAD(p) __atomic_load_n(p, __ATOMIC_RELAXED)
    #define HEATMAP_STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
    """
    uint64_t load_word "HEATMAP_LOAD"(const uint64_t* address) noexcept nogil
    void store_word "HEATMAP_STORE"(uint64_t* address, uint64_t value) noexcept nogil
    int load_flag "HEATMAP_LOAD"(const int* address) noexcept nogil
    void store_flag "HEATMAP_STORE"(int* address, int value) noexcept nogil
