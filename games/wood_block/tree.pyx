"""Monte Carlo tree search by UCB1, in four phases: selection, expansion, simulation, backpropagation."""

from libc.math cimport log, sqrt
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from games.wood_block.evaluation cimport NO_COST, Evaluation, cost_of
from games.wood_block.fields cimport (
    HAND,
    NOBODY,
    STRIDE,
    Board,
    Field,
    below,
    count,
    lowest,
    missing_of,
    places_of,
    points_of,
)
from games.wood_block.rollouts cimport (
    EVALUATION,
    Levels,
    State,
    deal,
    find_levels,
    hand_places,
    hold,
    is_used,
    pick,
    pick_random,
    place,
    roll_out,
)

POLICIES = {"random": 0, "heuristic": 1, "evaluation": 2}

cdef enum:
    # A simulation adds no more: for each of two or more blocks a node, and for each new hand.
    NEW_NODES = 8
    # What a block costs that fits nowhere, where the evaluation values leaves.
    DEAD_BLOCK = 50000

cdef class Tree:
    """A search tree; `run` grows it, and the root's children tell what was found."""

    def __init__(
        self, Field field, Evaluation evaluation=None, *, double exploration=2**0.5, int policy=1, int max_depth=10,
        int rollout_length=10, bint adaptive=False, double early_stop=0.0, int settled=5, int most_actions=0,
        int most_nodes=1 << 16
    ):
        if policy == EVALUATION and evaluation is None:
            raise ValueError("expected an evaluation for this policy, got none")
        self.field = field
        self.evaluation = evaluation
        self.options.exploration = exploration
        self.options.policy = policy
        self.options.max_depth = max_depth
        self.options.rollout_length = rollout_length
        self.options.adaptive = adaptive
        self.options.early_stop = early_stop
        self.options.settled = settled
        self.options.most_actions = most_actions
        self.options.most_nodes = most_nodes
        self.nodes = <Node*>malloc((most_nodes + NEW_NODES) * sizeof(Node))
        self.moved = <int*>malloc((most_nodes + NEW_NODES) * sizeof(int))
        if self.nodes == NULL or self.moved == NULL:
            raise MemoryError("expected memory for a search tree")

    def __dealloc__(self):
        free(self.nodes)
        free(self.moved)

    def begin(self, Board board, hand, uint64_t seed):
        """Forget the tree, and take a state as the root."""
        cdef Node root
        cdef int i = 0
        root.board = board
        root.missing = missing_of(&self.field.rules, board)
        root.hand[0] = root.hand[1] = root.hand[2] = NOBODY
        for block in hand:
            if block is not None:
                root.hand[i] = block
            i += 1
        root.slot = root.place = NOBODY
        root.depth = root.points = 0
        self.random = seed
        self.number = 0
        self.least, self.greatest = 1e300, -1e300
        self._add(-1, &root)
        self._forget()

    cdef void _forget(self) noexcept:
        self.simulations = self.deepest = self.pruned_actions = self.pruned_nodes = 0
        self.has_stopped = False

    def advance(self, Board board, hand, uint64_t seed):
        """Go on from a state that followed; its part of the tree is kept, the rest is cleaned up.

        Returns how many nodes were kept; none where the state was never visited.
        """
        cdef int i, j, found = -1
        cdef double points
        cdef Node* node
        for i in range(1, self.number):
            node = &self.nodes[i]
            if node.parent != 0 and (self.nodes[node.parent].parent != 0 or not is_used(self.nodes[node.parent].hand)):
                continue
            if node.board == board and all(
                node.hand[j] == (NOBODY if j >= len(hand) or hand[j] is None else hand[j]) for j in range(HAND)
            ):
                found = i
                break
        if found < 0:
            self.begin(board, hand, seed)
            return 0
        points = self.nodes[found].points
        if self.options.policy == EVALUATION:
            points *= self.evaluation.weights.per_point
        self._compact(found, 0)
        # Rewards are counted from the root: those of the new one have not what the way there brought.
        for i in range(self.number):
            self.nodes[i].value -= points * self.nodes[i].visits
        self.least -= points
        self.greatest -= points
        self._forget()
        self.random = seed
        return self.number

    # The four phases

    cdef int _add(self, int parent, const Node* child) noexcept nogil:
        cdef Node* node = &self.nodes[self.number]
        node[0] = child[0]
        node.growth = LEAF
        node.parent, node.first_child, node.next_child = parent, -1, -1
        node.children, node.visits, node.value = 0, 0, 0.0
        if parent >= 0:
            node.next_child = self.nodes[parent].first_child
            self.nodes[parent].first_child = self.number
            self.nodes[parent].children += 1
        self.number += 1
        return self.number - 1

    cdef void _expand(self, int number) noexcept nogil:
        """Give a node all valid actions as children. Only those that are visited take memory."""
        cdef Node* node = &self.nodes[number]
        cdef Node* child
        cdef int slot
        for slot in range(HAND):
            node.unvisited[slot] = 0
            if node.hand[slot] != NOBODY:
                node.unvisited[slot] = places_of(
                    &self.field.rules.block[node.hand[slot]], self.field.rules.field & ~node.board
                )
        if self.options.most_actions:
            self._leave_out(node)
        if node.growth == BEGUN:
            child = &self.nodes[node.first_child]
            node.unvisited[child.slot] &= ~(<Board>1 << child.place)
        node.growth = EXPANDED

    cdef void _leave_out(self, Node* node) noexcept nogil:
        """Keep the most promising actions of a node, those that touch the most nearly full regions."""
        cdef State state
        cdef Levels levels
        cdef Board[HAND] kept
        cdef Board[HAND] rest
        cdef int slot = 0, bit = 0, level, i, total = 0, taken = 0
        for i in range(HAND):
            total += count(node.unvisited[i])
            kept[i] = 0
            state.hand[i] = node.hand[i]
        if total <= self.options.most_actions:
            return
        state.board = node.board
        state.missing = node.missing
        find_levels(&self.field.rules, &state, node.unvisited, &levels)
        for level in range(levels.top, -1, -1):
            for i in range(HAND):
                rest[i] = levels.places[level][i] & ~kept[i]
            while taken < self.options.most_actions and pick(rest, &self.random, &slot, &bit):
                rest[slot] &= ~(<Board>1 << bit)
                kept[slot] |= <Board>1 << bit
                taken += 1
        for i in range(HAND):
            node.unvisited[i] = kept[i]
        self.pruned_actions += total - taken

    cdef int _first_child(self, int number) noexcept nogil:
        """Visit a random child of a new node; -1 where no action is possible."""
        cdef State state
        cdef Node* node = &self.nodes[number]
        cdef int slot = 0, index = 0, i
        if self.options.most_actions:
            self._expand(number)
            return self._new_child(number)
        state.board, state.missing, state.is_crowded = node.board, node.missing, False
        for i in range(HAND):
            state.hand[i] = node.hand[i]
        hold(&self.field.rules, &state)
        if not pick_random(&self.field.rules, &state, &self.random, &slot, &index):
            self._expand(number)
            return -1
        node.growth = BEGUN
        return self._child(number, slot, index)

    cdef int _new_child(self, int number) noexcept nogil:
        """Visit a random child for the first time; -1 where all have been visited."""
        cdef Node* node = &self.nodes[number]
        cdef int slot = 0, bit = 0
        if not pick(node.unvisited, &self.random, &slot, &bit):
            return -1
        node.unvisited[slot] &= ~(<Board>1 << bit)
        return self._child(number, slot, self.field.rules.block[node.hand[slot]].index[bit])

    cdef int _child(self, int number, int slot, int index) noexcept nogil:
        """A new node, with the state after an action."""
        cdef Node child
        cdef State state
        cdef Node* node = &self.nodes[number]
        cdef int i
        state.board, state.missing = node.board, node.missing
        for i in range(HAND):
            state.hand[i] = node.hand[i]
        child.slot = slot
        child.place = self.field.rules.block[node.hand[slot]].place[index]
        child.points = node.points + points_of(place(&self.field.rules, &state, slot, index))
        child.board, child.missing = state.board, state.missing
        for i in range(HAND):
            child.hand[i] = state.hand[i]
        child.depth = node.depth + 1
        return self._add(number, &child)

    cdef int _dealt(self, int number) noexcept nogil:
        """A new hand after a node with a used one: one that was dealt before, or one that is dealt now.

        The number of hands grows with the root of the visits, so that each is known better and better.
        """
        cdef Node child
        cdef Node* node = &self.nodes[number]
        cdef int i, at
        if node.children * node.children > node.visits:
            at = node.first_child
            for i in range(below(&self.random, node.children)):
                at = self.nodes[at].next_child
            return at
        child.board, child.missing = node.board, node.missing
        child.points, child.depth = node.points, node.depth
        child.slot = child.place = NOBODY
        deal(&self.field.rules, child.hand, &self.random)
        return self._add(number, &child)

    cdef int _best_child(self, int number) noexcept nogil:
        """The child with the greatest UCB1: its mean on a scale from 0 to 1, and what it is worth to explore it.

        Points are hundreds, and C expects rewards of about 1: so the scale is from the least reward of the
        tree to the greatest.
        """
        cdef Node* node = &self.nodes[number]
        cdef double width = self.greatest - self.least, worth = log(<double>max(node.visits, 1))
        cdef double bound, best = -1e300
        cdef int at = node.first_child, chosen = -1
        if width <= 0:
            width = 1.0
        while at >= 0:
            bound = (self.nodes[at].value / self.nodes[at].visits - self.least) / width
            bound += self.options.exploration * sqrt(worth / self.nodes[at].visits)
            if bound > best:
                best, chosen = bound, at
            at = self.nodes[at].next_child
        return chosen

    cdef double _reward(self, const Node* node) noexcept nogil:
        """What a simulation from a node brings: points, or less cost of its board."""
        cdef State state
        cdef Board[HAND] places
        cdef int i, steps = self.options.rollout_length, size = self.field.rules.size
        cdef double reward
        state.board, state.missing, state.is_crowded = node.board, node.missing, False
        for i in range(HAND):
            state.hand[i] = node.hand[i]
        if self.options.policy == EVALUATION:
            reward = -cost_of(&self.field.rules, &self.evaluation.weights, node.board, NO_COST)
            hand_places(&self.field.rules, &state, places)
            for i in range(HAND):
                if node.hand[i] != NOBODY and not places[i]:
                    reward -= DEAD_BLOCK
            return reward + <double>node.points * self.evaluation.weights.per_point
        if self.options.adaptive:
            steps = max(2, steps * (size * size - count(node.board)) // (size * size))
        return node.points + roll_out(&self.field.rules, &state, self.options.policy, steps, &self.random)

    cdef void _simulate(self) noexcept nogil:
        cdef int at = 0, child
        cdef double reward
        cdef Node* node
        while True:
            node = &self.nodes[at]
            if node.depth >= self.options.max_depth:
                break
            if is_used(node.hand):
                at = self._dealt(at)
                continue
            if node.growth == LEAF:
                child = self._first_child(at)
                at = at if child < 0 else child
                break
            if node.growth == BEGUN:
                self._expand(at)
            child = self._new_child(at)
            if child < 0:
                child = self._best_child(at)
            if child < 0:  # the game is over here
                break
            at = child
        self.deepest = max(self.deepest, self.nodes[at].depth)
        reward = self._reward(&self.nodes[at])
        self.least = min(self.least, reward)
        self.greatest = max(self.greatest, reward)
        while at >= 0:
            node = &self.nodes[at]
            node.visits += 1
            node.value += reward
            if node.parent == 0 and self.options.early_stop > 0 and node.visits > self.options.settled:
                self.has_stopped = self.has_stopped or node.value / node.visits >= self.options.early_stop
            at = node.parent
        self.simulations += 1

    # Cleaning up

    cdef void _compact(self, int root, int least_visits) noexcept nogil:
        """Keep a root, and what is below it and was visited so often; a child that goes is unvisited again.

        A parent comes before its children and is visited no less often, so one pass from the front is enough.
        """
        cdef int i, parent, number = 0
        cdef int depth = self.nodes[root].depth, points = self.nodes[root].points
        cdef Node node
        for i in range(self.number):
            node = self.nodes[i]
            self.moved[i] = -1
            if i != root:
                if i < root or node.parent < root or self.moved[node.parent] < 0:
                    continue
                parent = self.moved[node.parent]
                if node.visits < least_visits:
                    if node.slot != NOBODY and self.nodes[parent].growth == BEGUN:
                        self.nodes[parent].growth = LEAF
                    elif node.slot != NOBODY:
                        self.nodes[parent].unvisited[node.slot] |= <Board>1 << node.place
                    continue
                node.parent = parent
                node.next_child = self.nodes[parent].first_child
                self.nodes[parent].first_child = number
                self.nodes[parent].children += 1
            else:
                node.parent = node.next_child = -1
                node.slot = node.place = NOBODY
            node.depth -= depth
            node.points -= points
            node.first_child, node.children = -1, 0
            self.moved[i] = number
            self.nodes[number] = node
            number += 1
        self.number = number

    cdef void _prune(self) noexcept nogil:
        """Make room: the nodes that were visited least go, until half of the room is free."""
        cdef int before = self.number, least_visits = 2
        while self.number > 1 and 2 * self.number > self.options.most_nodes:
            self._compact(0, least_visits)
            least_visits *= 2
        self.pruned_nodes += before - self.number

    # What people ask

    def run(self, int simulations):
        """Grow the tree; how many simulations were run. Fewer where the search was ended early."""
        cdef int done = 0
        with nogil:
            while done < simulations and not self.has_stopped:
                if self.number + NEW_NODES > self.options.most_nodes:
                    self._prune()
                self._simulate()
                done += 1
        return done

    def children(self):
        """The visited actions of the root: (slot, row, column, visits, mean reward)."""
        cdef int at = self.nodes[0].first_child
        found = []
        while at >= 0:
            node = &self.nodes[at]
            found.append((node.slot, node.place // STRIDE, node.place % STRIDE, node.visits, node.value / node.visits))
            at = node.next_child
        return found

    def states(self):
        """Every node: (parent, slot, place, board, hand, visits, points, children, unvisited actions)."""
        cdef int i, j
        cdef Node* node
        found = []
        for i in range(self.number):
            node = &self.nodes[i]
            unvisited = sum(count(node.unvisited[j]) for j in range(HAND)) if node.growth == EXPANDED else None
            found.append((
                node.parent, node.slot, node.place, node.board, tuple(node.hand[j] for j in range(HAND)),
                node.visits, node.points, node.children, unvisited,
            ))
        return found

    @property
    def size(self):
        """How many nodes there are."""
        return self.number

    @property
    def depth(self):
        """The greatest depth that a simulation began from."""
        return self.deepest
