"""The probability of a perfect clear with best play, where only the beginning of the queue is known.

With each placement one more piece is seen. So a state is a board, the held piece, and what was seen of the
unknown pieces: a node in the tree of all that can come. Its value is the greatest, over all placements, of
the mean over the next piece to be seen.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from games.perfect_clear.columns cimport counted
from games.perfect_clear.movement cimport (
    SHAPES,
    Cells,
    Rules,
    clear_lines,
    fill_rules,
    is_divisible,
    landings,
    lowest,
)
from games.perfect_clear.search cimport MOST_CHOICES, MOST_PIECES, NOBODY, Choice, gather, large_calloc, state_key
from games.tetrominoes.pieces import PIECES

# What differs by less is taken as equal: sums of probabilities are rounded.
cdef double NOTHING = 1e-12

cdef struct Node:
    # By piece: the node after it has been seen, or -1, and its probability.
    int[7] after
    double[7] probability
    # The pieces of the whole queue as far as they are known here.
    int[MOST_PIECES] queue
    int length
    bint is_last
    # By pieces placed and hold: the pieces that are left at most, as `can_fill` takes them.
    uint64_t[MOST_PIECES + 1][8] left

cdef struct Value:
    uint64_t key
    uint32_t node
    bint is_set
    double value


cdef class Chances:
    """Values of states for one question."""

    cdef Rules rules
    cdef Node* nodes
    cdef Value* values
    cdef size_t mask
    cdef size_t used
    cdef volatile bint is_stopped
    cdef readonly long states

    def __cinit__(self):
        self.nodes = NULL
        self.values = NULL

    def __dealloc__(self):
        free(self.nodes)
        free(self.values)

    def __init__(self, kicks, soft_drop, queue, endings):
        """`queue` and `endings` are texts; the endings have their probabilities and one length."""
        fill_rules(&self.rules, kicks, soft_drop)
        self.mask = (1 << 12) - 1
        self.values = <Value*>calloc(self.mask + 1, sizeof(Value))
        beginnings = {ending[:n]: None for ending in endings for n in range(len(ending) + 1)}
        numbers = {beginning: i for i, beginning in enumerate(beginnings)}
        self.nodes = <Node*>calloc(len(numbers), sizeof(Node))
        if self.values == NULL or self.nodes == NULL:
            raise MemoryError("expected memory for the pieces that can come")
        total = dict.fromkeys(numbers, 0.0)
        most = {beginning: {} for beginning in numbers}
        for ending, probability in endings.items():
            for n in range(len(ending) + 1):
                total[ending[:n]] += probability
                rest = ending[n:]
                for piece in set(rest):
                    most[ending[:n]][piece] = max(most[ending[:n]].get(piece, 0), rest.count(piece))
        for beginning, number in numbers.items():
            self._fill(&self.nodes[number], queue + beginning, most[beginning])
            for i, piece in enumerate(PIECES):
                after = numbers.get(beginning + piece)
                self.nodes[number].after[i] = -1 if after is None else after
                if after is not None:
                    self.nodes[number].probability[i] = total[beginning + piece] / total[beginning]
                    self.nodes[number].is_last = False

    cdef int _fill(self, Node* node, object queue, object most) except -1:
        node.length = len(queue)
        node.is_last = True
        for i, piece in enumerate(queue):
            node.queue[i] = PIECES.index(piece)
        later = "".join(piece * number for piece, number in most.items())
        for placed in range(MOST_PIECES + 1):
            for hold, piece in enumerate((*PIECES, "")):
                node.left[placed][hold] = counted(queue[placed:] + later + piece)
        return 0

    def stop(self):
        self.is_stopped = True

    def placements(self, Cells board, int lines, int hold):
        """Each placement of the first piece with its probability of a perfect clear, best play after it.

        Each is (piece, whether it was the held one, its cells, board after it, lines left, probability). They come
        one by one; after `stop` no more do.
        """
        cdef Node* root = &self.nodes[0]
        cdef Cells[SHAPES] places
        cdef Cells cells, after
        cdef int i, j, left, kept
        cdef double value
        options = [(root.queue[0], False, hold)] if root.length else []
        if hold != NOBODY and not (root.length and root.queue[0] == hold):
            options.append((hold, True, root.queue[0] if root.length else NOBODY))
        for piece, is_held, rest in options:
            for i in range(landings(&self.rules, piece, board, lines, places)):
                while places[i]:
                    cells = self.rules.pieces[piece].cells[i] << lowest(places[i])
                    places[i] &= places[i] - 1
                    left = lines
                    kept = rest
                    after = clear_lines(board | cells, &left)
                    with nogil:
                        value = self._mean(after, left, 1, kept, 0, 0.0) if is_divisible(after, left) else 0
                    if self.is_stopped:
                        return
                    yield piece, is_held, cells, after, left, value

    cdef double _mean(
        self, Cells board, int lines, int placed, int hold, int number, double needed
    ) except? -1 nogil:
        """The mean over the next piece to be seen; less than `needed` may be any number that is less."""
        cdef Node* node = &self.nodes[number]
        cdef double value = 0, open = 1
        cdef int piece
        if not lines:
            return 1
        if node.is_last:
            return self._value(board, lines, placed, hold, number)
        for piece in range(7):
            if node.after[piece] < 0:
                continue
            open -= node.probability[piece]
            value += node.probability[piece] * self._value(board, lines, placed, hold, node.after[piece])
            if value + open < needed:
                break
        return value

    cdef double _value(self, Cells board, int lines, int placed, int hold, int number) except? -1 nogil:
        """The value of a state, from memory or by search."""
        cdef Node* node = &self.nodes[number]
        cdef uint64_t key = state_key(board, lines, hold)
        cdef Value* known = self._find(key, number)
        cdef Choice[MOST_CHOICES] found
        cdef int i, next, total = 0
        cdef double best = 0, value
        if known.is_set:
            return known.value
        if self.is_stopped:
            return 0
        self.states += 1
        next = node.queue[placed] if placed < node.length else NOBODY
        if next != NOBODY:
            total = gather(&self.rules, next, board, lines, hold, node.left[placed + 1][hold], found)
        if hold != NOBODY and hold != next:
            total += gather(&self.rules, hold, board, lines, next, node.left[placed + 1][next], found + total)
        for i in range(total):
            value = self._mean(
                found[i].board, found[i].lines, placed + 1, found[i].hold, number, best + NOTHING
            )
            if value > best:
                best = value
                if best > 1 - NOTHING:
                    break
        if not self.is_stopped:
            self._remember(key, number, best)
        return best

    cdef Value* _find(self, uint64_t key, uint32_t node) noexcept nogil:
        cdef size_t at = ((key >> 1) * 0x9E3779B97F4A7C15ULL ^ node * 0xC2B2AE3D27D4EB4FULL)
        at = (at ^ (at >> 29)) & self.mask
        while self.values[at].is_set and (self.values[at].key != key or self.values[at].node != node):
            at = (at + 1) & self.mask
        return &self.values[at]

    cdef int _remember(self, uint64_t key, uint32_t node, double value) except -1 nogil:
        cdef Value* older = self.values
        cdef Value* slot = self._find(key, node)
        cdef size_t i, slots = self.mask + 1
        slot.key, slot.node, slot.value, slot.is_set = key, node, value, True
        self.used += 1
        if 3 * self.used <= 2 * self.mask:
            return 0
        self.values = <Value*>large_calloc(2 * slots * sizeof(Value))
        if self.values == NULL:
            self.values = older
            with gil:
                raise MemoryError(f"expected {2 * slots * sizeof(Value):,} bytes for the values of states")
        self.mask = 2 * slots - 1
        for i in range(slots):
            if older[i].is_set:
                self._find(older[i].key, older[i].node)[0] = older[i]
        free(older)
        return 0
