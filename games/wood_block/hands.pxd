"""A search over all orders and places of a hand, the expectation over the next hand, and games played by it."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t

from games.wood_block.evaluation cimport Evaluation, Weights
from games.wood_block.fields cimport HAND, Board, Field, Rules

cdef enum:
    # No more leaves are kept to be looked at more closely.
    MOST_KEPT = 32
    MOST_SAMPLES = 256
    # A block may be dealt more often than others.
    MOST_DEALT = 256

# A board on the way through a hand.
cdef struct Node:
    Board board
    int cost
    int points
    int parent
    # Which slot of the hand was placed last, and where.
    int8_t slot
    int8_t place
    # The slots that are left, a bit for each.
    uint8_t left

# The memory of one search. A slot of the hash table is the number of the search, times 2^32, and a node's number.
cdef struct Arena:
    Node* nodes
    int most_nodes
    int* order
    uint64_t* slots
    uint64_t most_slots
    uint64_t mask
    uint64_t search

# How far a search looks.
cdef struct Width:
    # The best boards after one block, and after two, that are followed; zero is all of them.
    int first
    int second
    # Whether of the other boards after two blocks those are valued where the third makes something vanish.
    bint clears

# What a search has found.
cdef struct Found:
    # How many blocks could be placed.
    int placed
    # The best boards after the last block, the best one first; they are not nodes of the arena.
    int number
    Node[MOST_KEPT] leaf

cdef struct Settings:
    Width width
    # From this cost of the best leaf on, `kept` leaves are compared by what `samples` next hands make of them.
    int danger
    int kept
    int samples
    # The samples double for each so much of cost above `danger`.
    int doubling
    Width next_width
    # What it costs if the next hand cannot be placed.
    int death

# The blocks that a hand is drawn from, each with the same probability.
cdef struct Deal:
    int[MOST_DEALT] block
    int number

cdef struct Totals:
    int64_t hands
    int64_t placed
    int64_t score
    int64_t leaves
    # How often the next hand was looked at.
    int64_t dangers

cdef class Search:
    cdef readonly Field field
    cdef Evaluation evaluation
    cdef Settings settings
    cdef Arena arena
    cdef Arena next_arena
    cdef Totals totals
    cdef Deal deal
    cdef Deal next_deal

    cdef int best(self, Board board, const int* hand, uint64_t* random, Found* found) noexcept nogil
    cdef int64_t outlook(self, Board board, const int* hands, int number) noexcept nogil
    cdef int _samples(self, int cost) noexcept nogil
    cdef int _safest(self, const Found* found, int samples, uint64_t* random) noexcept nogil
    cdef void way(self, const Found* found, int leaf, int8_t* slots, int8_t* places) noexcept nogil
    cdef int draw(self, uint64_t* random) noexcept nogil
