"""The grid of the wood block puzzle as bits: where blocks fit, and what vanishes.

A board has a bit for each cell, eleven for each row whatever the size of the grid:

| bits  | 120..110 | ... | 21..11 | 10..0                                      |
|-------|----------|-----|--------|--------------------------------------------|
| row   | 10       | ... | 1      | 0, bit 0 is the leftmost cell of the upper row |

Bit 10 of a row is never filled, and never open. So what is shifted by a column does not run into the next
row, and a block's place is the bit of its upper left corner.
"""

from libc.stdint cimport int8_t, uint64_t

cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    #pragma GCC target("popcnt")
    #endif
    typedef unsigned __int128 wood_board;
    static inline int wood_count(wood_board b) {
        return __builtin_popcountll((unsigned long long)b) + __builtin_popcountll((unsigned long long)(b >> 64));
    }
    static inline int wood_lowest(wood_board b) {
        return (unsigned long long)b ? __builtin_ctzll((unsigned long long)b)
                                     : 64 + __builtin_ctzll((unsigned long long)(b >> 64));
    }
    static inline unsigned long long wood_hash(wood_board b) {
        unsigned long long low = (unsigned long long)b, high = (unsigned long long)(b >> 64);
        low = (low ^ (low >> 29)) * 0xBF58476D1CE4E5B9ULL + high * 0x94D049BB133111EBULL;
        return (low ^ (low >> 32)) * 0x9E3779B97F4A7C15ULL;
    }
    static inline unsigned long long wood_next(uint64_t* state) {
        unsigned long long z = (*state += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    """
    ctypedef unsigned long long Board "wood_board"
    int count "wood_count"(Board) noexcept nogil
    int lowest "wood_lowest"(Board) noexcept nogil  # undefined for an empty board
    uint64_t hashed "wood_hash"(Board) noexcept nogil
    # The next of a row of random numbers, as splitmix64 makes them.
    uint64_t next_random "wood_next"(uint64_t*) noexcept nogil
    int __builtin_ctz(unsigned int) noexcept nogil

cdef enum:
    STRIDE = 11
    HAND = 3
    # "No block", for a slot of a hand that is used.
    NOBODY = -1
    MOST_BLOCKS = 64
    # A block is five by five cells at most.
    MOST_CELLS = 25
    # Ten rows, ten columns; or nine, nine and nine boxes.
    MOST_REGIONS = 29
    MOST_PLACES = 100

cdef struct Block:
    Board cells
    uint64_t low_cells
    # The places inside the walls, as bits and as numbers of bits.
    Board inside
    int places
    int8_t[MOST_PLACES] place
    # The index of a place, by its bit.
    int8_t[128] index
    # By index of the place: what the cells there take from `Rules.missing`.
    Board[MOST_PLACES] taken
    # By region: the places where the block touches it.
    Board[MOST_REGIONS] touching
    int cells_number
    int[MOST_CELLS] offset

# How the places of a block follow from those of two smaller ones: shift both, and keep what both have.
cdef struct Step:
    int first
    int first_shift
    int second
    int second_shift
    # Which block it is; NOBODY for a part of one.
    int block

cdef struct Rules:
    int size
    Board field
    int regions
    Board[MOST_REGIONS] region
    # How many cells a region has: the grid's size in a row or column, nine in a box.
    int[MOST_REGIONS] region_cells
    int lines
    # How many cells each region of an empty board lacks, four bits for each region; and the lowest of the
    # four bits of each.
    Board missing
    Board ones
    int blocks
    Block[MOST_BLOCKS] block
    # `steps` finds the places of every block; those of a single cell are the open cells themselves.
    int steps
    Step[4 * MOST_BLOCKS] step

# The regions that lack a few cells, which one block may fill.
cdef struct Nearly:
    int number
    Board[MOST_REGIONS] missing
    int[MOST_REGIONS] region

cdef inline int below(uint64_t* random, int limit) noexcept nogil:
    """A random number from 0 to limit - 1."""
    return <int>(((next_random(random) >> 32) * <uint64_t>limit) >> 32)

cdef inline Board missing_of(const Rules* rules, Board board) noexcept nogil:
    """How many cells each region lacks, four bits for each region."""
    # Two halves of 64 bits, because a shift of 128 bits by a variable number takes several instructions.
    cdef uint64_t first = 0, second = 0
    cdef Board open = ~board
    cdef int i
    for i in range(16 if rules.regions > 16 else rules.regions):
        first |= <uint64_t>count(rules.region[i] & open) << (4 * i)
    for i in range(16, rules.regions):
        second |= <uint64_t>count(rules.region[i] & open) << (4 * (i - 16))
    return <Board>first | (<Board>second << 64)

cdef inline Board full_of(const Rules* rules, Board missing) noexcept nogil:
    """The highest bit of the four of each region that lacks nothing; of others, too, if there is such a one."""
    return (missing - rules.ones) & ~missing & (rules.ones << 3)

cdef inline Board nearly_of(const Rules* rules, Board missing) noexcept nogil:
    """The highest bit of the four of each region that lacks three cells or fewer."""
    return ~(missing | (missing << 1)) & (rules.ones << 3)

cdef inline int points_of(int clears) noexcept nogil:
    return 100 * clears + (50 * clears * clears if clears > 1 else 0)

cdef inline Board places_of(const Block* block, Board open) noexcept nogil:
    """Where a block fits."""
    cdef Board found = block.inside
    cdef int i
    for i in range(block.cells_number):
        found &= open >> block.offset[i]
    return found

cdef inline void find_nearly(const Rules* rules, Board board, int most, Nearly* nearly) noexcept nogil:
    """The regions that lack at most `most` cells."""
    cdef int i
    cdef Board missing
    nearly.number = 0
    for i in range(rules.regions):
        missing = rules.region[i] & ~board
        if count(missing) <= most:
            nearly.missing[nearly.number] = missing
            nearly.region[nearly.number] = i
            nearly.number += 1

cdef inline int vanish(const Rules* rules, const Nearly* nearly, Board cells, Board* board) noexcept nogil:
    """Place cells on a board and let full regions vanish, all at once; how many these were.

    `nearly` must have every region of the board that the cells can fill.
    """
    cdef int i, clears = 0
    cdef Board gone = 0
    for i in range(nearly.number):
        if not nearly.missing[i] & ~cells:
            gone |= rules.region[nearly.region[i]]
            clears += 1
    board[0] = (board[0] | cells) & ~gone
    return clears

cdef inline Board clearing_places(const Block* block, const Nearly* nearly, Board board) noexcept nogil:
    """Where a block fits and makes a region vanish; `nearly` has every region that it can fill."""
    cdef Board found = 0, cells
    cdef int i, j, cell, place
    for i in range(nearly.number):
        cell = lowest(nearly.missing[i])
        for j in range(block.cells_number):
            place = cell - block.offset[j]
            if place < 0 or not (block.inside >> place) & 1:
                continue
            cells = block.cells << place
            if not cells & board and not nearly.missing[i] & ~cells:
                found |= <Board>1 << place
    return found

cdef inline bint put(const Rules* rules, int block, int place, Board* board, int* clears) noexcept nogil:
    """Place a block, where it fits; whether it did."""
    cdef Nearly nearly
    cdef Board cells = rules.block[block].cells << place
    if not (rules.block[block].inside >> place) & 1 or board[0] & cells:
        return False
    find_nearly(rules, board[0], rules.block[block].cells_number, &nearly)
    clears[0] = vanish(rules, &nearly, cells, board)
    return True

cdef class Field:
    cdef Rules rules
    # What the rules were made of.
    cdef readonly object source
