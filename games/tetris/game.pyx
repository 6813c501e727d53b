"""Games and their pieces; see the declarations."""

from games.tetris.board cimport (
    SHAPE_COUNTS,
    SHAPES,
    SIMPLIFIED,
    clear_board,
    has_appeared,
    is_possible,
    load_board,
    resting_row,
    rows_of,
)

from games.tetris.rules import GENERATORS, RULES
from games.tetrominoes.pieces import PIECES


cdef int _drawn(Stream* stream, int* left) noexcept nogil:
    """The next piece of the stream, and the kinds that may follow it."""
    cdef int i, other, kept
    if stream.generator == UNIFORM:
        left[0] = ALL_KINDS
        return random_below(&stream.random, PIECE_KINDS)
    if stream.left == 0:
        for i in range(PIECE_KINDS):
            stream.bag[i] = i
        for i in range(PIECE_KINDS - 1, 0, -1):
            other = random_below(&stream.random, i + 1)
            kept = stream.bag[i]
            stream.bag[i] = stream.bag[other]
            stream.bag[other] = kept
        stream.left = PIECE_KINDS
    stream.left -= 1
    left[0] = 0
    for i in range(stream.left):
        left[0] |= 1 << stream.bag[i]
    if left[0] == 0:
        left[0] = ALL_KINDS
    return stream.bag[stream.left]


cdef void draw_piece(GameState* state) noexcept nogil:
    """Let all pieces come one nearer."""
    cdef int i
    for i in range(AHEAD):
        state.queue[i] = state.queue[i + 1]
        state.left[i] = state.left[i + 1]
    state.queue[AHEAD] = _drawn(&state.stream, &state.left[AHEAD])


cdef class Game:
    """A game; `rules` and `generator` are checked by whoever made them."""

    def __init__(self, rules, str generator, seed):
        self.state.rule = RULES.index(rules.rule)
        self.state.stream.random = seed & 0xFFFFFFFFFFFFFFFF
        self.state.stream.generator = GENERATORS.index(generator)
        clear_board(&self.state.board, rules.width, rules.height)
        for _ in range(AHEAD + 1):
            draw_piece(&self.state)

    @property
    def lines(self):
        return self.state.lines

    @property
    def pieces(self):
        return self.state.pieces

    @property
    def is_over(self):
        return bool(self.state.is_over)

    @property
    def current(self):
        return PIECES[self.state.queue[0]]

    @property
    def coming(self):
        """The pieces after the current one that are drawn already."""
        return "".join([PIECES[self.state.queue[i + 1]] for i in range(AHEAD)])

    @property
    def rows(self):
        """The board's rows as ints, the lowest first, bit x for column x."""
        return rows_of(&self.state.board)

    def put_rows(self, rows):
        """Let the board be this one, with no full row in it."""
        load_board(&self.state.board, rows, self.state.board.width, self.state.board.height)

    def place(self, int rotation, int x):
        """Place the current piece; False where that is not possible, and nothing is changed then."""
        cdef int number, y, kind = self.state.queue[0]
        cdef const Shape* shape
        if self.state.rule != SIMPLIFIED and not has_appeared(&self.state.board, kind):
            return False
        for number in range(SHAPE_COUNTS[kind]):
            shape = &SHAPES[kind][number]
            if shape.rotation == rotation and 0 <= x <= self.state.board.width - shape.width:
                y = resting_row(&self.state.board, shape, x)
                if is_possible(&self.state.board, shape, x, y, self.state.rule):
                    put(&self.state, shape, x, y)
                    return True
        return False
