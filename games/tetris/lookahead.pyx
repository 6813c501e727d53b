"""Players that weigh features: this piece alone, pieces that are seen coming, and pieces that may come.

With pieces ahead a placement is worth its own features, those of the following placements, and the features of
the last board: `landing_height`, `eroded_cells` and `lines` are added up, the rest is counted at the end. A
placement after which the next piece has no place is worth less than any other, and is taken only if all are so.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from games.tetris.board cimport (
    PIECE_KINDS,
    SHAPE_COUNTS,
    SHAPES,
    SIMPLIFIED,
    Board,
    Shape,
    has_appeared,
    is_possible,
    place,
    popcount,
    resting_row,
)
from games.tetris.game cimport AHEAD, ALL_KINDS, SEVEN_BAG, Game, GameState, put
from games.tetris.measuring cimport (
    BUMPINESS,
    ERODED_CELLS,
    FEATURES,
    LANDING_HEIGHT,
    LINES,
    PATTERN_DIVERSITY,
    Surface,
    count_placement,
    survey,
    value_of,
)

# Less than any placement is worth that can be followed by another.
cdef double LOST = -1e15

cdef struct Options:
    double[FEATURES] weights
    uint64_t deep  # all bits set if wells are deep wells
    bint counts_steps
    int rule
    int generator
    int64_t placements  # valued so far

cdef struct Choice:
    double value
    const Shape* shape
    int x
    int y


cdef double _best(
    Options* options, const Board* board, const int* pieces, int known, int unknown, int left, Choice* best
) noexcept nogil:
    """The value of the best placement of the first of these pieces, LOST if there is none.

    `known` pieces follow it, and then `unknown` ones, of which the first is of the kinds `left`.
    """
    cdef Surface surface
    cdef int32_t[FEATURES] found
    cdef const Shape* shape
    cdef Choice choice
    cdef int number, kind = pieces[0]
    best.value, best.shape = LOST, NULL
    if options.rule != SIMPLIFIED and not has_appeared(board, kind):
        return LOST
    survey(board, &surface, options.deep, options.counts_steps)
    for number in range(SHAPE_COUNTS[kind]):
        shape = &SHAPES[kind][number]
        choice.shape = shape
        for choice.x in range(board.width - shape.width + 1):
            choice.y = resting_row(board, shape, choice.x)
            if not is_possible(board, shape, choice.x, choice.y, options.rule):
                continue
            count_placement(board, &surface, shape, choice.x, choice.y, found)
            options.placements += 1
            choice.value = value_of(found, options.weights)
            if known or unknown:
                choice.value = _with_rest(options, board, &choice, found, pieces, known, unknown, left)
            if choice.value > best.value or best.shape == NULL:
                best[0] = choice
    return best.value


cdef double _with_rest(
    Options* options,
    const Board* board,
    const Choice* choice,
    const int32_t* found,
    const int* pieces,
    int known,
    int unknown,
    int left,
) noexcept nogil:
    """What a placement is worth with all that follows it."""
    cdef Board after = board[0]
    cdef Choice ignored
    cdef const double* weights = options.weights
    cdef double rest, own = found[LANDING_HEIGHT] * weights[LANDING_HEIGHT]
    own += found[ERODED_CELLS] * weights[ERODED_CELLS] + found[LINES] * weights[LINES]
    place(&after, choice.shape, choice.x, choice.y)
    if known:
        rest = _best(options, &after, pieces + 1, known - 1, unknown, left, &ignored)
    else:
        rest = _expected(options, &after, unknown, left)
    # Among placements that all lose the one that looks best without a look ahead.
    return choice.value + LOST if rest <= 0.5 * LOST and known else own + rest


cdef double _expected(Options* options, const Board* board, int unknown, int left) noexcept nogil:
    """The mean over the kinds that can come."""
    cdef double total = 0.0
    cdef int kind, then
    cdef Choice ignored
    for kind in range(PIECE_KINDS):
        if left >> kind & 1:
            then = ALL_KINDS
            if options.generator == SEVEN_BAG and left != 1 << kind:
                then = left & ~(1 << kind)
            total += _best(options, board, &kind, 0, unknown - 1, then, &ignored)
    return total / popcount(left)


cdef class WeightsPlayer:
    """Plays games by weights of features.

    `known` says how many of the coming pieces it looks at, `unknown` over how many further ones it takes the
    mean; what both cost together is checked by whoever asks.
    """

    cdef Options _options
    cdef readonly int known
    cdef readonly int unknown

    def __init__(self, weights, bint deep, int known=0, int unknown=0):
        if not (0 <= known <= AHEAD and 0 <= unknown <= 3 and len(weights) == FEATURES):
            raise ValueError(f"expected {FEATURES} weights and 0 to {AHEAD} pieces, got {known} and {unknown}")
        for number, weight in enumerate(weights):
            self._options.weights[number] = weight
        self._options.weights[LANDING_HEIGHT] /= 4
        self._options.deep = ~0ULL if deep else 0
        self._options.counts_steps = bool(weights[PATTERN_DIVERSITY] or weights[BUMPINESS])
        self.known, self.unknown = known, unknown

    @property
    def placements(self):
        """How many placements it has valued."""
        return self._options.placements

    def play(self, Game game, int64_t most_pieces, int64_t most_lines):
        """Play until the game is over, or has so many pieces or lines."""
        self._prepare(game)
        with nogil:
            while game.state.pieces < most_pieces and game.state.lines < most_lines:
                if not self._step(&game.state):
                    break

    def candidates(self, Game game):
        """Each possible placement of the current piece with its value, rotation and column; the best first."""
        cdef Board* board = &game.state.board
        cdef Surface surface
        cdef int32_t[FEATURES] found
        cdef Choice choice
        cdef const Shape* shape
        cdef int number, kind = game.state.queue[0]
        self._prepare(game)
        candidates = []
        if self._options.rule != SIMPLIFIED and not has_appeared(board, kind):
            return candidates
        survey(board, &surface, self._options.deep, self._options.counts_steps)
        for number in range(SHAPE_COUNTS[kind]):
            shape = &SHAPES[kind][number]
            choice.shape = shape
            for choice.x in range(board.width - shape.width + 1):
                choice.y = resting_row(board, shape, choice.x)
                if is_possible(board, shape, choice.x, choice.y, self._options.rule):
                    count_placement(board, &surface, shape, choice.x, choice.y, found)
                    choice.value = value_of(found, self._options.weights)
                    if self.known or self.unknown:
                        choice.value = _with_rest(
                            &self._options, board, &choice, found, game.state.queue, self.known, self.unknown,
                            game.state.left[self.known],
                        )
                    candidates.append((choice.value, shape.rotation, choice.x))
        return sorted(candidates, key=lambda candidate: -candidate[0])

    def choose(self, Game game):
        """Rotation and column of the placement that it would play; None where there is none."""
        cdef Choice best
        self._prepare(game)
        _best(&self._options, &game.state.board, game.state.queue, self.known, self.unknown,
              game.state.left[self.known], &best)
        return None if best.shape == NULL else (best.shape.rotation, best.x)

    cdef void _prepare(self, Game game):
        self._options.rule = game.state.rule
        self._options.generator = game.state.stream.generator

    cdef bint _step(self, GameState* state) noexcept nogil:
        """Place the current piece where it is worth most; False where the game is over."""
        cdef Choice best
        cdef int left = state.left[self.known]
        _best(&self._options, &state.board, state.queue, self.known, self.unknown, left, &best)
        if best.shape == NULL:
            state.is_over = True
            return False
        put(state, best.shape, best.x, best.y)
        return True
