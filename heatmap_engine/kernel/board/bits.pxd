"""Sets of squares as 64-bit numbers: bit 0 is a1, bit 7 is h1, bit 63 is h8, as in python-chess."""

from libc.stdint cimport uint64_t

ctypedef uint64_t Bitboard
ctypedef int Square

cdef extern from *:
    """
    /* gcc and clang make popcount a library call unless told that the instruction exists. Every x86-64
       processor since 2008 has it; on arm64 the builtin is already one short sequence. With the call,
       scoring is 1.9 times slower, so the instruction is asked for here rather than by compiler flags,
       which a package cannot choose for its user's machine. */
    #if defined(__x86_64__) && defined(__clang__)
    /* clang has no such pragma for the rest of a file; its own must be closed at the end of the file. */
    static inline int heatmap_popcount(uint64_t squares) {
        uint64_t count;
        __asm__("popcnt %1, %0" : "=r"(count) : "r"(squares) : "cc");
        return (int)count;
    }
    #else
    #if defined(__x86_64__) && defined(__GNUC__)
    #pragma GCC target("popcnt")
    #endif
    #define heatmap_popcount(b) __builtin_popcountll(b)
    #endif
    #define heatmap_lowest(b) __builtin_ctzll(b)
    #define heatmap_flip(b) __builtin_bswap64(b)
    """
    int popcount "heatmap_popcount"(Bitboard squares) noexcept nogil
    Square lowest "heatmap_lowest"(Bitboard squares) noexcept nogil  # undefined for the empty set
    Bitboard flipped "heatmap_flip"(Bitboard squares) noexcept nogil  # rank 1 becomes rank 8


cdef enum:
    NO_SQUARE = 64

cdef extern from *:
    """
    #define HEATMAP_FILE_A 0x0101010101010101ULL
    #define HEATMAP_FILE_H 0x8080808080808080ULL
    #define HEATMAP_RANK_1 0x00000000000000FFULL
    #define HEATMAP_RANK_3 0x0000000000FF0000ULL
    #define HEATMAP_RANK_8 0xFF00000000000000ULL
    """
    const Bitboard FILE_A "HEATMAP_FILE_A"
    const Bitboard FILE_H "HEATMAP_FILE_H"
    const Bitboard RANK_1 "HEATMAP_RANK_1"
    const Bitboard RANK_3 "HEATMAP_RANK_3"
    const Bitboard RANK_8 "HEATMAP_RANK_8"


cdef inline Bitboard bit(Square square) noexcept nogil:
    return <Bitboard>1 << square
