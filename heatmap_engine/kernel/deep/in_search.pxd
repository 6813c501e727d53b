"""What the threads of one search are looking at right now.

A move into a position that another thread is searching is put off until the other moves are done; by then the
table mostly knows what it is worth. So threads share the work of one depth, where without this they would all
do much of it. A slot holds the key of a position; two keys that want one slot cost a little double work.
"""

from libc.stdint cimport uint64_t

from heatmap_engine.kernel.deep.atomic cimport load_word, store_word

cdef enum:
    IN_SEARCH_SLOTS = 1 << 14
    IN_SEARCH_DEPTH = 2  # what is searched less deep is over before another thread has heard of it

cdef struct InSearch:
    uint64_t[IN_SEARCH_SLOTS] keys


cdef inline bint is_in_search(const InSearch* in_search, uint64_t key) noexcept nogil:
    """Whether a thread is searching this position. It may be the one that asks, where its line comes back to one."""
    return load_word(&in_search.keys[key & (IN_SEARCH_SLOTS - 1)]) == key


cdef inline void enter_search(InSearch* in_search, uint64_t key) noexcept nogil:
    store_word(&in_search.keys[key & (IN_SEARCH_SLOTS - 1)], key)


cdef inline void leave_search(InSearch* in_search, uint64_t key) noexcept nogil:
    if is_in_search(in_search, key):
        store_word(&in_search.keys[key & (IN_SEARCH_SLOTS - 1)], 0)
