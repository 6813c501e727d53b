"""What a series of captures on one square wins or loses, without playing it."""

from heatmap_engine.kernel.board.position cimport Move, Position

cdef bint wins_exchange(const Position* position, Move move, int threshold, const int* worth) noexcept nogil
