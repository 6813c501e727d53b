"""The Q-player: the network's values, and the search for the best move with its limits; see the declarations."""

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from games.tetris.board cimport (
    DROPPED,
    SHAPE_COUNTS,
    SHAPES,
    SIMPLIFIED,
    has_appeared,
    is_possible,
    place,
    popcount,
    resting_row,
)
from games.tetris.game cimport Game, put, random_below, random_share
from games.tetris.measuring cimport below, size_of

import numpy as np

from games.tetris.rules import ROTATIONS
from games.tetrominoes.pieces import BOXED, PIECES, box_size, shape

# Each piece's four rotations in their boxes: which shape, and where in the box it lies.
cdef struct Boxed:
    int shape
    int is_new  # no rotation before looks like it
    int left
    int bottom
    int size

cdef Boxed[PIECE_KINDS][4] BOXES

# Columns and pieces as the inputs are scaled.
cdef float HEIGHT_SCALE = 20.0, HOLES_SCALE = 100.0, BUMPS_SCALE = 20.0, SUM_SCALE = 50.0
cdef enum:
    BEYOND = 2  # a box may lie so far beyond the walls
    LINES_SCALE = 100
    LEVEL_SCALE = 20
    LINES_OF_A_LEVEL = 10


cdef _fill_boxes():
    cdef Boxed* box
    for kind, piece in enumerate(PIECES):
        cells = [frozenset(turned.cells) for _, turned in ROTATIONS[piece]]
        for rotation in range(4):
            box = &BOXES[kind][rotation]
            turned = shape(piece, rotation)
            box.shape = cells.index(frozenset(turned.cells))
            box.is_new = ROTATIONS[piece][box.shape][0] == rotation
            box.left, box.bottom = turned.offset
            box.size = box_size(piece)


_fill_boxes()


cdef inline void _add(float* sums, const float* weights, float input) noexcept nogil:
    cdef int i
    for i in range(HIDDEN):
        sums[i] += input * weights[i]


cdef inline float _out(const Net* net, const float* sums) noexcept nogil:
    """What the second layer makes of the hidden cells."""
    cdef float[8] parts
    cdef float cell
    cdef int i, j
    for j in range(8):
        parts[j] = 0
    for i in range(0, HIDDEN, 8):
        for j in range(8):
            cell = sums[i + j]
            parts[j] += (cell if cell > 0 else <float> 0) * net.second[i + j]
    return net.second_bias + (
        ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
    )


cdef float value_of_inputs(const Net* net, const float* inputs, int number) noexcept nogil:
    """The value of a whole row of inputs."""
    cdef float[HIDDEN] sums
    cdef int i
    memcpy(sums, net.first_bias, sizeof(sums))
    for i in range(number):
        if inputs[i] != 0:
            _add(sums, net.first[i], inputs[i])
    return _out(net, sums)


cdef inline float _lines_input(const GameState* state) noexcept nogil:
    return min(state.lines, LINES_SCALE) / <float> LINES_SCALE


