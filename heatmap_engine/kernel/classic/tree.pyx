"""The tree of a search: expanded, its leaves valued, its values backed up; in slices.

Nodes stand in one array in the order in which they were reached, so children come after their parent and
beside each other. To value a leaf is nearly all of the work. Either all of them are valued and backed up in
one walk from the end of the array to its beginning, or only those that the root's moves depend on: a reply
that is seen to be worse than another one is left. Every call does a slice of the work, so that its caller can
listen for a stop between two of them. Values are White minus Black.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc

from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject

from heatmap_engine.kernel.board.bits cimport NO_SQUARE
from heatmap_engine.kernel.board.keys cimport key_of_position
from heatmap_engine.kernel.board.moves cimport MoveSets, count_moves, find_moves, has_legal_en_passant, list_moves
from heatmap_engine.kernel.board.packed cimport PackedPosition
from heatmap_engine.kernel.board.position cimport MAX_MOVES, Move, Position, is_capture, make, uci_name
from heatmap_engine.kernel.board.rules cimport ONGOING, REPETITION, forget_idle_en_passant, is_same, state_of
from heatmap_engine.kernel.classic.heat cimport WeightTable, score_moves, score_of_end
from heatmap_engine.kernel.classic.patterns cimport PatternTable, sum_of_patterns


cdef struct Node:
    Position position
    double value
    double counted     # of a leaf, once it has been seen: its score, or that of the game's end
    double learned     # what patterns add to it, once that has been summed
    int32_t visited    # of a leaf that was scored: the moves that were counted for it
    int32_t parent     # index; -1 for the root
    int32_t first      # index of the first child, if any
    int32_t count      # how many children
    int32_t best       # index of the child that the value comes from; -1 for none
    Move move          # the move that led here
    uint8_t plies      # full-width plies left below
    uint8_t tactical   # tactical plies left below
    uint8_t captured   # whether the move that led here captured
    uint8_t over       # whether the game is over here
    uint8_t known      # whether the value came from the table
    uint8_t exact      # whether the value is known, and not only that it does not matter
    uint8_t seen       # how much is known of a leaf itself, whatever the table says: see below
    uint8_t summed     # whether `learned` is known


cdef enum:
    _MOST_NODES = 1 << 24        # 2.1 GiB at 136 bytes a node
    # The order in which children are valued: first what is cheap and often refutes.
    _CAPTURES = 0
    _QUIET = 1
    _EXPANDED = 2
    _THIRD_OCCURRENCE_CLOCK = 8  # half moves that a position needs to come back twice
    # What is known of a leaf.
    _NOTHING = 0
    _IS_OVER = 1                 # and `counted` is the end's score
    _GOES_ON = 2
    _IS_SCORED = 3               # it goes on, and `counted` is its score


cdef double _INFINITE = 1e300


cdef class Tree:
    """The positions that a search of `plies` full-width and `tactical` tactical plies reaches.

    `history` are the positions of the game since the last capture or pawn move, without the root; a
    position that occurs for the third time in it and in the tree together is drawn.
    """

    cdef Node* _nodes
    cdef int32_t _count
    cdef int32_t _room
    cdef int32_t _expanded       # the nodes before this one have been expanded, or are leaves
    cdef int32_t* _leaves        # indices of the leaves
    cdef int32_t _leaf_count
    cdef int32_t _leaf_room
    cdef int64_t _visited_before # moves visited when everything was expanded
    cdef Position* _history
    cdef int _history_count
    cdef int _depth
    cdef WeightTable _weights
    cdef PatternTable _patterns
    cdef bint _has_patterns      # else nothing is added to scores
    cdef readonly int64_t moves_visited
    cdef readonly int table_hits

    def __cinit__(self, PackedPosition root not None, list history not None, int plies, int tactical,
                  int depth, WeightTable weights not None, PatternTable patterns=None):
        cdef Py_ssize_t i
        self._patterns = patterns
        self._has_patterns = patterns is not None
        self._depth = depth
        self._weights = weights
        self._history_count = <int>len(history)
        self._history = <Position*>malloc((self._history_count + 1) * sizeof(Position))
        if self._history == NULL:
            raise MemoryError
        for i in range(self._history_count):
            self._history[i] = (<PackedPosition?>history[i]).c
            forget_idle_en_passant(&self._history[i])
        self._make_room(1)
        self._nodes[0].position = root.c
        self._nodes[0].parent = -1
        self._nodes[0].move = 0
        self._nodes[0].plies = plies
        self._nodes[0].tactical = tactical
        self._nodes[0].captured = False
        _clear(&self._nodes[0])
        self._count = 1

    def __dealloc__(self):
        free(self._nodes)
        free(self._leaves)
        free(self._history)

    @property
    def nodes(self):
        """How many positions the tree holds."""
        return self._count

    @property
    def leaves(self):
        """How many of them are leaves."""
        return self._leaf_count

    cdef int _make_room(self, int32_t more) except -1 nogil:
        """Make sure that `more` nodes, and as many leaves, fit behind those that are there."""
        cdef int32_t room = self._room
        cdef void* moved
        if self._count + more <= room:
            return 0
        if self._count + more > _MOST_NODES:
            with gil:
                raise OverflowError(f"more than {_MOST_NODES} nodes")
        room = max(2 * room, self._count + more, 1024)
        moved = realloc(self._nodes, room * sizeof(Node))
        if moved == NULL:
            with gil:
                raise MemoryError
        self._nodes = <Node*>moved
        moved = realloc(self._leaves, room * sizeof(int32_t))
        if moved == NULL:
            with gil:
                raise MemoryError
        self._leaves = <int32_t*>moved
        self._room = room
        return 0

    def expand(self, int limit):
        """Expand up to `limit` more nodes; False once there is nothing left to expand."""
        cdef int i
        with nogil:
            for i in range(limit):
                if self._expanded == self._count:
                    break
                self._expand_one(self._expanded)
                self._expanded += 1
        self._visited_before = self.moves_visited
        return self._expanded < self._count

    def begin_again(self, PatternTable patterns=None):
        """Forget all values but those that leaves have by themselves, which are not counted again."""
        cdef int32_t i
        cdef Node* node
        cdef bint is_learned_anew = patterns is not self._patterns
        self._patterns = patterns
        self._has_patterns = patterns is not None
        self.moves_visited = self._visited_before
        self.table_hits = 0
        for i in range(self._count):
            node = &self._nodes[i]
            node.known = False
            node.exact = False
            node.best = -1
        for i in range(self._leaf_count):
            self._nodes[self._leaves[i]].over = False
            if is_learned_anew:
                self._nodes[self._leaves[i]].summed = False

    def is_of(self, PackedPosition root not None, list history not None):
        """Whether it is the tree of this position with this history."""
        cdef Py_ssize_t i
        cdef Position earlier
        if len(history) != self._history_count or not _is_equal(&root.c, &self._nodes[0].position):
            return False
        for i in range(self._history_count):
            earlier = (<PackedPosition?>history[i]).c
            forget_idle_en_passant(&earlier)
            if not _is_equal(&earlier, &self._history[i]):
                return False
        return True

    cdef int _expand_one(self, int32_t index) except -1 nogil:
        cdef Node* node = &self._nodes[index]
        cdef MoveSets sets
        cdef int state
        if node.plies == 0 and node.tactical == 0:
            self._add_leaf(index)
            return 0
        find_moves(&node.position, &sets)
        state = self._state(node, &sets)
        # The root is searched even where a rule would let a player claim a draw.
        if state != ONGOING and (index or count_moves(&sets) == 0):
            node.over = True
            node.value = score_of_end(&node.position, state, self._depth, self._weights)
        elif node.plies or node.captured or sets.checkers:
            self._add_children(index, &sets)
        else:
            self._add_leaf(index)
        return 0

    cdef void _add_leaf(self, int32_t index) noexcept nogil:
        self._leaves[self._leaf_count] = index
        self._leaf_count += 1

    cdef int _add_children(self, int32_t index, const MoveSets* sets) except -1 nogil:
        cdef Move[MAX_MOVES] moves
        cdef Node* child
        cdef Node* node
        cdef int i
        cdef int count = list_moves(&self._nodes[index].position, sets, moves)
        self._make_room(count)
        node = &self._nodes[index]  # only now: making room moves the nodes
        node.first = self._count
        node.count = count
        self.moves_visited += count
        for i in range(count):
            child = &self._nodes[self._count + i]
            make(&node.position, moves[i], &child.position)
            child.parent = index
            child.move = moves[i]
            child.plies = node.plies - 1 if node.plies else 0
            child.tactical = node.tactical if node.plies else node.tactical - 1
            child.captured = is_capture(&node.position, moves[i])
            _clear(child)
        self._count += count
        return 0

    cdef int _state(self, const Node* node, const MoveSets* sets) noexcept nogil:
        cdef int state = state_of(&node.position, sets)
        if state == ONGOING and node.position.clock >= _THIRD_OCCURRENCE_CLOCK and self._is_third_occurrence(node):
            return REPETITION
        return state

    cdef bint _is_third_occurrence(self, const Node* node) noexcept nogil:
        cdef int before = 0
        cdef int i
        cdef int32_t above = node.parent
        for i in range(self._history_count):
            before += is_same(&self._history[i], &node.position)
        while above >= 0:
            before += is_same(&self._nodes[above].position, &node.position)
            above = self._nodes[above].parent
        return before >= 2

    def leaf_keys(self, int32_t start, int32_t stop):
        """The table's keys of the leaves from `start` to before `stop`."""
        cdef int32_t i
        return [key_of_position(&self._nodes[self._leaves[i]].position)
                for i in range(start, min(stop, self._leaf_count))]

    def take_values(self, int32_t start, list keys not None, dict found not None):
        """Give the leaves from `start` on, whose keys are `keys`, the values that the table has for them."""
        cdef Py_ssize_t i
        cdef PyObject* value
        for i in range(len(keys)):
            value = PyDict_GetItem(found, keys[i])
            if value != NULL:
                self._take_value(&self._nodes[self._leaves[start + i]], <double><object>value)

    cdef void _take_value(self, Node* leaf, double value) noexcept nogil:
        leaf.value = -value + 0.0 if leaf.position.black else value
        leaf.known = True

    def score(self, int32_t start, int64_t limit):
        """Value the leaves from `start` on until `limit` moves have been visited; the next leaf to start from.

        The end of the game goes before the table's value, and that before the score.
        """
        cdef int64_t last = self.moves_visited + limit
        with nogil:
            while start < self._leaf_count and self.moves_visited < last:
                self._value_leaf(&self._nodes[self._leaves[start]])
                start += 1
        return start

    cdef int _value_leaf(self, Node* leaf) except -1 nogil:
        if leaf.seen == _NOTHING or leaf.seen == _GOES_ON and not leaf.known:
            self._look_at(leaf)
        if leaf.seen == _IS_OVER:
            leaf.over = True
            leaf.known = False
            leaf.value = leaf.counted
        elif leaf.known:
            self.table_hits += 1
        else:
            self.moves_visited += leaf.visited
            leaf.value = leaf.counted
            if self._has_patterns:
                if not leaf.summed:
                    leaf.learned = sum_of_patterns(&leaf.position, self._patterns.values)
                    leaf.summed = True
                leaf.value += leaf.learned
        return 0

    cdef int _look_at(self, Node* leaf) except -1 nogil:
        """See whether the game goes on at a leaf, and count its score unless the table has a value."""
        cdef MoveSets sets
        cdef int state
        cdef int64_t visited = 0
        find_moves(&leaf.position, &sets)
        state = self._state(leaf, &sets)
        if state != ONGOING:
            leaf.seen = _IS_OVER
            leaf.counted = score_of_end(&leaf.position, state, self._depth, self._weights)
        elif leaf.known:
            leaf.seen = _GOES_ON
        else:
            leaf.seen = _IS_SCORED
            leaf.counted = score_moves(&leaf.position, &sets, self._depth, self._weights, &visited)
            leaf.visited = <int32_t>visited
        return 0

    def value_moves(self, int64_t limit, bint best_only):
        """Value the root's moves, and no leaf that they do not depend on, until `limit` moves have been visited.

        False once that is done; then the root and its moves have the values that `score` and `back_up` find,
        or with `best_only` the root and its best moves, and the others only bounds that are worse.
        """
        cdef int64_t last = self.moves_visited + limit
        cdef bint is_done
        with nogil:
            is_done = self._value_node(0, -_INFINITE, _INFINITE, last) if best_only else self._value_each_move(last)
        return not is_done

    cdef bint _value_each_move(self, int64_t last) except -1 nogil:
        cdef Node* root = &self._nodes[0]
        cdef int32_t child
        for child in range(root.first, root.first + root.count):
            if not self._value_node(child, -_INFINITE, _INFINITE, last):
                return False
        if root.count:
            self._back_up_one(root)
        return True

    cdef bint _value_node(self, int32_t index, double alpha, double beta, int64_t last) except -1 nogil:
        """Value a node within a window; False if so many moves have been visited that it is time to listen.

        A value outside of the window is only a bound, and says that the parent has something better. What
        equals a bound is valued to the end: of equal children the first one is the best.
        """
        cdef Node* node = &self._nodes[index]
        cdef double lowest = alpha
        cdef double highest = beta
        cdef int32_t child
        cdef int kind
        if node.exact:
            return True
        if node.count == 0:
            return self._value_leaf_in_time(node, last)
        node.best = -1
        for kind in range(3):
            for child in range(node.first, node.first + node.count):
                if _kind(&self._nodes[child]) != kind:
                    continue
                if not self._value_node(child, lowest, highest, last):
                    return False
                self._take_child(node, child)
                if node.position.black:
                    highest = min(highest, node.value)
                    if node.value < alpha:
                        return True
                else:
                    lowest = max(lowest, node.value)
                    if node.value > beta:
                        return True
        node.exact = alpha <= node.value <= beta
        return True

    cdef bint _value_leaf_in_time(self, Node* leaf, int64_t last) except -1 nogil:
        if not leaf.over:
            if self.moves_visited >= last:
                return False
            self._value_leaf(leaf)
        leaf.exact = True
        return True

    cdef void _take_child(self, Node* node, int32_t child) noexcept nogil:
        """Let the node have a child's value if that is the best so far, or as good and comes first."""
        cdef double value = self._nodes[child].value
        cdef bint is_better
        if node.best < 0:
            is_better = True
        elif value == node.value:
            is_better = child < node.best
        else:
            is_better = value < node.value if node.position.black else value > node.value
        if is_better:
            node.best = child
            node.value = value

    def back_up(self):
        """Give every expanded node the best value of its children, for the side that moves there."""
        cdef int32_t i
        with nogil:
            for i in range(self._count - 1, -1, -1):
                if self._nodes[i].count:
                    self._back_up_one(&self._nodes[i])

    cdef void _back_up_one(self, Node* node) noexcept nogil:
        cdef int32_t child = node.first
        cdef int32_t end = node.first + node.count
        node.best = child
        while child < end:
            if node.position.black:
                if self._nodes[child].value < self._nodes[node.best].value:
                    node.best = child
            elif self._nodes[child].value > self._nodes[node.best].value:
                node.best = child
            child += 1
        node.value = self._nodes[node.best].value
        node.exact = True

    @property
    def value(self):
        """The root's value."""
        return self._nodes[0].value

    def candidates(self):
        """For each move of the root: its line in UCI names, its value, and if that came from the table."""
        cdef int32_t child
        return [self._candidate(child)
                for child in range(self._nodes[0].first, self._nodes[0].first + self._nodes[0].count)]

    cdef tuple _candidate(self, int32_t index):
        cdef int32_t at = index
        cdef int32_t last = index
        line = []
        while at >= 0:
            line.append(uci_name(&self._nodes[self._nodes[at].parent].position, self._nodes[at].move))
            last = at
            at = self._nodes[at].best
        return line, self._nodes[index].value, bool(self._nodes[last].known)

    def backed_up(self, int least):
        """(key, value for the side to move, full-width plies below) of every expanded node, root first.

        Only those with `least` or more plies, where an expanded leaf counts as one, whose values are exact.
        """
        cdef int32_t i
        return [(key_of_position(&self._nodes[i].position), _movers(&self._nodes[i]), max(self._nodes[i].plies, 1))
                for i in range(self._count)
                if self._nodes[i].count and self._nodes[i].exact and max(self._nodes[i].plies, 1) >= least]

    def scored(self):
        """(key, value for the side to move) of every leaf that the table did not know and is not over."""
        cdef int32_t i
        return [(key_of_position(&self._nodes[self._leaves[i]].position), _movers(&self._nodes[self._leaves[i]]))
                for i in range(self._leaf_count)
                if not self._nodes[self._leaves[i]].known and not self._nodes[self._leaves[i]].over]


def terminal_score(PackedPosition position not None, list history not None, int depth, WeightTable weights not None):
    """The score of a position where the game is over, also by repetition of its history; else None."""
    cdef Tree tree = Tree(position, history, 1, 0, depth, weights)
    cdef MoveSets sets
    cdef int state
    find_moves(&position.c, &sets)
    state = tree._state(&tree._nodes[0], &sets)
    return None if state == ONGOING else score_of_end(&position.c, state, depth, weights)


cdef void _clear(Node* node) noexcept nogil:
    """What is not known of a new node."""
    node.value = 0
    node.first = 0
    node.count = 0
    node.best = -1
    node.over = False
    node.known = False
    node.exact = False
    node.seen = _NOTHING
    node.summed = False


cdef bint _is_equal(const Position* one, const Position* other) noexcept nogil:
    return is_same(one, other) and one.clock == other.clock and one.chess960 == other.chess960


cdef inline int _kind(const Node* node) noexcept nogil:
    if node.count:
        return _EXPANDED
    return _CAPTURES if node.captured else _QUIET


cdef double _movers(const Node* node) noexcept nogil:
    return -node.value + 0.0 if node.position.black else node.value
