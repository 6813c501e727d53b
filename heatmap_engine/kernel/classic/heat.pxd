"""Heat and scores, from sets of moves."""

from libc.stdint cimport int64_t

from heatmap_engine.kernel.board.landings cimport MAX_HEAT_DEPTH
from heatmap_engine.kernel.board.moves cimport MoveSets
from heatmap_engine.kernel.board.position cimport Position

cdef class WeightTable:
    cdef double[MAX_HEAT_DEPTH + 1][6] move  # [ply][piece]: one move, wherever it lands
    cdef double[MAX_HEAT_DEPTH + 1][6] box   # [ply][piece]: what landing in the other king's box adds
    cdef double mate                          # one piece on the board and one ply of depth, at a mate

cdef double score_of_end(const Position* position, int state, int depth, WeightTable weights) noexcept nogil
cdef double score_moves(const Position* position, const MoveSets* sets, int depth, WeightTable weights,
                        int64_t* visited) except? -1e300 nogil
