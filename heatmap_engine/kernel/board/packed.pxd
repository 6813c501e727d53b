from heatmap_engine.kernel.board.position cimport Position

cdef class PackedPosition:
    cdef Position c
    cdef readonly bint plain  # see PackedPosition

    cdef int _read(self, board) except -1
