"""Games played on by a cheap policy. See rollouts.pxd."""

from libc.stdint cimport int64_t, uint64_t

from games.wood_block.fields cimport (
    HAND,
    NOBODY,
    STRIDE,
    Board,
    Field,
    Rules,
    lowest,
    missing_of,
    nearly_of,
    points_of,
)

cdef void find_levels(const Rules* rules, const State* state, Board* places, Levels* levels) noexcept nogil:
    """Sort the places of a hand by how many nearly full rows, columns and boxes the block touches there."""
    cdef Board nearly = nearly_of(rules, state.missing)
    cdef Board touching
    cdef int slot, level, region
    for slot in range(HAND):
        levels.places[0][slot] = places[slot]
    levels.top = 0
    while nearly:
        region = lowest(nearly) // 4
        nearly &= nearly - 1
        if levels.top < MOST_LEVELS:
            levels.top += 1
            for slot in range(HAND):
                levels.places[levels.top][slot] = 0
        for slot in range(HAND):
            if not places[slot]:
                continue
            touching = rules.block[state.hand[slot]].touching[region]
            for level in range(levels.top, 0, -1):
                levels.places[level][slot] |= levels.places[level - 1][slot] & touching
    while levels.top and not (
        levels.places[levels.top][0] | levels.places[levels.top][1] | levels.places[levels.top][2]
    ):
        levels.top -= 1

cdef bint pick_heuristic(
    const Rules* rules, State* state, uint64_t* random, int* slot, int* index
) noexcept nogil:
    """One of the actions that touch the most nearly full regions; False where no action is possible.

    The document adds a random number up to 10 to a bonus of 50, so that the bonus decides, and chance among
    equals. This chooses the same, with the bonus for every region.
    """
    cdef Board[HAND] places
    cdef Levels levels
    cdef int bit = 0
    if not nearly_of(rules, state.missing):
        return pick_random(rules, state, random, slot, index)
    hand_places(rules, state, places)
    find_levels(rules, state, places, &levels)
    if not pick(levels.places[levels.top], random, slot, &bit):
        return False
    index[0] = rules.block[state.hand[slot[0]]].index[bit]
    return True

cdef int roll_out(
    const Rules* rules, State* state, int policy, int64_t steps, uint64_t* random
) noexcept nogil:
    """Play on for so many blocks, with new hands by chance; the points."""
    cdef int points = 0, slot = 0, index = 0
    cdef bint can
    hold(rules, state)
    while steps > 0:
        if is_used(state.hand):
            deal(rules, state.hand, random)
            hold(rules, state)
        if policy == HEURISTIC:
            can = pick_heuristic(rules, state, random, &slot, &index)
        else:
            can = pick_random(rules, state, random, &slot, &index)
        if not can:
            break
        points += points_of(place(rules, state, slot, index))
        steps -= 1
    return points


def play_out(Field field, Board board, hand, int policy, uint64_t seed, int64_t steps):
    """Play on from a state by a policy; the points, and the board in the end. To be compared and to be watched."""
    cdef State state
    cdef int points
    state.board = board
    state.missing = missing_of(&field.rules, board)
    state.is_crowded = False
    for i in range(HAND):
        state.hand[i] = NOBODY if hand[i] is None else hand[i]
    with nogil:
        points = roll_out(&field.rules, &state, policy, steps, &seed)
    return points, state.board


def choose(Field field, Board board, hand, int policy, uint64_t seed):
    """What a policy does next: (slot, row, column); None where no action is possible."""
    cdef State state
    cdef int slot = 0, index = 0, bit
    state.board = board
    state.missing = missing_of(&field.rules, board)
    state.is_crowded = False
    for i in range(HAND):
        state.hand[i] = NOBODY if hand[i] is None else hand[i]
    if is_used(state.hand):
        return None
    hold(&field.rules, &state)
    pick_it = pick_heuristic if policy == HEURISTIC else pick_random
    if not pick_it(&field.rules, &state, &seed, &slot, &index):
        return None
    bit = field.rules.block[state.hand[slot]].place[index]
    return slot, bit // STRIDE, bit % STRIDE
