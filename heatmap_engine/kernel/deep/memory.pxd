"""Where memory lies, and when it comes: on large pages, or fetched ahead.

With pages of 4 KiB whoever reads here and there waits for addresses as well.
"""

cdef enum:
    LARGE_PAGE = 1 << 21

cdef extern from *:
    """
    #include <stdlib.h>
    #include <sys/mman.h>
    #define HEATMAP_LARGE_PAGE ((size_t)1 << 21)
    /* Aligned memory, or NULL. Large pages are a hint, and where it is refused the memory is only slower. */
    static inline void* heatmap_aligned_memory(size_t alignment, size_t size) {
        void* memory = NULL;
        if (posix_memalign(&memory, alignment, size)) return NULL;
    #ifdef MADV_HUGEPAGE
        if (alignment >= HEATMAP_LARGE_PAGE) madvise(memory, size, MADV_HUGEPAGE);
    #endif
        return memory;
    }
    #define heatmap_fetch_ahead(address) __builtin_prefetch(address)
    """
    void* aligned_memory "heatmap_aligned_memory"(size_t alignment, size_t size) nogil  # for free()
    void fetch_ahead "heatmap_fetch_ahead"(const void* address) noexcept nogil
