"""A Monte Carlo search tree in which new hands are chance."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t

from games.wood_block.evaluation cimport Evaluation
from games.wood_block.fields cimport HAND, Board, Field

# How far a node has grown: BEGUN has one child, and `unvisited` is not counted yet. Most nodes stay so, because
# a new node's first child is found without all others.
cdef enum:
    LEAF
    BEGUN
    EXPANDED

# A node holds the state after its action. A node with a used hand is chance: its children are new hands.
cdef struct Node:
    Board board
    # How many cells each region lacks, as in `Rules.missing`.
    Board missing
    # The places that no child stands for yet, for each block of the hand; all valid ones when it is expanded.
    Board[HAND] unvisited
    int8_t[HAND] hand
    int8_t slot
    int8_t place
    uint8_t growth
    int depth
    int parent
    int first_child
    int next_child
    int children
    int visits
    # The points from the root to here.
    int points
    # The sum of the rewards of all visits.
    double value

cdef struct Options:
    double exploration
    int policy
    # Nodes at this depth have no children.
    int max_depth
    # How many blocks a rollout places.
    int rollout_length
    # Whether rollouts are shorter on full boards, where games end soon.
    bint adaptive
    # A child with more than `settled` visits and at least this mean ends the search; zero is never.
    double early_stop
    int settled
    # The most actions of a node, the most promising ones; zero is all.
    int most_actions
    int most_nodes

cdef class Tree:
    cdef readonly Field field
    cdef Evaluation evaluation
    cdef Options options
    cdef Node* nodes
    cdef int number
    # Where a node is after the tree was made smaller, or -1.
    cdef int* moved
    cdef uint64_t random
    cdef double least
    cdef double greatest
    # What has been observed.
    cdef readonly int64_t simulations
    cdef readonly int64_t deepest
    cdef readonly int64_t pruned_actions
    cdef readonly int64_t pruned_nodes
    cdef readonly bint has_stopped

    cdef void _forget(self) noexcept
    cdef int _add(self, int parent, const Node* child) noexcept nogil
    cdef void _expand(self, int number) noexcept nogil
    cdef void _leave_out(self, Node* node) noexcept nogil
    cdef int _first_child(self, int number) noexcept nogil
    cdef int _new_child(self, int number) noexcept nogil
    cdef int _child(self, int number, int slot, int index) noexcept nogil
    cdef int _dealt(self, int number) noexcept nogil
    cdef int _best_child(self, int number) noexcept nogil
    cdef double _reward(self, const Node* node) noexcept nogil
    cdef void _simulate(self) noexcept nogil
    cdef void _compact(self, int root, int least_visits) noexcept nogil
    cdef void _prune(self) noexcept nogil
