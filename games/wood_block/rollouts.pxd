"""Placing blocks at random or by a rule of thumb, fast."""

from libc.stdint cimport int8_t, int64_t, uint64_t

from games.wood_block.fields cimport (
    HAND,
    NOBODY,
    Block,
    Board,
    Rules,
    below,
    count,
    full_of,
    lowest,
    missing_of,
    next_random,
    places_of,
)

cdef enum:
    RANDOM
    HEURISTIC
    EVALUATION

cdef enum:
    # No block touches more nearly full regions than are told apart.
    MOST_LEVELS = 12
    # So many times three random places are tried before all possible ones are counted.
    TRIES = 1

ctypedef const int8_t* PlaceNumbers

# Where a game is.
cdef struct State:
    Board board
    # How many cells each region lacks, as in `Rules.missing`.
    Board missing
    int8_t[HAND] hand
    # The blocks' own parts side by side, so that a random try waits for fewer loads: filled by `hold`.
    uint64_t[HAND] cells
    PlaceNumbers[HAND] numbers
    int[HAND] places
    # Whether random tries found no place the last time; they are not worth their time until something vanishes.
    bint is_crowded

# The places of the blocks of a hand that touch so many nearly full regions, or more.
cdef struct Levels:
    Board[MOST_LEVELS + 1][HAND] places
    int top

cdef inline bint is_used(const int8_t* hand) noexcept nogil:
    return hand[0] == NOBODY and hand[1] == NOBODY and hand[2] == NOBODY

cdef inline void hold(const Rules* rules, State* state) noexcept nogil:
    """Get a state ready for random tries, after its hand was set."""
    cdef const Block* block
    cdef int i
    for i in range(HAND):
        state.places[i] = 0
        if state.hand[i] != NOBODY:
            block = &rules.block[state.hand[i]]
            state.cells[i] = block.low_cells
            state.numbers[i] = <PlaceNumbers>&block.place[0]
            state.places[i] = block.places

cdef inline void deal(const Rules* rules, int8_t* hand, uint64_t* random) noexcept nogil:
    """A new hand, from one random number."""
    cdef uint64_t chance = next_random(random)
    cdef int i
    for i in range(HAND):
        hand[i] = <int8_t>(((chance & 0x1FFFFF) * <uint64_t>rules.blocks) >> 21)
        chance >>= 21

cdef inline int place(const Rules* rules, State* state, int slot, int index) noexcept nogil:
    """Place a block where it fits; how many regions vanished.

    The missing cells of all regions are counted at once, in one subtraction, instead of looking at each region
    that the block touches.
    """
    cdef const Block* block = &rules.block[state.hand[slot]]
    cdef Board full, gone = 0
    cdef int clears = 0, region
    state.hand[slot] = NOBODY
    state.places[slot] = 0
    state.board |= block.cells << block.place[index]
    state.missing -= block.taken[index]
    full = full_of(rules, state.missing)
    if not full:
        return 0
    while full:
        region = lowest(full) // 4
        full &= full - 1
        if not (state.missing >> (4 * region)) & 15:
            gone |= rules.region[region]
            clears += 1
    state.board &= ~gone
    state.missing = missing_of(rules, state.board)
    state.is_crowded = False
    return clears

cdef inline int nth(Board places, int number) noexcept nogil:
    """The bit with so many set ones below it."""
    while number:
        places &= places - 1
        number -= 1
    return lowest(places)

cdef inline bint pick(const Board* places, uint64_t* random, int* slot, int* bit) noexcept nogil:
    """One of the places of a hand, each with the same probability; False where there is none."""
    cdef int[HAND] numbers
    cdef int i, chosen, total = 0
    for i in range(HAND):
        numbers[i] = count(places[i])
        total += numbers[i]
    if not total:
        return False
    chosen = below(random, total)
    for i in range(HAND):
        if chosen < numbers[i]:
            slot[0], bit[0] = i, nth(places[i], chosen)
            return True
        chosen -= numbers[i]
    return False

cdef inline void hand_places(const Rules* rules, const State* state, Board* places) noexcept nogil:
    """Where each block of a hand fits."""
    cdef int i
    for i in range(HAND):
        places[i] = 0
        if state.hand[i] != NOBODY:
            places[i] = places_of(&rules.block[state.hand[i]], rules.field & ~state.board)

cdef inline bint pick_random(
    const Rules* rules, State* state, uint64_t* random, int* slot, int* index
) noexcept nogil:
    """A possible action, each with the same probability; False where there is none.

    Places are tried at random first, three for each random number. More tries than three were slower: where
    there is little room, all possible places are counted sooner.
    """
    cdef Board[HAND] places
    cdef int[HAND] ends
    cdef int i, tried, chosen, total = 0, bit = 0
    cdef uint64_t chance
    ends[1] = state.places[0]
    ends[2] = ends[1] + state.places[1]
    total = ends[2] + state.places[2]
    ends[0] = 0
    for tried in range(0 if state.is_crowded else TRIES):
        chance = next_random(random)
        for i in range(3):
            chosen = <int>(((chance & 0x1FFFFF) * <uint64_t>total) >> 21)
            chance >>= 21
            slot[0] = (chosen >= ends[1]) + (chosen >= ends[2])
            index[0] = chosen - ends[slot[0]]
            # All cells of a block are within 49 bits of its place.
            if not <uint64_t>(state.board >> state.numbers[slot[0]][index[0]]) & state.cells[slot[0]]:
                return True
    state.is_crowded = True
    hand_places(rules, state, places)
    if not pick(places, random, slot, &bit):
        return False
    index[0] = rules.block[state.hand[slot[0]]].index[bit]
    return True

cdef void find_levels(const Rules* rules, const State* state, Board* places, Levels* levels) noexcept nogil
cdef bint pick_heuristic(
    const Rules* rules, State* state, uint64_t* random, int* slot, int* index
) noexcept nogil
cdef int roll_out(
    const Rules* rules, State* state, int policy, int64_t steps, uint64_t* random
) noexcept nogil
