"""Positions as text: one key for a position however it was reached, and for its mirror images.

A key holds no move counters. It is written from the side to move (so the colour-flipped twin has the same
key) and, where nobody may castle any more, from the side of the board that has the mover's king on the
files a to d (so the left-right mirror image has the same key). It is base64url text, without padding, of

    8 bytes               a set bit for each man, first byte the mover's first rank, lowest bit the a-file
    half a byte a man     in the order of the set bits, the higher half first, see below

so 32 characters with all men on the board and 14 for two kings and a pawn.

    0-5   own pawn, knight, bishop, rook, queen, king     6    own rook that may castle
    7-12  their pawn, knight, bishop, rook, queen, king   13   their rook that may castle
                                                          14   their pawn that can be taken en passant
"""

from heatmap_engine.kernel.position cimport Position

cdef enum:
    KEY_ROOM = 32  # the longest key

cdef int write_key(const Position* position, char* text) noexcept nogil
cdef str key_of_position(const Position* position)
