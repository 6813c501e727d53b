"""A search over all orders and places of a hand. See hands.pxd."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from games.wood_block.evaluation cimport NO_COST, UNIT, Evaluation, Weights, cost_of, rough_cost_of
from games.wood_block.fields cimport (
    HAND,
    NOBODY,
    STRIDE,
    Board,
    Field,
    Nearly,
    Rules,
    below,
    clearing_places,
    find_nearly,
    hashed,
    lowest,
    places_of,
    points_of,
    vanish,
)

cdef enum:
    # The ways to place one of three blocks on a grid of ten by ten, and after each of them one of the other two.
    FIRST_WAYS = 300
    SECOND_WAYS = 200
    ALL_NODES = 1 + FIRST_WAYS + FIRST_WAYS * SECOND_WAYS
    NARROW_NODES = 1 + FIRST_WAYS + 64 * SECOND_WAYS
    BUCKETS = 512
    MOST_DOUBLINGS = 4

cdef uint64_t _slots_for(int nodes) noexcept nogil:
    """A power of two, so that no more than half of the slots are taken."""
    cdef uint64_t size = 1
    while size < <uint64_t>(2 * nodes):
        size *= 2
    return size

cdef int _allocate(Arena* arena, int nodes) except -1:
    cdef uint64_t size = _slots_for(nodes)
    arena.most_nodes = nodes
    arena.nodes = <Node*>malloc(nodes * sizeof(Node))
    arena.order = <int*>malloc(nodes * sizeof(int))
    arena.slots = <uint64_t*>calloc(size, sizeof(uint64_t))
    arena.most_slots = size
    arena.search = 0
    if arena.nodes == NULL or arena.order == NULL or arena.slots == NULL:
        raise MemoryError("expected memory for a search")
    return 0

cdef void _release(Arena* arena) noexcept:
    free(arena.nodes)
    free(arena.order)
    free(arena.slots)

cdef inline bint _is_new(const Weights* weights, Arena* arena, const Node* node, int number) noexcept nogil:
    """Whether no node before has the board with the same blocks left; it is remembered as `number`.

    Of two ways to the same board the one with more points is kept.
    """
    cdef uint64_t at = (hashed(node.board) + node.left * <uint64_t>0x9E3779B1) & arena.mask
    cdef Node* other
    while (arena.slots[at] >> 32) == arena.search:
        other = &arena.nodes[<uint32_t>arena.slots[at]]
        if other.board == node.board and other.left == node.left:
            if node.points > other.points:
                other.cost -= (node.points - other.points) * weights.per_point
                other.points, other.parent, other.slot, other.place = (
                    node.points, node.parent, node.slot, node.place
                )
            return False
        at = (at + 1) & arena.mask
    arena.slots[at] = (arena.search << 32) | <uint64_t>number
    return True

cdef inline bint _is_repeated(const int* hand, uint8_t left, int slot) noexcept nogil:
    """Whether a slot before that is left as well holds the same block: one of the two is enough."""
    cdef int other
    for other in range(slot):
        if (left >> other) & 1 and hand[other] == hand[slot]:
            return True
    return False

cdef inline int _most_cells(const Rules* rules, const int* hand, uint8_t left) noexcept nogil:
    cdef int slot, most = 0
    for slot in range(HAND):
        if (left >> slot) & 1 and rules.block[hand[slot]].cells_number > most:
            most = rules.block[hand[slot]].cells_number
    return most

cdef int _expand(
    const Rules* rules, const Weights* weights, Arena* arena, const int* hand, int parent, int number
) noexcept nogil:
    """Add every new board that one more block makes of a node; the number of nodes then."""
    cdef Nearly nearly
    cdef Node node
    cdef Board board = arena.nodes[parent].board, places
    cdef uint8_t left = arena.nodes[parent].left
    cdef int slot
    find_nearly(rules, board, _most_cells(rules, hand, left), &nearly)
    node.parent = parent
    for slot in range(HAND):
        if not (left >> slot) & 1 or _is_repeated(hand, left, slot):
            continue
        places = places_of(&rules.block[hand[slot]], rules.field & ~board)
        node.slot = slot
        node.left = left & ~(<uint8_t>1 << slot)
        while places and number < arena.most_nodes:
            node.place = lowest(places)
            places &= places - 1
            node.board = board
            node.points = arena.nodes[parent].points + points_of(
                vanish(rules, &nearly, rules.block[hand[slot]].cells << node.place, &node.board)
            )
            if _is_new(weights, arena, &node, number):
                node.cost = rough_cost_of(rules, weights, node.board) - node.points * weights.per_point
                arena.nodes[number] = node
                number += 1
    return number

cdef void _keep(Found* found, int most, const Node* leaf) noexcept nogil:
    """Put a leaf among the best ones; of two ways to one board the one with more points is kept."""
    cdef int i
    for i in range(found.number):
        if found.leaf[i].board == leaf.board:
            if leaf.points <= found.leaf[i].points:
                return
            break
    else:
        i = found.number
        if found.number < most:
            found.number += 1
        else:
            i -= 1
    while i and found.leaf[i - 1].cost > leaf.cost:
        found.leaf[i] = found.leaf[i - 1]
        i -= 1
    found.leaf[i] = leaf[0]

cdef int64_t _leaves(
    const Rules* rules, const Weights* weights, Arena* arena, const int* hand, int parent, bint clears, int most,
    Found* found
) noexcept nogil:
    """Value every board that the last block makes of a node, and keep the best; how many these were.

    With `clears` only those where something vanishes.
    """
    cdef Nearly nearly
    cdef Node leaf
    cdef Board board = arena.nodes[parent].board, places
    cdef int limit, bonus, slot = lowest(<Board>arena.nodes[parent].left)
    cdef int64_t leaves = 0
    find_nearly(rules, board, rules.block[hand[slot]].cells_number, &nearly)
    if clears:
        places = clearing_places(&rules.block[hand[slot]], &nearly, board)
    else:
        places = places_of(&rules.block[hand[slot]], rules.field & ~board)
    leaf.parent = parent
    leaf.slot = slot
    leaf.left = 0
    while places:
        leaf.place = lowest(places)
        places &= places - 1
        leaf.board = board
        leaf.points = arena.nodes[parent].points + points_of(
            vanish(rules, &nearly, rules.block[hand[slot]].cells << leaf.place, &leaf.board)
        )
        limit = found.leaf[most - 1].cost if found.number == most else NO_COST
        bonus = leaf.points * weights.per_point
        leaf.cost = cost_of(rules, weights, leaf.board, limit + bonus) - bonus
        leaves += 1
        if leaf.cost < limit:
            _keep(found, most, &leaf)
    return leaves

cdef int _ordered(Arena* arena, int first, int end, int most) noexcept nogil:
    """Put the numbers of the best `most` nodes into `order`, about from the best to the worst; how many."""
    cdef int[BUCKETS] starts
    cdef int i, bucket, low = NO_COST, high = -NO_COST, number = end - first, before = 0, size
    cdef int64_t spread
    for i in range(first, end):
        low = min(low, arena.nodes[i].cost)
        high = max(high, arena.nodes[i].cost)
    spread = <int64_t>high - low + 1
    for i in range(BUCKETS):
        starts[i] = 0
    for i in range(first, end):
        starts[<int>((<int64_t>arena.nodes[i].cost - low) * BUCKETS // spread)] += 1
    for i in range(BUCKETS):
        size = starts[i]
        starts[i] = before
        before += size
    for i in range(first, end):
        bucket = <int>((<int64_t>arena.nodes[i].cost - low) * BUCKETS // spread)
        arena.order[starts[bucket]] = i
        starts[bucket] += 1
    return number if most == 0 or most > number else most

cdef int _deepest(const Arena* arena, int first, int end) noexcept nogil:
    """Where not all blocks can be placed: the node with the most points, and of these the cheapest."""
    cdef int i, best = first
    for i in range(first, end):
        if arena.nodes[i].points > arena.nodes[best].points or (
            arena.nodes[i].points == arena.nodes[best].points and arena.nodes[i].cost < arena.nodes[best].cost
        ):
            best = i
    return best

cdef int64_t _search(
    const Rules* rules, const Weights* weights, Arena* arena, const int* hand, Board board, Width width, int most,
    Found* found
) noexcept nogil:
    """Find the best boards after a hand; how many leaves were valued."""
    cdef int[HAND + 1] starts
    cdef int slot, level, i, chosen, end, blocks = 0, first = FIRST_WAYS
    cdef int64_t leaves = 0
    cdef Node* root = arena.nodes
    arena.search += 1
    if arena.search >> 32:  # more than a slot can say; old slots would pass for new ones
        memset(arena.slots, 0, arena.most_slots * sizeof(uint64_t))
        arena.search = 1
    # No more slots than the search can need, because a small table stays in the processor's cache.
    if 0 < width.first < first:
        first = width.first
    arena.mask = _slots_for(min(arena.most_nodes, 1 + FIRST_WAYS + first * SECOND_WAYS)) - 1
    root.board, root.points, root.cost, root.parent, root.left = board, 0, 0, -1, 0
    root.slot, root.place = NOBODY, NOBODY
    for slot in range(HAND):
        if hand[slot] != NOBODY:
            root.left |= <uint8_t>1 << slot
            blocks += 1
    found.number = found.placed = 0
    starts[0], starts[1] = 0, 1
    end = 1
    for level in range(1, blocks):
        chosen = _ordered(arena, starts[level - 1], end, width.first if level == 2 else 0)
        starts[level] = end
        for i in range(chosen):
            end = _expand(rules, weights, arena, hand, arena.order[i], end)
        if end == starts[level]:
            break
        found.placed = level
    if found.placed == blocks - 1 and blocks:
        chosen = _ordered(
            arena, starts[blocks - 1], end, width.second if blocks == 3 else width.first if blocks == 2 else 0
        )
        for i in range(chosen if not width.clears else end - starts[blocks - 1]):
            leaves += _leaves(rules, weights, arena, hand, arena.order[i], i >= chosen, most, found)
        if found.number:
            found.placed = blocks
    if found.placed < blocks and (width.first or width.second):
        # What was left out may be all that can be placed.
        return leaves + _search(rules, weights, arena, hand, board, Width(0, 0, False), most, found)
    if found.placed < blocks and found.placed:
        i = _deepest(arena, starts[found.placed], end)
        found.leaf[0] = arena.nodes[i]
        found.number = 1
    return leaves

cdef int _fill(Deal* deal, list numbers, int blocks) except -1:
    if not 1 <= len(numbers) <= MOST_DEALT or not all(0 <= number < blocks for number in numbers):
        raise ValueError(f"expected 1 to {MOST_DEALT} numbers of {blocks} blocks, got {numbers!r:.200}")
    deal.number = 0
    for number in numbers:
        deal.block[deal.number] = number
        deal.number += 1
    return 0

cdef inline int _drawn(const Deal* deal, uint64_t* random) noexcept nogil:
    return deal.block[below(random, deal.number)]


cdef class Search:
    """Plays hands by the cheapest board that they lead to, as its evaluation says."""

    def __init__(
        self, Evaluation evaluation, *, width=(0, 0), danger=NO_COST, kept=8, samples=16, next_width=(4, 4),
        death=0, doubling=NO_COST, deal=None, next_deal=None
    ):
        self.evaluation = evaluation
        self.field = evaluation.field
        self.settings.width = Width(width[0], width[1], True)
        self.settings.next_width = Width(next_width[0], next_width[1], False)
        self.settings.danger = danger
        self.settings.kept = min(kept, MOST_KEPT)
        self.settings.samples = min(samples, MOST_SAMPLES)
        self.settings.death = death
        self.settings.doubling = max(doubling, 1)
        blocks = self.field.rules.blocks
        dealt = [*range(blocks)] if deal is None else [*deal]
        _fill(&self.deal, dealt, blocks)
        _fill(&self.next_deal, dealt if next_deal is None else [*next_deal], blocks)
        _allocate(&self.arena, ALL_NODES)
        _allocate(&self.next_arena, NARROW_NODES)

    def __dealloc__(self):
        _release(&self.arena)
        _release(&self.next_arena)

    cdef int draw(self, uint64_t* random) noexcept nogil:
        return _drawn(&self.deal, random)

    cdef int64_t outlook(self, Board board, const int* hands, int number) noexcept nogil:
        """The sum of what so many next hands make of a board."""
        cdef Found found
        cdef int64_t total = 0
        cdef int i
        for i in range(number):
            self.totals.leaves += _search(
                &self.field.rules, &self.evaluation.weights, &self.next_arena, hands + HAND * i, board,
                self.settings.next_width, 1, &found
            )
            total += found.leaf[0].cost if found.placed == HAND else self.settings.death
        return total

    cdef int best(self, Board board, const int* hand, uint64_t* random, Found* found) noexcept nogil:
        """Search a hand; which of the leaves is the best one. Where not all can be placed it is the first."""
        cdef int most = self.settings.kept if self.settings.danger < NO_COST else 1
        self.totals.leaves += _search(
            &self.field.rules, &self.evaluation.weights, &self.arena, hand, board, self.settings.width, most, found
        )
        if found.number < 2 or found.leaf[0].cost < self.settings.danger:
            return 0
        self.totals.dangers += 1
        return self._safest(found, self._samples(found.leaf[0].cost), random)

    cdef int _samples(self, int cost) noexcept nogil:
        """How many next hands are tried where the best leaf costs so much."""
        cdef int64_t above = <int64_t>cost - self.settings.danger
        cdef int doublings = min(above // self.settings.doubling, <int64_t>MOST_DOUBLINGS)
        return min(self.settings.samples << doublings, MOST_SAMPLES)

    cdef int _safest(self, const Found* found, int samples, uint64_t* random) noexcept nogil:
        """The leaf that the next hands make the best of: half of them go, and the others are looked at again.

        All leaves see the same hands, of the blocks in `next_deal`. Half of the looks is saved against as many
        for each leaf.
        """
        cdef int[HAND * MOST_SAMPLES] hands
        cdef int64_t[MOST_KEPT] totals
        cdef int[MOST_KEPT] order
        cdef int i, j, at, seen = 0, more, left = found.number
        cdef int64_t bonus
        for i in range(HAND * samples):
            hands[i] = _drawn(&self.next_deal, random)
        for i in range(left):
            order[i], totals[i] = i, 0
        while left > 1 and seen < samples:
            more = max(1, samples // 4) if left > 2 else samples
            more = min(more, samples - seen)
            for i in range(left):
                at = order[i]
                bonus = <int64_t>found.leaf[at].points * self.evaluation.weights.per_point
                totals[at] += self.outlook(found.leaf[at].board, hands + HAND * seen, more) - more * bonus
            for i in range(1, left):
                at, j = order[i], i
                while j and totals[order[j - 1]] > totals[at]:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = at
            seen += more
            left = (left + 1) // 2
        return order[0]

    cdef void way(self, const Found* found, int leaf, int8_t* slots, int8_t* places) noexcept nogil:
        """The blocks in the order in which they are placed, and where."""
        cdef const Node* node = &found.leaf[leaf]
        cdef int i = found.placed - 1
        while i >= 0:
            slots[i] = node.slot
            places[i] = node.place
            node = &self.arena.nodes[node.parent]
            i -= 1

    def answer(self, Board board, hand, uint64_t seed=0):
        """The best way to play a hand, a block of which may be None.

        Returns (whether all blocks can be placed, [(slot, row, column)], board, points, cost in thousandths).
        """
        cdef Found found
        cdef int[HAND] blocks
        cdef int8_t[HAND] slots
        cdef int8_t[HAND] places
        cdef int chosen, i
        for i in range(HAND):
            blocks[i] = hand[i] if i < len(hand) and hand[i] is not None else NOBODY
        with nogil:
            chosen = self.best(board, blocks, &seed, &found)
        if not found.placed:
            return False, [], board, 0, 0
        self.way(&found, chosen, slots, places)
        steps = [(slots[i], places[i] // STRIDE, places[i] % STRIDE) for i in range(found.placed)]
        leaf = &found.leaf[chosen]
        return leaf.left == 0, steps, leaf.board, leaf.points, leaf.cost

    def play(self, Board board, uint64_t seed, int64_t hands):
        """Play hands from a board until one cannot be placed.

        Returns (hands placed, points, board, seed to go on with, whether the game is over).
        """
        cdef Found found
        cdef int[HAND] hand
        cdef int i, chosen
        cdef int64_t played = 0, points = 0
        cdef bint is_over = False
        with nogil:
            while played < hands:
                for i in range(HAND):
                    hand[i] = self.draw(&seed)
                chosen = self.best(board, hand, &seed, &found)
                if found.number:
                    board = found.leaf[chosen].board
                    points += found.leaf[chosen].points
                    self.totals.placed += found.placed
                if found.placed < HAND:
                    is_over = True
                    break
                played += 1
            self.totals.hands += played
            self.totals.score += points
        return played, points, board, seed, is_over

    def cost(self, Board board):
        """What a board costs, as weights count it."""
        return cost_of(&self.field.rules, &self.evaluation.weights, board, NO_COST) / <double>UNIT

    @property
    def leaves(self):
        """How many leaves have been valued."""
        return self.totals.leaves

    @property
    def dangers(self):
        """How often the next hand was looked at."""
        return self.totals.dangers
