"""Memory in large pages: with those of 4 KiB, whoever reads here and there waits for addresses, too."""

cdef enum:
    LARGE_PAGE = 1 << 21

cdef extern from *:
    """
    #include <stdlib.h>
    #include <sys/mman.h>
    /* Aligned memory, or NULL; large pages are a hint, and where it is refused the memory is only slower. */
    static inline void* heatmap_aligned_memory(size_t alignment, size_t size) {
        void* memory = NULL;
        if (posix_memalign(&memory, alignment, size)) return NULL;
    #ifdef MADV_HUGEPAGE
        madvise(memory, size, MADV_HUGEPAGE);
    #endif
        return memory;
    }
    """
    void* aligned_memory "heatmap_aligned_memory"(size_t alignment, size_t size) nogil  # for free()
