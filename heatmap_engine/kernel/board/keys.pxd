"""Positions as text: one key for a position however it was reached, and for its mirror images.

A key holds no move counters. It is written from the side to move (so the colour-flipped twin has the same
key) and, where nobody may castle any more, from the side of the board that has the mover's king on the
files a to d (so the left-right mirror image has the same key). It is base64url text, without padding, of

    6 bytes               a set bit for each pawn, first byte the mover's second rank, lowest bit the a-file
    a bit a pawn          in the order of the set bits, highest bit first: 1 for a pawn of the other side;
                          filled up with zeros to whole bytes
    8 bytes               a set bit for each other piece, first byte the mover's first rank
    half a byte a piece   in the order of those bits, the higher half first, by these codes:

    0-4   own knight, bishop, rook, queen, king           5    own rook that may castle
    6-10  their knight, bishop, rook, queen, king         11   their rook that may castle
                                                          12   their pawn that can be taken en passant

so 32 characters with all pieces on the board, 40 at the most, and 22 for two kings and a pawn. In Chess960 a rook
that may castle stands on any square of its first rank. Pawns stand first because they move least: what one search
reads and records lies close together in a table's file, on a sixth of the pages that an order by all pieces touches.
"""

from heatmap_engine.kernel.board.position cimport Position

cdef enum:
    KEY_ROOM = 40  # the longest key

cdef int write_key(const Position* position, char* text) noexcept nogil
cdef str key_of_position(const Position* position)