cdef inline float _level_input(const GameState* state) noexcept nogil:
    return min(1 + state.lines // LINES_OF_A_LEVEL, LEVEL_SCALE) / <float> LEVEL_SCALE


cdef void fill_inputs(const GameState* state, const Outline* outline, float* inputs) noexcept nogil:
    """The inputs after a placement in this state, width + 19 of them."""
    cdef int i, width = state.board.width
    memset(inputs, 0, (width + 19) * sizeof(float))
    for i in range(width):
        inputs[i] = outline.heights[i] / HEIGHT_SCALE
    inputs[width] = outline.holes / HOLES_SCALE
    inputs[width + 1] = outline.bumpiness / BUMPS_SCALE
    inputs[width + 2] = outline.height / SUM_SCALE
    inputs[width + 10 + state.queue[1]] = 1
    inputs[width + 17] = _lines_input(state)
    inputs[width + 18] = _level_input(state)


cdef void _constant_part(const Net* net, const GameState* state, float* sums) noexcept nogil:
    """The hidden cells from all inputs that are the same for each placement of a decision."""
    cdef int width = state.board.width
    memcpy(sums, net.first_bias, sizeof(net.first_bias))
    _add(sums, net.first[width + 10 + state.queue[1]], 1)
    _add(sums, net.first[width + 17], _lines_input(state))
    _add(sums, net.first[width + 18], _level_input(state))


cdef int _holes_of(const Board* board) noexcept nogil:
    cdef int x, holes = 0
    for x in range(board.width):
        holes += board.heights[x] - popcount(board.columns[x + 1])
    return holes


cdef void _sum_up(Outline* outline, int width) noexcept nogil:
    """The bumpiness and the sum of the heights."""
    cdef int x
    outline.bumpiness = 0
    outline.height = outline.heights[0]
    for x in range(1, width):
        outline.bumpiness += size_of(outline.heights[x] - outline.heights[x - 1])
        outline.height += outline.heights[x]


cdef bint outline_of(const Board* board, const Shape* shape, int x, int y, Outline* outline) noexcept nogil:
    """The board after a placement as the network sees it; whether lines were cleared."""
    cdef Board after
    cdef int i
    for i in range(shape.height):
        if (board.rows[y + i] | shape.rows[i] << x) == board.full:
            after = board[0]
            place(&after, shape, x, y)
            memcpy(outline.heights, after.heights, sizeof(outline.heights))
            outline.holes = _holes_of(&after)
            _sum_up(outline, board.width)
            return True
    memcpy(outline.heights, board.heights, sizeof(outline.heights))
    outline.holes = _holes_of(board)
    for i in range(shape.width):
        outline.holes += y + shape.bottoms[i] - board.heights[x + i]
        outline.heights[x + i] = y + shape.bottoms[i] + shape.counts[i]
    _sum_up(outline, board.width)
    return False


cdef struct Decision:
    const Net* net
    const GameState* state
    float[HIDDEN] base  # the hidden cells for the board as it is, without holes, bumpiness and height


cdef void _begin(Decision* decision, const Net* net, const GameState* state) noexcept nogil:
    cdef int x
    decision.net, decision.state = net, state
    _constant_part(net, state, decision.base)
    for x in range(state.board.width):
        _add(decision.base, net.first[x], state.board.heights[x] / HEIGHT_SCALE)


cdef float _value(const Decision* decision, const Outline* outline) noexcept nogil:
    """The network's value of a placement: the heights that it has not changed are in the base already."""
    cdef float[HIDDEN] sums
    cdef const Board* board = &decision.state.board
    cdef const Net* net = decision.net
    cdef int x, width = board.width
    memcpy(sums, decision.base, sizeof(sums))
    for x in range(width):
        if outline.heights[x] != board.heights[x]:
            _add(sums, net.first[x], (outline.heights[x] - board.heights[x]) / HEIGHT_SCALE)
    _add(sums, net.first[width], outline.holes / HOLES_SCALE)
    _add(sums, net.first[width + 1], outline.bumpiness / BUMPS_SCALE)
    _add(sums, net.first[width + 2], outline.height / SUM_SCALE)
    return _out(net, sums)


cdef inline int _position(int number, int width) noexcept nogil:
    """The columns of boxes from the middle outward: 5, 4, 6, 3, 7, ... for a width of 10."""
    cdef int away = (number + 1) // 2
    return width // 2 - away if number & 1 else width // 2 + away


cdef inline int _start_row(const Board* board, const Boxed* box) noexcept nogil:
    """Where the lowest row of a piece is whose box touches the top of the board."""
    return board.height - box.size + box.bottom


cdef void best_move(
    const Net* net, const Limits* limits, const GameState* state, Counts* counts, Move* best
) noexcept nogil:
    """The document's search: rotations, positions from the middle outward, filters, and two early ends."""
    cdef Decision decision
    cdef Outline outline
    cdef const Board* board = &state.board
    cdef const Boxed* box
    cdef const Shape* shape
    cdef int rotation, number, x, column, y, evaluations = 0, kind = state.queue[0]
    cdef float q
    counts.decisions += 1
    best.shape, best.q, best.rotation, best.x = NULL, -INFINITY, 0, 0
    if state.rule == DROPPED and not has_appeared(board, kind):
        return
    _begin(&decision, net, state)
    for rotation in range(4):
        if evaluations >= limits.evaluations:
            break
        box = &BOXES[kind][rotation]
        shape = &SHAPES[kind][box.shape]
        for number in range(2 * (board.width + 2 * BEYOND)):
            if evaluations >= limits.evaluations:
                break
            x = _position(number, board.width)
            if not -BEYOND <= x < board.width + BEYOND:
                continue
            column = x + box.left
            if column < -BEYOND or column + shape.width - 1 >= board.width + BEYOND:
                counts.out_of_bounds += 1
                continue
            evaluations += 1
            if column < 0 or column + shape.width > board.width:
                counts.collisions += 1
                continue
            y = resting_row(board, shape, column)
            if y > _start_row(board, box) or not is_possible(board, shape, column, y, state.rule):
                counts.collisions += 1
                continue
            if not box.is_new:
                continue  # it is valued already, and the same value is not better
            outline_of(board, shape, column, y, &outline)
            if outline.holes > limits.holes and state.lines < limits.lines:
                counts.filtered += 1
                continue
            q = _value(&decision, &outline)
            counts.valued += 1
            if q > best.q or best.shape == NULL:
                best.q, best.rotation, best.x = q, rotation, x
                best.shape, best.column, best.y, best.outline = shape, column, y, outline
            if best.q > limits.excellent and evaluations > limits.stop_positions:
                counts.stopped_positions += 1
                break
        if best.q > limits.excellent and evaluations > limits.stop_rotations:
            counts.stopped_rotations += 1
            break
    counts.evaluations += evaluations
    if best.shape == NULL:
        counts.fallbacks += 1
        _best_legal(&decision, counts, best)


cdef void _best_legal(const Decision* decision, Counts* counts, Move* best) noexcept nogil:
    """The best of all placements that the rules allow, filtered or not; no shape if there is none."""
    cdef const GameState* state = decision.state
    cdef Outline outline
    cdef const Shape* shape
    cdef int rotation, x, y, kind = state.queue[0]
    cdef float q
    for rotation in range(4):
        if not BOXES[kind][rotation].is_new:
            continue
        shape = &SHAPES[kind][BOXES[kind][rotation].shape]
        for x in range(state.board.width - shape.width + 1):
            y = resting_row(&state.board, shape, x)
            if not is_possible(&state.board, shape, x, y, state.rule):
                continue
            outline_of(&state.board, shape, x, y, &outline)
            q = _value(decision, &outline)
            counts.valued += 1
            if q > best.q or best.shape == NULL:
                best.q, best.rotation, best.x = q, rotation, x - BOXES[kind][rotation].left
                best.shape, best.column, best.y, best.outline = shape, x, y, outline


cdef bint legal_move(const GameState* state, int rotation, int x, Move* move) noexcept nogil:
    """Fill in a move from its rotation and its box's column; False where it is not possible."""
    cdef const Boxed* box = &BOXES[state.queue[0]][rotation]
    cdef const Shape* shape = &SHAPES[state.queue[0]][box.shape]
    cdef int column = x + box.left, y
    if column < 0 or column + shape.width > state.board.width:
        return False
    if state.rule == DROPPED and not has_appeared(&state.board, state.queue[0]):
        return False
    y = resting_row(&state.board, shape, column)
    if not is_possible(&state.board, shape, column, y, state.rule):
        return False
    move.rotation, move.x, move.q = rotation, x, 0.0
    move.shape, move.column, move.y = shape, column, y
    outline_of(&state.board, shape, column, y, &move.outline)
    return True


cdef class Network:
    """The numbers of a network for boards of one width, with where they come from."""

    def __init__(self, int width, provenance=None):
        memset(&self.net, 0, sizeof(Net))
        self.width = width
        self.provenance = dict(provenance or {})

    @property
    def inputs(self):
        return self.width + 19

    @property
    def arrays(self):
        """Copies of the numbers: first (inputs x 64), first_bias, second, second_bias."""
        first = np.empty((self.inputs, HIDDEN), dtype=np.float32)
        cdef float[:, ::1] view = first
        memcpy(&view[0, 0], self.net.first, self.inputs * HIDDEN * sizeof(float))
        bias, second = np.empty(HIDDEN, dtype=np.float32), np.empty(HIDDEN, dtype=np.float32)
        cdef float[::1] bias_view = bias
        cdef float[::1] second_view = second
        memcpy(&bias_view[0], self.net.first_bias, sizeof(self.net.first_bias))
        memcpy(&second_view[0], self.net.second, sizeof(self.net.second))
        return {"first": first, "first_bias": bias, "second": second, "second_bias": self.net.second_bias}

    def set_arrays(self, first, first_bias, second, float second_bias):
        """Take these numbers; the shapes must be those of `arrays`."""
        cdef float[:, ::1] view = np.ascontiguousarray(first, dtype=np.float32)
        cdef float[::1] bias_view = np.ascontiguousarray(first_bias, dtype=np.float32)
        cdef float[::1] second_view = np.ascontiguousarray(second, dtype=np.float32)
        shapes = (view.shape[0], view.shape[1], bias_view.shape[0], second_view.shape[0])
        if shapes != (self.inputs, HIDDEN, HIDDEN, HIDDEN):
            raise ValueError(f"expected {self.inputs} inputs and {HIDDEN} hidden cells, got {shapes}")
        memcpy(self.net.first, &view[0, 0], self.inputs * HIDDEN * sizeof(float))
        memcpy(self.net.first_bias, &bias_view[0], sizeof(self.net.first_bias))
        memcpy(self.net.second, &second_view[0], sizeof(self.net.second))
        self.net.second_bias = second_bias

    def value(self, inputs):
        """The value of a row of inputs."""
        cdef float[::1] view = np.ascontiguousarray(inputs, dtype=np.float32)
        if view.shape[0] != self.inputs:
            raise ValueError(f"expected {self.inputs} inputs, got {view.shape[0]}")
        return value_of_inputs(&self.net, &view[0], self.inputs)


cdef class QPlayer:
    """Plays by a network. `epsilon` is the share of random moves, in training only."""

    cdef Network _network
    cdef Limits _limits
    cdef readonly double epsilon
    cdef uint64_t _random
    cdef Counts _counts

    def __init__(
        self,
        Network network,
        *,
        epsilon=0.0,
        seed=0,
        most_evaluations=300,
        excellent=100.0,
        stop_positions=10,
        stop_rotations=20,
        most_holes=15,
        early_lines=50,
    ):
        self._network = network
        self.epsilon = epsilon
        self._random = seed
        self._limits.evaluations, self._limits.excellent = most_evaluations, excellent
        self._limits.stop_positions, self._limits.stop_rotations = stop_positions, stop_rotations
        self._limits.holes, self._limits.lines = most_holes, early_lines

    @property
    def counts(self):
        """What all decisions until now did, by name."""
        return dict(self._counts)

    @property
    def placements(self):
        return self._counts.valued

    def find_best_move(self, Game game):
        """Rotation, column of the piece's box and value, as the document gives them; -inf if there is no move."""
        cdef Move move
        if game is None or game.state.is_over:
            return {"rotation": 0, "x": 0, "q": -INFINITY}
        self._require_width(game)
        if self._is_random():
            return {"rotation": random_below(&self._random, 4),
                    "x": random_below(&self._random, game.state.board.width), "q": 0.0}
        best_move(&self._network.net, &self._limits, &game.state, &self._counts, &move)
        return {"rotation": move.rotation, "x": move.x, "q": move.q}

    def play(self, Game game, int64_t most_pieces, int64_t most_lines):
        """Play until the game is over, or has so many pieces or lines."""
        self._require_width(game)
        with nogil:
            while game.state.pieces < most_pieces and game.state.lines < most_lines:
                if not self._step(&game.state):
                    break

    def candidates(self, Game game):
        """Each possible placement of the current piece with its value, rotation and column; the best first."""
        cdef Decision decision
        cdef Outline outline
        cdef const Shape* shape
        cdef const Board* board = &game.state.board
        cdef int number, x, y, kind = game.state.queue[0]
        self._require_width(game)
        found = []
        if game.state.rule != SIMPLIFIED and not has_appeared(board, kind):
            return found
        _begin(&decision, &self._network.net, &game.state)
        for number in range(SHAPE_COUNTS[kind]):
            shape = &SHAPES[kind][number]
            for x in range(board.width - shape.width + 1):
                y = resting_row(board, shape, x)
                if is_possible(board, shape, x, y, game.state.rule):
                    outline_of(board, shape, x, y, &outline)
                    is_filtered = outline.holes > self._limits.holes and game.state.lines < self._limits.lines
                    found.append((is_filtered, -_value(&decision, &outline), shape.rotation, x))
        return [(-value, rotation, column) for _, value, rotation, column in sorted(found)]

    def choose(self, Game game):
        """Rotation and leftmost column of the best move; None where there is none."""
        cdef Move move
        self._require_width(game)
        best_move(&self._network.net, &self._limits, &game.state, &self._counts, &move)
        return None if move.shape == NULL else (move.shape.rotation, move.column)

    def inputs_after(self, Game game, int rotation, int column):
        """The network's inputs after a placement; None where that is not possible."""
        cdef Move move
        inputs = np.zeros(self._network.inputs, dtype=np.float32)
        cdef float[::1] view = inputs
        if not legal_move(&game.state, rotation, column - BOXES[game.state.queue[0]][rotation].left, &move):
            return None
        fill_inputs(&game.state, &move.outline, &view[0])
        return inputs

    cdef _require_width(self, Game game):
        if game.state.board.width != self._network.width:
            raise ValueError(
                f"expected a board {self._network.width} wide, got one of {game.state.board.width}"
            )

    cdef bint _is_random(self) noexcept nogil:
        if self.epsilon <= 0 or random_share(&self._random) >= self.epsilon:
            return False
        self._counts.explored += 1
        return True

    cdef bint _step(self, GameState* state) noexcept nogil:
        cdef Move move
        cdef bint is_random = self._is_random()
        if is_random:
            is_random = legal_move(
                state, random_below(&self._random, 4), random_below(&self._random, state.board.width), &move
            )
            self._counts.impossible += not is_random
        if not is_random:
            best_move(&self._network.net, &self._limits, state, &self._counts, &move)
        if move.shape == NULL:
            state.is_over = True
            return False
        put(state, move.shape, move.column, move.y)
        return True
