"""Heat and scores, from sets of moves."""

from libc.stdint cimport int64_t

from heatmap_engine.kernel.board.moves cimport MoveSets
from heatmap_engine.kernel.board.position cimport Position

cdef enum:
    # Far beyond what can be counted in a lifetime; it bounds the stack and the weights' table.
    DEEPEST_HEAT = 32

cdef class WeightTable:
    cdef double[DEEPEST_HEAT + 1][6] move  # [ply][piece]: one move, wherever it lands
    cdef double[DEEPEST_HEAT + 1][6] box   # [ply][piece]: what landing in the other king's box adds
    cdef double mate                    # one man on the board and one ply of depth, at a mate

cdef double terminal_score(const Position* position, int state, int depth, WeightTable weights) noexcept nogil
cdef double score_moves(const Position* position, const MoveSets* sets, int depth, WeightTable weights,
                        int64_t* visited) except? -1e300 nogil
